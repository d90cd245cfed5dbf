"""The documentation site: pages written by hand, and pages made of the sources, as one static site.

`stage` collects the pages of the site in a folder, and mkdocs makes the site of that folder. `pages/` has the pages
written by hand, whose code blocks `tests/docs` runs. All other pages are made anew each time:

    documents       of the documents in docs/
    command_line    of what `libsched --help` and `libsched COMMAND --help` print
    python_api      of the package's index of names; mkdocstrings reads the docstrings
    go_api          of what `godoc/main.go` prints, a small program over go/doc
    c_api           an index of the reference of the headers (`docs/reference`), which is a part of the site
    benchmarks      of docs/bench.json, with the plots of tests/bench

mkdocs loads `docstrings.py`, which imports nothing from here.
"""
