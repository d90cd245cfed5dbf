// Extenders: upstream's order of the questions, its texts, and what errors lead to.
#include "libsched/framework/extender.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/base/wrapping.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/framework/log.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched {
namespace {

constexpr int64_t kMaxExtenderPriority = 10;

bool has_any(const std::vector<std::string>& managed, const ResourceList& list) {
  return std::any_of(list.begin(), list.end(), [&](const auto& entry) {
    return std::find(managed.begin(), managed.end(), entry.name) != managed.end();
  });
}

Error needs_document(const Extender& extender, const char* kind, const ObjectMeta& meta) {
  return {Rc::kState, "extender " + go_quote(extender.traits().name) +
                          " gets the document of the " + kind + " " + go_quote(meta.name) +
                          ", which was parsed without keep_raw"};
}

// What ends a call of the library, and is no answer of an extender.
bool of_library(const Error& error) { return error.rc == Rc::kNoMemory || error.rc == Rc::kMisuse; }

}  // namespace

bool Extender::interested(const Pod& pod) const {
  const std::vector<std::string>& managed = traits_.managed_resources;
  if (managed.empty()) return true;
  const auto wants = [&](const Container& c) {
    return has_any(managed, c.requests) || has_any(managed, c.limits);
  };
  return std::any_of(pod.spec.containers.begin(), pod.spec.containers.end(), wants) ||
         std::any_of(pod.spec.init_containers.begin(), pod.spec.init_containers.end(), wants);
}

void ExtenderPass::log_skipped(const Services& services, const std::vector<IgnoredError>& ignored) {
  for (const IgnoredError& error : ignored)
    log_of(services).info(0, "Skipping extender as it returned error and has ignorable flag set",
                          {{"extender", error.extender->traits().name}, {"err", error.message}});
}

void ExtenderPass::log_unscored(const Services& services,
                                const std::vector<IgnoredError>& ignored) const {
  for (const IgnoredError& error : ignored)
    log_of(services).info(
        5, "Failed to run extender's priority function. No score given by this extender.",
        {{"error", error.message},
         {"pod", pod_.meta},
         {"extender", error.extender->traits().name}});
}

Result<void> ExtenderPass::may_ask(const Extender& extender, const ExtendedNodes* nodes) const {
  if (extender.traits().reads_pods && pod_.raw.empty())
    return needs_document(extender, "pod", pod_.meta);
  if (nodes == nullptr || !extender.traits().reads_nodes) return {};
  for (size_t i = 0; i < nodes->rows.size(); ++i)
    if (const Node* node = nodes->node(view_, i); node->raw.empty())
      return needs_document(extender, "node", node->meta);
  return {};
}

Result<Status> ExtenderPass::filter(ExtendedNodes* nodes, ExtenderVerdicts* verdicts) const {
  const size_t before = nodes->rows.size();
  for (const ExtenderRef& extender : framework_.extenders()) {
    if (nodes->rows.empty()) break;
    if (!extender->interested(pod_) || !extender->traits().filters) continue;
    LIBSCHED_TRY(may_ask(*extender, nodes));
    std::vector<const Node*> asked;
    for (size_t i = 0; i < nodes->rows.size(); ++i) asked.push_back(nodes->node(view_, i));
    Result<Extender::FilterAnswer> answer = extender->filter(pod_, asked);
    if (!answer.ok()) {
      if (of_library(answer.error())) return std::move(answer.error());
      if (!extender->traits().ignorable) return Status::from_error(answer.error().message);
      verdicts->ignored.push_back({extender.get(), answer.error().message});
      continue;
    }
    const auto say = [&](const std::string& name, Code code, const std::string& message) {
      Status status(code, message);
      if (const uint32_t row = view_.find_node(name); row != kNoId)
        verdicts->statuses.set(row, std::move(status));
      else
        verdicts->unknown[name] = std::move(status);
    };
    for (const auto& [name, message] : answer->failed) say(name, Code::kUnschedulable, message);
    for (const auto& [name, message] : answer->unresolvable)
      say(name, Code::kUnschedulableAndUnresolvable, message);
    ExtendedNodes left;
    const bool any_object =
        !nodes->objects.empty() || std::any_of(answer->kept.begin(), answer->kept.end(),
                                               [](const auto& kept) { return bool(kept.object); });
    std::vector<bool> taken(nodes->rows.size());
    for (Extender::Kept& kept : answer->kept) {
      if (kept.index >= taken.size() || taken[kept.index]) continue;
      taken[kept.index] = true;
      left.rows.push_back(nodes->rows[kept.index]);
      if (!any_object) continue;
      if (!kept.object && !nodes->objects.empty()) kept.object = nodes->objects[kept.index];
      left.objects.push_back(std::move(kept.object));
    }
    *nodes = std::move(left);
  }
  verdicts->narrowed = verdicts->narrowed || nodes->rows.size() != before;
  return Status();
}

Result<std::vector<ExtenderScores>> ExtenderPass::prioritize(
    const ExtendedNodes& nodes, std::vector<IgnoredError>* ignored) const {
  std::vector<ExtenderScores> out;
  std::vector<const Node*> asked;
  std::map<Str, size_t> index;
  for (size_t i = 0; i < nodes.rows.size(); ++i) {
    asked.push_back(nodes.node(view_, i));
    index.emplace(asked.back()->meta.name, i);
  }
  for (const ExtenderRef& extender : framework_.extenders()) {
    if (!extender->interested(pod_)) continue;
    ExtenderScores scores{extender.get(), std::vector<int64_t>(asked.size()),
                          std::vector<bool>(asked.size())};
    if (!extender->traits().prioritizes) {  // upstream scores all nodes with nothing
      scores.scored.assign(asked.size(), true);
      out.push_back(std::move(scores));
      continue;
    }
    LIBSCHED_TRY(may_ask(*extender, &nodes));
    Result<std::vector<Extender::Score>> answer = extender->prioritize(pod_, asked);
    if (!answer.ok()) {
      if (of_library(answer.error())) return std::move(answer.error());
      ignored->push_back({extender.get(), answer.error().message});
      continue;
    }
    scores.factor = wrapping_mul(extender->traits().weight, kMaxNodeScore / kMaxExtenderPriority);
    for (const Extender::Score& s : *answer) {
      const auto it = index.find(s.node);
      if (it == index.end()) continue;
      scores.scored[it->second] = true;
      scores.raw[it->second] = wrapping_add(scores.raw[it->second], s.score);
    }
    out.push_back(std::move(scores));
  }
  return out;
}

// Turns the uids of victims in an extender's answer into pods of the view.
Result<Extender::Candidates> ExtenderPass::resolve(
    const Extender& extender, const std::vector<Extender::Victims>& victims) const {
  Extender::Candidates out;
  for (const Extender::Victims& v : victims) {
    const uint32_t row = view_.find_node(v.node);
    if (row == kNoId)
      return Error{Rc::kNotFound, "nodeinfo not found for node name " + go_quote(v.node)};
    PreemptionReport::Candidate& candidate = out.emplace_back();
    candidate.node = v.node;
    candidate.budget_violations = v.budget_violations;
    for (const std::string& uid : v.uids) {
      const auto& slots = view_.row(row).pods;
      const auto there = std::find_if(slots.begin(), slots.end(), [&](uint32_t slot) {
        return view_.slot(slot).pod->meta.uid == uid;
      });
      if (there == slots.end())
        return Error{Rc::kNotFound,
                     "extender: " + extender.traits().name + " claims to preempt pod (UID: &{" +
                         uid + "}) on node: " + v.node + ", but the pod is not found on that node"};
      candidate.victims.push_back(PodRef::share(&view_.as_bound(*view_.slot(*there).pod)));
    }
  }
  return out;
}

Result<Status> ExtenderPass::process_preemption(Extender::Candidates* candidates,
                                                std::vector<IgnoredError>* ignored) const {
  if (candidates->empty()) return Status();
  for (const ExtenderRef& extender : framework_.extenders()) {
    const bool ignorable = extender->traits().ignorable;
    if (!extender->traits().preempts || !extender->interested(pod_)) continue;
    LIBSCHED_TRY(may_ask(*extender, nullptr));
    if (extender->traits().reads_nodes)
      for (const PreemptionReport::Candidate& c : *candidates)
        for (const PodRef& victim : c.victims)
          if (victim->raw.empty()) return needs_document(*extender, "pod", victim->meta);
    const Result<std::vector<Extender::Victims>> answer =
        extender->process_preemption(pod_, *candidates);
    if (!answer.ok() && of_library(answer.error())) return answer.error();
    Result<Extender::Candidates> left =
        answer.ok() ? resolve(*extender, *answer) : Result<Extender::Candidates>(answer.error());
    if (!left.ok()) {
      if (!ignorable) return Status::from_error(left.error().message);
      ignored->push_back({extender.get(), left.error().message});
      continue;
    }
    for (const PreemptionReport::Candidate& c : *left)
      if (c.victims.empty() && !ignorable)
        return Status::from_error("expected at least one victim pod on node " + go_quote(c.node));
    std::erase_if(*left, [](const auto& c) { return c.victims.empty(); });
    *candidates = std::move(*left);
    if (candidates->empty()) break;
  }
  return Status();
}

}  // namespace libsched
