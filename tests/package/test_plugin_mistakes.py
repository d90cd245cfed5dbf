"""The table of mistakes in the plugin guide: each row's text is what C++ authors are told."""

import re

import project
import pytest

GUIDE = project.ROOT / "docs" / "manual" / "pages" / "plugins.md"


def rows(language):
    """The table's rows of a language: mistake and text."""
    table = GUIDE.read_text().split("\n## Mistakes\n")[1].split("\n## ")[0]
    found = [re.fullmatch(r"\| (.+?) \| (.+?) \| `(.+)` \|", line) for line in table.splitlines()]
    return {row[1]: row[3] for row in found if row and row[2] == language}


NODE = "const libsched_cycle_state*, const libsched_pod*, const libsched_node_info*"
ANSWER = "{ return libsched::sdk::unschedulable(\"never\"); }"
CPP = {
    "no method with the name of a slot": f"libsched::sdk::Status fliter({NODE}) const {ANSWER}",
    "a private method": f"private: libsched::sdk::Status filter({NODE}) const {ANSWER}",
    "an overloaded method": f"""libsched::sdk::Status filter({NODE}) const {ANSWER}
                                libsched::sdk::Status filter(int) const {ANSWER}""",
    "other parameters": f"libsched::sdk::Status filter(const libsched_pod*) const {ANSWER}",
    "a bool for a status": f"bool filter({NODE}) const {{ return true; }}",
}


def compile_cpp(members, code, options=()):
    return project.run("g++", "-x", "c++", "-std=c++20", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                       *options, "-I", project.INCLUDE, "-", code=code, text=f"""
        #include <libsched/plugin.hpp>
        struct Team {{
          static constexpr std::string_view name = "Team";
          {members}
        }};
        LIBSCHED_EXPORT_PLUGINS(Team)""")


def test_each_row_of_cpp_has_its_mistake():
    assert list(rows("C++")) == list(CPP)


@pytest.mark.parametrize("mistake", CPP)
def test_a_mistake_in_cpp_ends_the_compilation_with_one_sentence(mistake):
    said = compile_cpp(CPP[mistake], 1)
    assert re.findall(r"error: (?:static assertion failed: )?(.*)", said) == [rows("C++")[mistake]]


@pytest.mark.parametrize(("members", "said"), [
    ("static void thread_attach(int) {}", "thread_attach must be a public static function without parameters"),
    ("int less(const libsched_pod*, int64_t, const libsched_pod*, int64_t) const { return -1; }",
     "less must return bool: whether a comes before b"),
    ("int64_t score = 0;", "score takes other parameters"),
    ("double pre_enqueue(const libsched_pod*) const { return 1; }", "pre_enqueue must return nothing, a libsched_code"),
], ids=["thread", "less", "data", "double"])
def test_other_mistakes_in_cpp(members, said):
    assert said in compile_cpp(f"{members} void post_bind(libsched_cycle_state*, const libsched_pod*, std::string_view) {{}}",
                               1)


def test_what_is_right_in_cpp_compiles():
    """Inherited, static and virtual methods, enumerators as codes, and members of other names."""
    compile_cpp(f"""
          struct Base {{ virtual ~Base() = default; virtual libsched::sdk::Status filter({NODE}) const {ANSWER} }};
          struct Inner final : Base {{ static constexpr std::string_view name = "Inner"; }};
          static auto pre_enqueue(const libsched_pod*) {{ return LIBSCHED_CODE_SUCCESS; }}
          void score({NODE}, int64_t& score) const {{ score = 7; }}
          libsched_plugin inner = libsched::sdk::plugin<Inner>();
         private:
          bool fits() const {{ return true; }}""", 0, ["-Wconversion"])
