"""Writes the site: python -m manual [--out FOLDER]. Run it in docs/, with the Python that has libsched."""

import argparse
import pathlib
import subprocess
import sys

from .stage import ROOT, stage

MKDOCS = ROOT / "build" / "docs-venv" / "bin" / "mkdocs"


def build(staged, out):
    """Runs mkdocs, which refuses broken links: its warnings are errors."""
    return subprocess.run(
        [MKDOCS, "build", "--quiet", "--strict", "--clean", "-f", staged / "mkdocs.yml", "-d", out], check=False,
        env={"PATH": f"{MKDOCS.parent}:/usr/bin:/bin", "LANG": "C.UTF-8", "NO_MKDOCS_2_WARNING": "1",
             "PYTHONPATH": str(ROOT / "docs" / "manual"), "PYTHONDONTWRITEBYTECODE": "1"}).returncode


def main():
    parser = argparse.ArgumentParser(prog="manual", description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "docs")
    options = parser.parse_args()
    if not MKDOCS.exists():
        print(f"no {MKDOCS}: packaging/setup.sh docs installs it", file=sys.stderr)
        return 2
    out = options.out.resolve()
    staged = out.with_name(out.name + "-pages")
    count = stage(staged)
    code = build(staged, out)
    if code == 0:
        print(f"{out / 'index.html'}: {count} pages")
    return code


if __name__ == "__main__":
    sys.exit(main())
