#!/usr/bin/env python3
"""Asks oracles again about the cases behind the page "Releases": tests/tables/differences.jsonl.

    tests/conformance/record_differences.py FOLDER      with oracle-1.31 to oracle-1.37 in the folder

A line is the heading of a difference, two releases, a case, and what each release answers. A case to which both
releases give one answer shows no difference, and is refused. Lines whose oracles are missing stay as they are.
"""

import argparse
import json
import pathlib
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parents[1] / "tables" / "differences.jsonl"


def ask(oracle, case):
    """Returns the golden result of a case."""
    done = subprocess.run([oracle, "run", "-compact"], input=json.dumps(case) + "\n", capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def renewed(line, folder):
    """Returns a line with fresh answers."""
    oracles = [folder / f"oracle-{release}" for release in line["releases"]]
    if not all(oracle.exists() for oracle in oracles):
        print(f"{line['heading']}: there are not both oracles of {' and '.join(line['releases'])}", file=sys.stderr)
        return line
    goldens = [ask(oracle, line["case"]) for oracle in oracles]
    if goldens[0] == goldens[1]:
        raise SystemExit(f"{line['heading']}: {' and '.join(line['releases'])} give one answer")
    return {**line, "goldens": goldens}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="where the oracles are")
    folder = parser.parse_args().folder
    lines = [json.loads(text) for text in TABLE.read_text(encoding="utf-8").splitlines()]
    made = [renewed(line, folder) for line in lines]
    TABLE.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in made), encoding="utf-8")


if __name__ == "__main__":
    main()
