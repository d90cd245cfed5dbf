#!/usr/bin/env python3
"""Answers like `oracle documents`, but with libsched: prints a line for each line on standard input.

The question is {"reader": "manifests" or "config", "text": base64}, the answer {"error": ...} or the
pods and nodes as JSON. Needs the Python package.
"""

import base64
import json
import sys

import libsched


def answer(question):
    text = base64.b64decode(question["text"])
    try:
        if question["reader"] == "config":
            libsched.Config(text)
            return {}
        objects = libsched.Objects.parse(text, defaults=False, keep_raw=True)
        return {"objects": [each.raw() for each in [*objects.pods, *objects.nodes]]}
    except libsched.Error as error:
        return {"error": str(error)}


def main():
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
