"""Every function that the C headers declare is called by the C tests."""

import re

import sources

DECLARED = re.compile(r"\b(libsched_[a-z0-9_]+)\(")


def functions(paths):
    return {name for path in paths for name in DECLARED.findall(sources.text(path) or "")}


def test_the_c_tests_call_every_function_of_the_headers():
    headers = [path for path in sources.files()
               if path.parts[:2] == ("capi", "include") and path.suffix == ".h"]
    tests = [path for path in sources.files()
             if path.parts[:2] == ("tests", "capi") and path.suffix in (".c", ".h")]
    declared = functions(headers)
    assert len(declared) > 100
    assert not declared - functions(tests)
