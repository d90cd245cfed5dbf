// See runtime_class.hpp. The texts of errors are upstream's.
#include "libsched/scheduler/control_plane/runtime_class.hpp"

#include <algorithm>
#include <vector>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

bool equal(ResourceList a, ResourceList b) {
  return std::ranges::equal(a, b, [](const NamedQuantity& x, const NamedQuantity& y) {
    return x.name == y.name && x.quantity.compare(y.quantity) == 0;
  });
}

bool equal(const Toleration& a, const Toleration& b) {
  return a.key == b.key && a.value == b.value && a.op_text == b.op_text &&
         a.effect_text == b.effect_text && a.seconds == b.seconds;
}

// Whether `wide` tolerates all that `t` does.
bool covers(const Toleration& wide, const Toleration& t) {
  if (equal(wide, t)) return true;
  const bool exists = wide.op == TolerationOp::kExists;
  if (t.key != wide.key && !(wide.key.empty() && exists)) return false;
  if (t.effect_text != wide.effect_text && !wide.effect_text.empty()) return false;
  if (wide.effect == TaintEffect::kNoExecute && wide.seconds &&
      (!t.seconds || *t.seconds > *wide.seconds))
    return false;
  if (wide.op == TolerationOp::kEqual) return t.op_text == "Equal" && t.value == wide.value;
  return exists;
}

// "KEY=VALUE:EFFECT", as kubectl writes taints.
std::string toleration_text(const Toleration& t) {
  std::string out(t.key.empty() ? Str("all taints") : t.key);
  if (!t.value.empty()) out.append("=").append(t.value);
  if (!t.effect_text.empty()) out.append(":").append(t.effect_text);
  return out;
}

Toleration copied(const Toleration& t, Arena& arena) {
  Toleration out = t;
  out.key = arena.copy(t.key);
  out.value = arena.copy(t.value);
  out.op_text = arena.copy(t.op_text);
  out.effect_text = arena.copy(t.effect_text);
  return out;
}

std::string set_overhead(const RuntimeClass& cls, PodDraft* pod, std::vector<std::string>* said) {
  if (!cls.has_overhead) return {};
  const ResourceList there = pod->now().spec.overhead;
  if (equal(there, cls.overhead)) return {};
  if (!there.empty())
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  Pod& made = pod->change();
  std::vector<NamedQuantity> overhead;
  for (const NamedQuantity& item : cls.overhead)
    overhead.push_back({made.arena.copy(item.name), item.quantity});
  made.spec.overhead = made.arena.copy(overhead);
  said->push_back("overhead " + amounts_text(cls.overhead));
  return {};
}

std::string set_node_selector(const RuntimeClass& cls, PodDraft* pod,
                              std::vector<std::string>* said) {
  const Labels before = pod->now().spec.node_selector;
  std::vector<Label> all(before.begin(), before.end());
  std::string added;
  for (const Label& wanted : cls.node_selector) {
    const std::string key(wanted.key);
    const Label* const have = find_label(before, wanted.key);
    if (have != nullptr && have->value != wanted.value)
      return "conflict: runtimeClass.scheduling.nodeSelector[" + key +
             "] = " + std::string(wanted.value) + "; pod.spec.nodeSelector[" + key +
             "] = " + std::string(have->value);
    if (have != nullptr) continue;
    Arena& arena = pod->change().arena;
    all.push_back(make_label(arena.copy(wanted.key), arena.copy(wanted.value)));
    added += (added.empty() ? "nodeSelector " : ", ") + key + "=" + std::string(wanted.value);
  }
  if (added.empty()) return {};
  std::ranges::sort(all, {}, &Label::key);
  Pod& made = pod->change();
  made.spec.node_selector = made.arena.copy(all);
  made.spec.node_selector_present = true;
  said->push_back(added);
  return {};
}

void add_tolerations(const RuntimeClass& cls, PodDraft* pod, std::vector<std::string>* said) {
  if (cls.tolerations.empty()) return;
  const Span<Toleration> before = pod->now().spec.tolerations;
  std::vector<Toleration> merged = merged_tolerations(before, cls.tolerations);
  const bool same = std::ranges::equal(
      merged, before, [](const Toleration& a, const Toleration& b) { return equal(a, b); });
  if (same) return;
  std::vector<std::string> added;
  Pod& made = pod->change();
  for (Toleration& t : merged) {
    const bool old = std::ranges::any_of(before, [&](const Toleration& o) { return equal(o, t); });
    t = copied(t, made.arena);
    if (!old) added.push_back(toleration_text(t));
  }
  made.spec.tolerations = made.arena.copy(merged);
  if (!added.empty())
    said->push_back((added.size() == 1 ? "toleration " : "tolerations ") + joined(added));
}

}  // namespace

std::vector<Toleration> merged_tolerations(Span<Toleration> first, Span<Toleration> second) {
  std::vector<Toleration> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  std::vector<Toleration> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto needless = [&](const Toleration& wide) { return covers(wide, all[i]); };
    const auto wider = [&](const Toleration& wide) {
      return !equal(wide, all[i]) && covers(wide, all[i]);
    };
    if (std::ranges::any_of(merged, needless)) continue;
    if (std::any_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), wider)) continue;
    merged.push_back(all[i]);
  }
  return merged;
}

RuntimeClassOutcome apply_runtime_class(const RuntimeClass* cls, PodDraft* pod) {
  RuntimeClassOutcome out;
  const Str wanted = pod->now().spec.runtime_class;
  if (cls == nullptr && !wanted.empty()) {
    out.error = "pod rejected: RuntimeClass " + go_quote(wanted) + " not found";
    return out;
  }
  if (cls == nullptr || !cls->has_overhead) {
    if (!pod->now().spec.overhead.empty())
      out.error =
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    if (cls == nullptr) return out;
  }
  std::vector<std::string> said;
  std::string error = set_overhead(*cls, pod, &said);
  if (error.empty() && cls->has_scheduling) {
    error = set_node_selector(*cls, pod, &said);
    if (error.empty()) add_tolerations(*cls, pod, &said);
  }
  if (!said.empty()) out.note = "RuntimeClass " + std::string(wanted) + " adds " + joined(said);
  if (!error.empty()) out.error = std::move(error);
  return out;
}

}  // namespace libsched
