// See change_node.hpp.
#include "libsched/scheduler/what_if/change_node.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/objects/selector.hpp"
#include "libsched/scheduler/changed_node.hpp"
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"
#include "libsched/scheduler/what_if/edit.hpp"

namespace libsched {
namespace {

struct Effect {
  Str text;
  TaintEffect effect;
};
constexpr Effect kEffects[] = {{"NoSchedule", TaintEffect::kNoSchedule},
                               {"PreferNoSchedule", TaintEffect::kPreferNoSchedule},
                               {"NoExecute", TaintEffect::kNoExecute}};

Result<void> first_of(const std::vector<std::string>& errors, Str of) {
  if (errors.empty()) return {};
  return wrong_edit(go_quote(of) + ": " + errors.front());
}

Result<void> set_effect(Taint* taint, Str text) {
  NearName near(text);
  for (const Effect& e : kEffects) {
    near.offer(e.text);
    if (e.text != text) continue;
    taint->effect = e.effect;
    taint->effect_text = e.text;
    return {};
  }
  return wrong_edit(go_quote(text) + " is no effect: NoSchedule, PreferNoSchedule or NoExecute" +
                    near.hint());
}

bool is_of(const Taint& have, const Taint& wanted) {
  return have.key == wanted.key &&
         (wanted.effect == TaintEffect::kNone || have.effect == wanted.effect);
}

}  // namespace

Result<Taint> parse_taint(Str text, bool remove) {
  Taint taint;
  const size_t colon = text.find(':');
  const Str pair = text.substr(0, colon);
  const size_t equals = pair.find('=');
  taint.key = pair.substr(0, equals);
  if (equals != Str::npos) taint.value = pair.substr(equals + 1);
  LIBSCHED_TRY(first_of(qualified_name_errors(taint.key), taint.key));
  LIBSCHED_TRY(first_of(label_value_errors(taint.value), taint.value));
  if (colon != Str::npos) {
    LIBSCHED_TRY(set_effect(&taint, text.substr(colon + 1)));
  } else if (!remove) {
    return wrong_edit("the taint " + go_quote(text) + " has no effect: KEY=VALUE:EFFECT");
  }
  const TaintEffect effect =
      taint.effect == TaintEffect::kNone ? TaintEffect::kNoSchedule : taint.effect;
  if (follows_cordon(taint.key, effect))
    return wrong_edit("the node lifecycle controller makes the taint " + std::string(taint.key) +
                      ":NoSchedule follow spec.unschedulable; use cordon and uncordon");
  return taint;
}

NodeRef with_taint(const Node& node, const Taint& taint) {
  return changed_node(node, [&](Node& copy) {
    Arena& arena = copy.arena;
    std::vector<Taint> taints = {
        {arena.copy(taint.key), arena.copy(taint.value), taint.effect, taint.effect_text}};
    for (const Taint& have : node.taints)
      if (!is_of(have, taint)) taints.push_back(have);
    copy.taints = arena.copy(taints);
  });
}

NodeRef without_taint(const Node& node, const Taint& taint) {
  std::vector<Taint> taints;
  for (const Taint& have : node.taints)
    if (!is_of(have, taint)) taints.push_back(have);
  if (taints.size() == node.taints.size()) return {};
  return changed_node(node, [&](Node& copy) { copy.taints = copy.arena.copy(taints); });
}

Result<void> check_label(Str key, std::optional<Str> value) {
  LIBSCHED_TRY(first_of(qualified_name_errors(key), key));
  return value ? first_of(label_value_errors(*value), *value) : Result<void>();
}

NodeRef with_label(const Node& node, Str key, std::optional<Str> value) {
  if (!value && find_label(node.meta.labels, key) == nullptr) return {};
  return changed_node(node, [&](Node& copy) {
    std::vector<Label> labels(copy.meta.labels.begin(), copy.meta.labels.end());
    std::erase_if(labels, [&](const Label& l) { return l.key == key; });
    if (value) {
      const auto at = std::ranges::lower_bound(labels, key, {}, &Label::key);
      labels.insert(at, make_label(copy.arena.copy(key), copy.arena.copy(*value)));
    }
    copy.meta.labels = copy.arena.copy(labels);
  });
}

}  // namespace libsched
