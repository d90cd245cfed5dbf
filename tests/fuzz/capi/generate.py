"""Writes the table of calls of the C-API fuzzer from the installed headers.

    generate.py OUTPUT_FOLDER        kinds.inc and one calls_<header>.inc for each header

A call is made from its declaration: each parameter gets an argument class (arguments.hpp) by its type
and name. A function without a rule is an error, unless special.hpp declares call_<function>() with the
reason beside it. effects.hpp and sim_effects.hpp name the functions that the
model follows: after_<function>().
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from reference import model  # noqa: E402

# The functions that change clusters; without an entry here a cluster must stay as it was.
CHANGES = {f"libsched_{name}" for name in (
    "cluster_apply cluster_apply_changes cluster_add_nodes cluster_update_node cluster_remove_node "
    "cluster_add_pods cluster_update_pod cluster_remove_pod cluster_remove_object cluster_assume cluster_forget "
    "cluster_fork cluster_commit cluster_revert evaluator_assume "
    "evaluator_forget memory_api_deliver run_reserve_plugins_reserve run_reserve_plugins_unreserve "
    "run_pre_bind_plugins schedule schedule_one writer_queue_apply").split()}

# The number of entries of a function in the table, if it is not one.
WEIGHTS = {
    "cluster_add_nodes": 6, "cluster_update_node": 5, "cluster_remove_node": 5, "cluster_add_pods": 8,
    "cluster_update_pod": 6, "cluster_remove_pod": 5, "cluster_remove_object": 2, "cluster_apply": 3,
    "cluster_apply_changes": 6, "changes_create": 2, "changes_put_objects": 3, "changes_put_node": 3,
    "changes_put_pod": 4, "changes_remove": 4,
    "cluster_assume": 4, "cluster_forget": 4, "cluster_fork": 8, "cluster_commit": 4,
    "cluster_revert": 6, "cluster_snapshot": 3, "cluster_refresh": 3, "run_pre_filter_plugins": 8,
    "run_filter_plugins": 7, "filter_nodes": 8, "check_pod_fits": 5, "check_pods_fit": 4, "extender_create": 2,
    "workload_add": 3, "workload_add_objects": 2, "simulation_create": 3, "simulation_run": 3,
    "queue_create": 3, "api_server_create": 3, "api_server_create_objects": 3, "queue_add": 6, "queue_update": 4, "queue_delete": 2, "queue_pop": 6, "queue_add_unschedulable": 6,
    "queue_move_all": 5, "queue_flush_backoff": 2, "queue_flush_unschedulable": 2, "queue_run_due": 2,
    "scheduler_create": 2, "scheduler_deliver_pod": 5, "scheduler_deliver_node": 4, "scheduler_run_one": 3,
    "scheduler_settle": 3, "scheduler_run_until": 3,
    "first_fit": 4, "schedule": 4, "count_capacity": 4, "why_json": 3, "cel_compile": 2, "drain_nodes": 4, "cluster_edit": 4, "comparison_place": 4, "schedule_one": 4, "scheduling_bind": 3, "writer_queue_apply": 3,
    "run_pre_score_plugins": 4, "run_score_plugins": 4, "run_cycle": 6, "evaluator_assume": 6,
    "evaluator_forget": 5, "run_post_filter_plugins": 3,
    "run_reserve_plugins_reserve": 2, "run_permit_plugins": 2, "run_bind_plugins": 2,
    "memory_api_deliver": 3, "services_nominate": 2, "pod_parse": 3, "pod_copy": 3, "node_parse": 2,
    "registry_add": 3, "evaluator_create": 5,
    "catalog_add_pods": 4, "catalog_add_nodes": 4, "catalog_add_pod": 3, "catalog_add_node": 3, "sim_create": 2,
    "sim_reset": 3, "sim_add_nodes": 8, "sim_remove_node": 3, "sim_replace_node": 3, "sim_add_pods": 8,
    "sim_remove_pods": 4, "sim_put_objects": 3, "sim_reset_objects": 2, "sim_fork": 5, "sim_commit": 3, "sim_revert": 4, "sim_check": 8,
    "sim_first": 8, "sim_feasible": 6, "sim_check_many": 6, "sim_copies": 4, "sim_place_many": 8, "sim_bin_pack": 5, "sim_remove": 6,
}

# Handles that may be NULL, given or put out.
NULLABLE = {
    ("libsched_framework_create", "config"), ("libsched_framework_create", "registry"),
    ("libsched_config_describe_json", "config"), ("libsched_run_pre_filter_plugins", "result"),
    ("libsched_run_score_plugins", "table"), ("libsched_decision_gate", "status"),
    ("libsched_waiting_pod_decided", "status"), ("libsched_decision_post_filter", "status"),
    ("libsched_first_fit", "state"), ("libsched_evaluator_create", "cluster"),
    ("libsched_queue_add_unschedulable", "pod"),
    ("libsched_admit_objects", "report"), ("libsched_admit_pod", "report"),
    ("libsched_scheduler_deliver_pod", "before"), ("libsched_scheduler_deliver_pod", "after"),
    ("libsched_scheduler_deliver_node", "before"), ("libsched_scheduler_deliver_node", "after"),
    ("libsched_scheduler_deliver_object", "before"), ("libsched_scheduler_deliver_object", "after"),
}

# Arrays to which a failed call may write, as the header says.
SCRIBBLED = {("libsched_run_score_plugins", "totals")}

# Results of functions without an error for a bad handle, if not 0, false, NULL or empty.
NOTHING = {
    "libsched_view_find_node": "LIBSCHED_NO_ROW", "libsched_node_info_row": "LIBSCHED_NO_ROW",
    "libsched_decision_code": "LIBSCHED_CODE_ERROR", "libsched_node_statuses_code": "LIBSCHED_CODE_ERROR",
    "libsched_prefilter_result_all_nodes": "true", "libsched_sim_position": "SIZE_MAX",
}

# Dictionaries (Words in documents.hpp) of string parameters, by function and name or by name.
WORDS = {
    "libsched_pod_parse.document": "kPodDocument", "libsched_node_parse.document": "kNodeDocument",
    "libsched_objects_parse.document": "kObjectsDocument", "flat": "kFlat",
    "document": "kConfigDocument",
    "libsched_cluster_remove_node.name": "kNode", "libsched_view_find_node.name": "kNode", "nodes": "kNode",
    "libsched_sim_find_node.name": "kNode", "libsched_sim_remove_object.name": "kObject",
    "libsched_cluster_remove_pod.name": "kPod", "libsched_cluster_forget.name": "kPod",
    "libsched_view_find_pod.name": "kPod", "libsched_pod_copy.name": "kPod", "libsched_daemon_pod.name": "kPod",
    "libsched_node_copy.name": "kNode", "libsched_cluster_remove_object.name": "kObject",
    "libsched_changes_remove.name": "kObject",
    "libsched_view_pod_assumed.name": "kPod", "libsched_view_object_raw.name": "kObject", "libsched_view_objects_json.name": "kObject", "libsched_api_server_delete.name": "kObject",
    "libsched_api_server_bind.name": "kPod", "libsched_api_server_finish_pod.name": "kPod",
    "libsched_api_server_find_pod.name": "kPod", "libsched_api_server_find_node.name": "kNode", "libsched_registry_enable.name": "kPlugin",
    "node": "kNode", "node_name": "kNode", "namespace_": "kNamespace", "resource": "kResource",
    "key": "kKey", "value": "kKey", "effect": "kKey", "path": "kPath", "plugin": "kPlugin",
    "libsched_simulation_table.name": "kTable", "expression": "kExpression", "libsched_workload_add_trace.csv": "kTrace",
    "server_version": "kAny", "uid": "kUid", "point": "kPoint", "kind": "kKind", "profile": "kProfile", "reason": "kAny", "message": "kAny",
    "text": "kAny", "json": "kAny",
}

# What a number names (Ids in sim_model.hpp), by function and name or by name.
IDS = {
    "libsched_sim_pod_ref.pod": "kPod", "libsched_sim_pod_node.pod": "kPod",
    "pod": "kPodRef", "node": "kNode", "like": "kNodeRef", "ref": "kAnyRef",
}

LENGTHS = ("words", "capacity", "total_count", "count")
SCALARS = {"size_t", "uint32_t", "int32_t", "int64_t", "uint64_t", "bool", "libsched_code"}


class NoRule(ValueError):
    """A parameter that no argument class covers."""


def _bare(text):
    text = text.replace("LIBSCHED_OWN", "").replace("struct ", "")
    return re.sub(r"\s+", " ", text).strip()


class Call:
    """The C++ function that makes random arguments for one function, calls it and checks."""

    def __init__(self, symbol, kinds, owned, hooks):
        self.symbol, self.kinds, self.owned, self.hooks = symbol, kinds, owned, hooks
        self.lines, self.names, self.arguments, self.counted = [], [], [], False

    def _make(self, kind, name, *arguments):
        written = ", ".join(["t", '"' + name + '"', *arguments])
        self.lines.append(f"  {kind} {name}({written});")
        self.names.append(name)

    def _parameter(self, type_, name, following):
        """Makes the argument of one parameter; returns how many parameters it covers."""
        call = self.symbol.name
        const, base = type_.startswith("const "), type_.removeprefix("const ")
        length = following[0][1] if following else ""
        if base == "libsched_error **":
            self._make("Fault", name)
        elif base == "libsched_str":
            words = WORDS.get(f"{call}.{name}") or WORDS.get(name)
            if not words:
                raise NoRule(f"{call}: which strings is {name} made of? (WORDS)")
            self._make("String", name, f"Words::{words}")
        elif base == "const char *" or type_ == "const char *":
            self._make("CString", name)
        elif base == "uint64_t" and (names := IDS.get(f"{call}.{name}") or IDS.get(name)):
            self._make("Id", name, f"Ids::{names}")
        elif base in SCALARS:
            self._make(f"Number<{base}>", name)
        elif (found := re.fullmatch(r"libsched_(\w+) \*", base)) and found[1] in self.kinds:
            rules = ["kConst" if const else "kExclusive"]
            if (call, name) in NULLABLE:
                rules.append("kMayBeNull")
            release = call == f"libsched_{found[1]}_unref"
            if release:
                self._make(f"Released<libsched_{found[1]}>", name)
            else:
                self._make(f"In<{'const ' if const else ''}libsched_{found[1]}>", name, " | ".join(rules))
        elif (found := re.fullmatch(r"libsched_(\w+) \*\*", base)) and found[1] in self.owned:
            if length in LENGTHS:
                self._make(f"OwnedArray<libsched_{found[1]}>", name)
                self.arguments += [f"{name}.get()", f"{name}.length()"]
                return 2
            self._make(f"Out<libsched_{found[1]}>", name, *(["kMayBeNull"] if (call, name) in NULLABLE else []))
        elif found := re.fullmatch(r"const libsched_(\w+) \*const \*", type_):
            self._count()
            self._make(f"Handles<const libsched_{found[1]}>", name, "counted")
            return self._with_count(name, following)
        elif type_ == "const libsched_str *" and "count" in [n for _, n in following]:
            self._count()
            self._make("Strings", name, "counted", f"Words::{WORDS.get(name, 'kNode')}")
            return self._with_count(name, following)
        elif (found := re.fullmatch(r"(const )?(uint64_t|int64_t|libsched_permit_wait|libsched_reason_total|libsched_in_flight|libsched_nominated_pod|libsched_str) \*", type_)) \
                and length in LENGTHS:
            kept = "false" if (call, name) in SCRIBBLED else "true"
            self._make(f"Buffer<{found[1] or ''}{found[2]}>", name, kept)
            self.arguments += [f"{name}.get()", f"{name}.length()"]
            return 2
        elif found := re.fullmatch(r"const (libsched_\w+_options|libsched_nomination|libsched_queue_event|libsched_rejection|libsched_timing|libsched_api_fault|libsched_sim_query) \*", type_):
            self._make(f"Options<{found[1]}>", name)
        elif found := re.fullmatch(r"(libsched_cycle_outcome|libsched_nomination|libsched_fit|libsched_scheduling_outcome|libsched_queue_counts|"
                                  r"libsched_queued_pod_info|libsched_scheduler_state|libsched_placement|libsched_drained_pod|libsched_compared_pod) \*", type_):
            self._make(f"Filled<{found[1]}>", name)
        elif (found := re.fullmatch(r"(\w+) \*", type_)) and (
                found[1] in SCALARS or found[1] in ("libsched_str", "libsched_sim_hit", "libsched_sim_verdict")):
            self._make(f"Output<{found[1]}>", name)
        else:
            raise NoRule(f"{call}: no rule for `{type_}{name}`: write one in generate.py, or declare "
                         f"call_{call}() in special.hpp with the reason")
        self.arguments.append(f"{name}.get()")
        return 1

    def _changes(self):
        # These may succeed in part, request by request or message by message.
        if self.symbol.name in ("libsched_memory_api_deliver", "libsched_writer_queue_apply"):
            return "Changes::kPartly"
        return "Changes::kWhole" if self.symbol.name in CHANGES else "Changes::kNothing"

    def _count(self):
        if not self.counted:
            self.lines.append("  Count counted(t);")
            self.counted = True

    def _with_count(self, name, following):
        self.arguments.append(f"{name}.get()")
        if following and following[0][1] == "count":
            self.arguments.append("counted.get()")
            return 2
        return 1

    def text(self):
        symbol = self.symbol
        parameters = []
        for parameter in symbol.parameters:
            found = re.fullmatch(r"(.*?)(\w+)", _bare(parameter))
            if not found:
                raise NoRule(f"{symbol.name}: no rule for `{parameter}`")
            parameters.append((found[1].strip() if not found[1].endswith("*") else found[1], found[2]))
        at = 0
        while at < len(parameters):
            at += self._parameter(*parameters[at], parameters[at + 1:])
        makers = "".join(f", {name}" for name in self.names)
        result = _bare(symbol.result)
        call = f"{symbol.name}({', '.join(self.arguments)})"
        lines = [f"void call_{symbol.name}(Turn& t) {{", *self.lines,
                 f"  t.begin(\"{symbol.name}\", {self._changes()}{makers});"]
        named = "t, returned" if result != "void" else "t"
        if result == "void":
            lines += [f"  {call};", f"  t.end_silent({makers[2:]});"]
        elif result == "libsched_rc" and symbol.name != "libsched_error_code":
            lines += [f"  const libsched_rc returned = {call};", f"  t.end_fallible(returned{makers});"]
        else:
            nothing = f"decltype(returned)({NOTHING.get(symbol.name, '')})"
            own = "libsched_" in result and (symbol.name.endswith("_ref") or "LIBSCHED_OWN" in symbol.result)
            lines += [f"  const auto returned = {call};",
                      f"  t.end_value(returned, {nothing}{makers});"]
            if own:
                lines.append("  t.adopt(returned);")
        if symbol.name in self.hooks:
            lines.append(f"  after_{symbol.name}({named}{makers});")
        return "\n".join([*lines, "}"])


def hooks(file, prefix):
    return set(re.findall(rf"\b{prefix}_(libsched_\w+)\(", (HERE / file).read_text()))


def read():
    """The headers, all kinds of handles, and those that can be owned."""
    headers = model.read_all(ROOT / "capi" / "include")
    symbols = [symbol for header in headers for symbol in header.symbols]
    functions = {symbol.name for symbol in symbols if symbol.kind == "function"}
    kinds = [symbol.name.removeprefix("libsched_") for symbol in symbols if symbol.kind == "handle"]
    owned = [kind for kind in kinds if f"libsched_{kind}_unref" in functions]
    return headers, kinds, owned


def files():
    """{name: text} of the generated files."""
    headers, kinds, owned = read()
    special = hooks("special.hpp", "call")
    effects = hooks("effects.hpp", "after") | hooks("sim_effects.hpp", "after")
    lent = [kind for kind in kinds if kind not in owned]
    made = {"kinds.inc": "".join(
        f"#define {name}(X) {' '.join(f'X({kind})' for kind in list_)}\n"
        for name, list_ in (("FUZZ_OWNED_KINDS", owned), ("FUZZ_LENT_KINDS", lent)))}
    known, table = set(), []
    for header in headers:
        functions = [symbol for symbol in header.symbols if symbol.kind == "function"]
        parts = []
        for symbol in functions:
            known.add(symbol.name)
            weight = WEIGHTS.get(symbol.name.removeprefix("libsched_"), 1)
            table.append(f"  {{\"{symbol.name}\", call_{symbol.name}, {weight}}},\n")
            if symbol.name not in special:
                parts.append(Call(symbol, kinds, owned, effects).text())
        if functions:
            made[f"calls_{pathlib.Path(header.name).stem}.inc"] = "\n\n".join(parts) + "\n"
    mentioned = special | effects | CHANGES | set(NOTHING) | {name for name, _ in NULLABLE | SCRIBBLED} | {
        f"libsched_{name}" for name in WEIGHTS} | {key.split(".")[0] for key in (*WORDS, *IDS) if "." in key}
    if unknown := sorted(mentioned - known):
        raise NoRule(f"entries for functions that no header has: {', '.join(unknown)}")
    made["table.inc"] = "".join(table)
    made["declarations.inc"] = "".join(f"void call_{name}(Turn& t);\n" for name in sorted(known))
    return made


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        text = f"// Made by tests/fuzz/capi/generate.py.\n{text}"
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1])
