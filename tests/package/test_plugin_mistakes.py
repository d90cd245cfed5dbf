"""The table of mistakes in the plugin guide: each row's text is what authors in C and C++ are told."""

import ctypes
import re

import plugin_guide
import project
import pytest

CXX = ["g++", "-x", "c++", "-std=c++20", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", project.INCLUDE]
LINK = ["-L", project.LIBRARY.parent, "-lsched", f"-Wl,-rpath,{project.LIBRARY.parent}"]
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
CPP_RUN = {
    "a code that the point does not know": f"libsched::sdk::Status filter({NODE}) const {{ return LIBSCHED_CODE_SKIP; }}",
    "an exception": f'libsched::sdk::Status filter({NODE}) const {{ throw std::runtime_error("boom"); }}',
}
C = {
    "no slot": "",
    "a code that the point does not know": "plugin.filter = filter; code = LIBSCHED_CODE_SKIP;",
    "an unknown code": "plugin.filter = filter; code = 77;",
    "Error without a reason": "plugin.filter = filter; code = LIBSCHED_CODE_ERROR;",
}
NOT_LINKED = "a shared object that is not linked to libsched"
PROGRAM = """
#include <libsched.h>
#include <stdio.h>
static libsched_code code;
static libsched_code filter(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                            const libsched_node_info *node, libsched_status *status) {
  (void)instance, (void)state, (void)pod, (void)node, (void)status;
  return code;
}
static libsched_rc add(libsched_registry *registry, libsched_error **error) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("Team");
  (void)filter;
  MISTAKE
  return libsched_registry_add(registry, &plugin, NULL, error);
}
""", """
int main(void) {
  libsched_error *error = NULL;
  libsched_registry *registry = NULL;
  libsched_framework *framework = NULL;
  libsched_cluster *cluster = NULL;
  libsched_objects *objects = NULL;
  libsched_evaluator *evaluator = NULL;
  libsched_decision *fit = NULL;
  const libsched_str world = LIBSCHED_STR(
      "{kind: Pod, apiVersion: v1, metadata: {name: p}}\\n---\\n"
      "{kind: Node, apiVersion: v1, metadata: {name: one}, status: {allocatable: {pods: 9}}}");
  if (libsched_registry_create(&registry, &error) || add(registry, &error) ||
      libsched_framework_create(NULL, LIBSCHED_STR(""), registry, NULL, &framework, &error) ||
      libsched_objects_parse(world, NULL, &objects, &error) || libsched_cluster_create(NULL, &cluster, &error) ||
      libsched_cluster_apply(cluster, objects, &error) ||
      libsched_evaluator_create(framework, cluster, NULL, &evaluator, &error) ||
      libsched_check_pod_fits(evaluator, libsched_objects_get_pod(objects, 0), LIBSCHED_ANY_NODE, NULL, &fit, &error))
    puts(libsched_error_message(error).ptr);
  else
    puts(libsched_decision_error(fit).ptr);
  return 0;
}
"""


def compile_cpp(members, code, options=()):
    return project.run(*CXX, "-fsyntax-only", *options, "-", code=code, text=f"""
        #include <libsched/plugin.hpp>
        struct Team {{
          static constexpr std::string_view name = "Team";
          {members}
        }};
        LIBSCHED_EXPORT_PLUGINS(Team)""")


def test_each_row_has_its_mistake():
    assert list(plugin_guide.rows("C++")) == [*CPP, *CPP_RUN, NOT_LINKED]
    assert list(plugin_guide.rows("C")) == [*C, NOT_LINKED]


@pytest.mark.parametrize("mistake", C)
def test_a_mistake_in_c(mistake, tmp_path):
    project.run("gcc", "-x", "c", "-std=c11", "-Wall", "-Wextra", "-I", project.INCLUDE, "-o", tmp_path / "program", "-",
                *LINK, text=PROGRAM[0].replace("MISTAKE", C[mistake]) + PROGRAM[1])
    assert project.run(tmp_path / "program").rstrip("\n").endswith(plugin_guide.rows("C")[mistake])


@pytest.mark.parametrize("mistake", CPP_RUN)
def test_a_mistake_in_cpp_that_only_a_call_shows(mistake, tmp_path):
    project.run(*CXX, "-o", tmp_path / "program", "-", *LINK, text=f"""
        #include <cstdio>
        #include <libsched/plugin.hpp>
        struct Team {{
          static constexpr std::string_view name = "Team";
          {CPP_RUN[mistake]}
        }};
        static libsched_rc add(libsched_registry* registry, libsched_error** error) {{
          return libsched::sdk::add<Team>(registry, error);
        }}{PROGRAM[1]}""")
    assert project.run(tmp_path / "program").rstrip("\n").endswith(plugin_guide.rows("C++")[mistake])


class Text(ctypes.Structure):
    """libsched_str."""
    _fields_ = (("ptr", ctypes.c_char_p), ("len", ctypes.c_size_t))


def test_a_shared_object_that_is_not_linked(tmp_path):
    """As a program finds it that has loaded the library for itself alone, such as Python."""
    path = str(tmp_path / "team.so").encode()
    project.run("gcc", "-x", "c", "-shared", "-fPIC", "-I", project.INCLUDE, "-o", path.decode(), "-", text="""
        #include <libsched.h>
        LIBSCHED_EXPORT libsched_rc libsched_plugin_init(const libsched_host *host, libsched_registry *registry,
                                                         libsched_error **error) {
          return libsched_node_info_node(0) == 0 ? host->registry_add(registry, 0, 0, error) : 0;
        }""")
    library = ctypes.CDLL(str(project.LIBRARY))
    library.libsched_error_message.restype = Text
    registry, error = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.libsched_registry_create(ctypes.byref(registry), None) == 0
    library.libsched_registry_load.argtypes = [ctypes.c_void_p, Text, ctypes.c_void_p]
    assert library.libsched_registry_load(registry, Text(path, len(path)), ctypes.addressof(error)) != 0
    said = library.libsched_error_message(error).ptr.decode()
    for language in ("C", "C++"):
        assert said.endswith(plugin_guide.rows(language)[NOT_LINKED])
    library.libsched_error_unref(error)
    library.libsched_registry_unref(registry)


@pytest.mark.parametrize("mistake", CPP)
def test_a_mistake_in_cpp_ends_the_compilation_with_one_sentence(mistake):
    said = compile_cpp(CPP[mistake], 1)
    assert re.findall(r"error: (?:static assertion failed: )?(.*)", said) == [plugin_guide.rows("C++")[mistake]]


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
