"""Runs the Python blocks of all pages in one process: reads JSON from standard input, and writes JSON.

In: a list of {"folder", "blocks": [{"name", "text"}]}, one for each page; the blocks of a page share their names.
Out: for each block's name what it printed, and the traceback if it failed.
"""

import contextlib
import io
import json
import os
import sys
import traceback
import types


def main():
    answers = {}
    for page in json.load(sys.stdin):
        os.chdir(page["folder"])
        sys.path.insert(0, page["folder"])
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        for block in page["blocks"]:
            out = io.StringIO()
            failure = ""
            with contextlib.redirect_stdout(out):
                try:
                    exec(compile(block["text"], block["name"], "exec"), module.__dict__)
                except Exception:
                    failure = traceback.format_exc()
            answers[block["name"]] = {"printed": out.getvalue(), "failure": failure}
        sys.path.remove(page["folder"])
    json.dump(answers, sys.stdout)


main()
