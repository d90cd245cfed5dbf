#!/usr/bin/env python3
"""Answers like `oracle documents`, but with libsched: prints a line for each line on standard input.

The question is {"reader": "manifests" or "config", "text": base64}, the answer {"error": ...} or the
pods and nodes as JSON. Needs the Python package.
"""

import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness.work import DEFAULT_RELEASE  # noqa: E402

import libsched  # noqa: E402


def as_go(value):
    """The value as Go reads it: in raw texts half of a surrogate pair may stand alone."""
    if isinstance(value, dict):
        return {as_go(key): as_go(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_go(each) for each in value]
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def answer(question):
    text = base64.b64decode(question["text"])
    try:
        if question["reader"] == "config":
            libsched.Config(text, semantics=DEFAULT_RELEASE)
            return {}
        objects = libsched.Objects.parse(text, defaults=False, keep_raw=True)
        return {"objects": [as_go(each.raw()) for each in [*objects.pods, *objects.nodes]]}
    except libsched.Error as error:
        return {"error": str(error)}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
