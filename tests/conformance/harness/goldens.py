"""Recorded goldens: files of {"case": ..., "golden": ...} lines, compressed.

A folder has a folder of each release, whose files are named KIND.MODE.jsonl.xz, or KIND.jsonl.xz where kind
and mode have one name. The bytes depend on the lines alone.
"""

import hashlib
import json
import lzma
import pathlib

SUFFIX = ".jsonl.xz"


def write(path, pairs):
    """Writes (case text, golden text) pairs; returns the compressed size."""
    lines = b"".join(b'{"case":' + case.encode() + b',"golden":' + golden.encode() + b"}\n" for case, golden in pairs)
    packed = lzma.compress(lines, preset=9 | lzma.PRESET_EXTREME)
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed)
    return len(packed)


def name(kind, mode):
    """The name of a golden file."""
    return f"{kind}{SUFFIX}" if kind == mode else f"{kind}.{mode}{SUFFIX}"


def read(path):
    """The pairs of a file, as the texts that were recorded."""
    decoder = json.JSONDecoder()
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            begin = len('{"case":')
            _, end = decoder.raw_decode(line, begin)
            yield line[begin:end], line[end + len(',"golden":'):-1]


def files(folder, release="*"):
    """(kind, mode, path) of every golden file of a folder, of one release or of all."""
    found = []
    for path in sorted(pathlib.Path(folder).glob(f"{release}/*{SUFFIX}")):
        kind, _, mode = path.name.removesuffix(SUFFIX).rpartition(".")
        found.append((kind or mode, mode, path))
    return found


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
