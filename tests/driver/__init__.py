"""The test driver: parts, their runners, counts and reports (tests/run)."""
