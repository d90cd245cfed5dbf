"""Every file includes the standard headers of the names that it uses, directly or through the project's
own headers. Presets that compile in batches do not detect a missing include.
"""

import functools
import re

import pytest
import sources

HEADER_OF = {
    "any_of": "algorithm", "all_of": "algorithm", "none_of": "algorithm", "find": "algorithm",
    "find_if": "algorithm", "sort": "algorithm", "stable_sort": "algorithm", "max": "algorithm",
    "min": "algorithm", "clamp": "algorithm", "lower_bound": "algorithm", "upper_bound": "algorithm",
    "fill": "algorithm", "unique": "algorithm", "reverse": "algorithm", "equal": "algorithm",
    "array": "array", "atomic": "atomic", "bit_cast": "bit", "popcount": "bit", "countr_zero": "bit",
    "from_chars": "charconv", "to_chars": "charconv", "chrono": "chrono",
    "condition_variable": "condition_variable", "memcpy": "cstring", "memcmp": "cstring",
    "deque": "deque", "ifstream": "fstream", "function": "functional", "numeric_limits": "limits",
    "map": "map", "unique_ptr": "memory", "make_unique": "memory", "shared_ptr": "memory",
    "make_shared": "memory", "mutex": "mutex", "lock_guard": "mutex", "accumulate": "numeric",
    "iota": "numeric", "optional": "optional", "nullopt": "optional", "mt19937": "random", "set": "set",
    "span": "span", "ostringstream": "sstream", "string": "string", "to_string": "string",
    "string_view": "string_view", "thread": "thread", "tuple": "tuple",
    "unordered_map": "unordered_map", "unordered_set": "unordered_set", "pair": "utility",
    "variant": "variant", "vector": "vector",
}
# Folders in which quoted names are looked up, besides the file's own folder.
FOLDERS = [sources.ROOT / name for name in ("", "capi/src", "capi/include")]


@functools.cache
def included(path):
    """The headers that a file names, and its own text without comments and strings."""
    text = path.read_text()
    names = re.findall(r"^#include [<\"]([^>\"]+)", text, re.MULTILINE)
    return names, re.sub(r'//.*|"(\\.|[^"\\\n])*"', "", text)


def reachable(path, seen):
    """The external headers that a file includes, directly or through the project's own."""
    found = set()
    if path not in seen:
        seen.add(path)
        for name in included(path)[0]:
            ours = next((folder / name for folder in [*FOLDERS, path.parent]
                         if (folder / name).is_file()), None)
            found |= reachable(ours, seen) if ours else {name}
    return found


def missing(path):
    have = reachable(path, set())
    names = set(re.findall(r"\bstd::(\w+)", included(path)[1]))
    return sorted(f"{name} needs <{HEADER_OF[name]}>" for name in names
                  if name in HEADER_OF and HEADER_OF[name] not in have)


@pytest.mark.parametrize("folder", ["libsched", "capi", "bindings", "examples", "tests"])
def test_files_include_what_they_name(folder):
    paths = [sources.ROOT / path for path in sources.code()
             if path.parts[0] == folder and path.suffix in (".cpp", ".hpp")]
    assert paths
    assert not {str(path): gaps for path in paths if (gaps := missing(path))}


def test_the_check_itself_refuses(tmp_path):
    (tmp_path / "a.hpp").write_text("#include <vector>\n")
    user = tmp_path / "user.cpp"
    user.write_text('#include "a.hpp"\nstd::vector<std::string> x;  // std::map\n')
    assert missing(user) == ["string needs <string>"]
