"""Programs of older and newer headers: every struct with a struct_size may be smaller or bigger than today's.

The sizes are made from the installed headers, and struct_sizes.c has a call for each struct: a struct without one is
refused here.
"""

import re

import project

# The library makes these itself, for callbacks; none is passed to a function.
HANDED_OUT = {"libsched_log_record", "libsched_cycle_event", "libsched_progress", "libsched_host"}
SOURCE = project.ROOT / "tests" / "package" / "struct_sizes.c"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def members(body):
    """The names of a struct's members, in their order."""
    found = []
    for declaration in re.sub(r"\([^()]*\)(?=;|$)", "", re.sub(r"\(\*(\w+)(\[\d+\])?\)", r"\1", body)).split(";"):
        name = re.search(r"(\w+)(\[\w+\])*$", re.sub(r"\([^()]*\)$", "", declaration.strip()))
        if name:
            found.append(name[1])
    return found


def structs():
    """{name: members} of the structs of the headers that begin with struct_size."""
    text = "".join(without_comments(header.read_text()) for header in project.HEADERS + project.NET_HEADERS)
    found = re.findall(r"typedef struct (libsched_\w+) \{(\s*uint32_t struct_size;[^}]*)\}", text)
    return {name: members(body) for name, body in found}, text


def uses():
    """Pairs (struct, "given" or "filled") for what functions and other structs take."""
    known, text = structs()
    text = re.sub(r"\(\*\w+\)\s*\([^()]*\)", "", text)  # what callbacks get is the library's
    pairs = set()
    for name in known.keys() - HANDED_OUT:
        for const in re.findall(rf"(const )?(?:struct )?\b{name} \*", text):
            pairs.add((name, "given" if const else "filled"))
    return pairs


def table():
    """The content of structs.inc."""
    known, _ = structs()
    lines = []
    for name, kind in sorted(uses()):
        init = name.upper() + "_INIT"
        lines.append(f"#ifdef {init}\nstatic const {name} init_{kind}_{name} = {init};\n#else\n"
                     f"static const {name} init_{kind}_{name};\n#endif")
    lines.append("static const sized structs[] = {")
    for name, kind in sorted(uses()):
        ends = ", ".join(f"UP({name}, {member})" for member in known[name])
        preset, need = (f"preset_{name}", f"need_{name}") if kind == "given" else ("NULL", "4")
        lines.append(f'  {{"{name}", (libsched_rc (*)(void*, libsched_error**)){kind}_{name}, {preset}, '
                     f"&init_{kind}_{name}, {need}, {{{ends}}}}},")
    lines.append("};")
    # sizeof in a header whose struct ends with that member
    head = "#define UP(type, member) ((END(type, member) + _Alignof(type) - 1) / _Alignof(type) * _Alignof(type))"
    return "\n".join([head, *lines]) + "\n"


def test_members_are_found():
    known, _ = structs()
    assert known["libsched_timing"] == ["struct_size", "reserved", "arrival_ns", "duration_ns", "interval_ns"]
    assert known["libsched_clock_functions"] == ["struct_size", "reserved", "now", "sleep", "destroy"]
    assert known["libsched_plugin"][-1] == "reserved" and "forked" in known["libsched_plugin"]


def test_every_struct_has_a_call():
    source = SOURCE.read_text()
    given = {(name, "given") for name in re.findall(r"^GIVEN\((\w+)", source, re.MULTILINE)}
    filled = {(name, "filled") for name in re.findall(r"^FILLED\((\w+)", source, re.MULTILINE)}
    assert given | filled == uses()


def test_older_and_newer_programs(tmp_path):
    project.need_net()
    (tmp_path / "structs.inc").write_text(table())
    project.run("cc", "-std=gnu11", "-Wall", "-Wno-cast-function-type", f"-I{tmp_path}", f"-I{project.INCLUDE}", f"-I{project.NET_INCLUDE}",
                SOURCE, f"-L{project.LIBRARY.parent}", "-lsched", "-lsched-net", f"-Wl,-rpath,{project.LIBRARY.parent}",
                "-o", tmp_path / "sizes")
    said = project.run(tmp_path / "sizes")
    assert re.search(r"^\d{4,} passed, 0 failed$", said, re.MULTILINE), said
