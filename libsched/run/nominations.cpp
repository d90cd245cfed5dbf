// Nominations: the cluster's and the services'.
#include "libsched/run/nominations.hpp"

namespace libsched {
namespace {

bool must_yield_to(const Pod& pod, const Pod& nominated) {
  return nominated.priority() >= pod.priority() && !same_pod(nominated, pod);
}

// A pod of a file may be one of the cluster without its uid.
bool same_name(const Pod& a, const Pod& b) {
  return a.meta.name == b.meta.name && a.meta.ns == b.meta.ns;
}

}  // namespace

// Whether a pod of the cluster is in the queue of the framework's scheduler, as far as its document
// tells. Upstream up to 1.36 nominates no pod that is gated; it has no pods of other schedulers,
// and pops one that is being deleted for good; what such a pod asks for is unknown then.
bool Nominations::counts(const Pod& listed) const {
  return (listed.spec.scheduling_gates.empty() || framework_.behaviours().nominates_added) &&
         !listed.meta.terminating() && framework_.schedules(listed.spec.scheduler_name) &&
         !services_.nominator().has(listed);
}

std::vector<PodRef> Nominations::listed_on(Str node) const {
  std::vector<PodRef> out;
  if (view_.nominated().empty() || all_are_known()) return out;
  for (const PodRef& p : view_.nominated().on(node))
    if (counts(*p)) out.push_back(p);
  return out;
}

std::vector<PodRef> Nominations::on(Str node, const Pod& pod) const {
  std::vector<PodRef> out = listed_on(node);
  std::erase_if(out,
                [&](const PodRef& p) { return !must_yield_to(pod, *p) || same_name(*p, pod); });
  for (const PodRef& p : services_.nominator().on(node))
    if (must_yield_to(pod, *p)) out.push_back(p);
  return out;
}

bool Nominations::mark(const Pod& pod, std::vector<uint64_t>* rows) const {
  bool any = false;
  const auto set = [&](Str node) {
    const uint32_t r = view_.find_node(node);
    if (r == kNoId) return;
    if (!any) rows->assign(view_.word_count(), 0);
    any = true;
    (*rows)[r / 64] |= uint64_t{1} << (r % 64);
  };
  if (!all_are_known())
    for (const PodRef& p : view_.nominated().all())
      if (must_yield_to(pod, *p) && !same_name(*p, pod) && counts(*p))
        set(p->status.nominated_node_name);
  for (const auto& [node, pods] : services_.nominator().all())
    for (const PodRef& p : pods)
      if (must_yield_to(pod, *p)) {
        set(node);
        break;
      }
  return any;
}

void add_nominated_facts(const std::vector<PodRef>& pods, Str node, const Status& status,
                         Facts* facts) {
  for (const PodRef& p : pods) {
    const Resources& asked = p->requests;
    std::vector<std::string> amounts;
    const auto add = [&](Str name, int64_t amount) {
      if (amount != 0) amounts.push_back(std::string(name) + "=" + std::to_string(amount));
    };
    add("cpu", asked.milli_cpu);
    add("memory", asked.memory);
    add("ephemeral-storage", asked.ephemeral_storage);
    for (const ScalarAmount& s : asked.scalars) add(s.name, s.value);
    const std::vector<Str> reserves(amounts.begin(), amounts.end());
    facts->add(status.reasons.empty() ? Str() : Str(status.reasons.front()))
        .key("nominatedPod", p->meta.ns, p->meta.name)
        .number("priority", p->priority())
        .text("nominatedNode", node)
        .texts("reserves", reserves);
  }
}

}  // namespace libsched
