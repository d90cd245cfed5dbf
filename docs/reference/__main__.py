"""Writes the reference: python -m reference [--out FILE] [--gaps]."""

import argparse
import pathlib
import re
import sys

from . import model
from .page import Page

ROOT = pathlib.Path(__file__).resolve().parents[2]


def version_of(headers):
    """The version from the macros in base.h: "0.1.0"."""
    texts = {symbol.name: symbol.declaration for header in headers for symbol in header.symbols}
    return ".".join(re.search(r"\d+$", texts[f"LIBSCHED_VERSION_{part}"])[0]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def main():
    parser = argparse.ArgumentParser(prog="reference", description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "docs" / "index.html")
    parser.add_argument("--gaps", action="store_true", help="list symbols without a comment instead")
    options = parser.parse_args()
    headers = model.read_reference(ROOT)
    if options.gaps:
        gaps = model.undocumented(headers)
        print("\n".join(gaps) or "every symbol has a comment")
        return 1 if gaps else 0
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(Page(headers).html(version_of(headers)), encoding="utf-8")
    print(f"{options.out}: {sum(len(header.symbols) for header in headers)} symbols")
    return 0


if __name__ == "__main__":
    sys.exit(main())
