"""Recorded goldens: files of {"case": ..., "golden": ...} lines, compressed.

A file is named KIND.MODE.jsonl.gz, or KIND.jsonl.gz where kind and mode have one name. The bytes depend on
the lines alone.
"""

import gzip
import hashlib
import io
import json
import pathlib


def write(path, pairs):
    """Writes (case text, golden text) pairs; returns the compressed size."""
    raw = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=9) as file:
        for case, golden in pairs:
            file.write(b'{"case":' + case.encode() + b',"golden":' + golden.encode() + b"}\n")
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw.getvalue())
    return len(raw.getvalue())


def name(kind, mode):
    """The name of a golden file."""
    return f"{kind}.jsonl.gz" if kind == mode else f"{kind}.{mode}.jsonl.gz"


def read(path):
    """The pairs of a file, as the texts that were recorded."""
    decoder = json.JSONDecoder()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            begin = len('{"case":')
            _, end = decoder.raw_decode(line, begin)
            yield line[begin:end], line[end + len(',"golden":'):-1]


def files(folder):
    """(kind, mode, path) of every golden file of a folder."""
    found = []
    for path in sorted(pathlib.Path(folder).glob("*.jsonl.gz")):
        kind, _, mode = path.name.removesuffix(".jsonl.gz").rpartition(".")
        found.append((kind or mode, mode, path))
    return found


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
