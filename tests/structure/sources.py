"""Finds and reads the project's own files, as a clone has them, for the structure tests."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".c", ".h", ".cpp", ".hpp", ".go", ".py", ".pyi", ".sh", ".cmake", ".i"}
_NOT_OURS = {"build", ".venv", ".git", "dist", "__pycache__"}


def files():
    """Relative paths of all files that git knows or would add; without git, of all files."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT,
                            capture_output=True, check=False)
    if listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(ROOT) for path in ROOT.rglob("*")
                 if not _NOT_OURS & set(path.relative_to(ROOT).parts)]
    return sorted({name for name in names if (ROOT / name).is_file()})


def code():
    return [path for path in files() if path.suffix in CODE]


def text(path):
    """The text of a file; None for a binary one."""
    data = (ROOT / path).read_bytes()
    if b"\0" in data[:8192] or data[:2] == b"\x1f\x8b":
        return None
    return data.decode(errors="replace")
