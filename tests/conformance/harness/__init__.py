"""Parts of the conformance runner: processes, comparison, shrinking, goldens, report."""
