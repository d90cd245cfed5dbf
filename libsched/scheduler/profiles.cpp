// Profiles: selection, and the check of which evaluators may be combined.
#include "libsched/scheduler/profiles.hpp"

#include "libsched/base/quote.hpp"

namespace libsched {

Result<void> check_profiles(Span<Evaluator*> profiles) {
  const auto misuse = [](std::string text) { return Error{Rc::kMisuse, std::move(text)}; };
  if (profiles.empty()) return misuse("no evaluator is given: pods are placed by at least one");
  for (size_t i = 0; i < profiles.size(); ++i) {
    const Cluster* const cluster = profiles[i]->cluster();
    if (cluster == nullptr)
      return Error{Rc::kState, "a snapshot takes no pods: use evaluators of a cluster"};
    if (cluster != profiles[0]->cluster())
      return misuse("the evaluators stand on different clusters");
    const std::string& name = profiles[i]->framework().profile();
    for (size_t k = 0; k < i; ++k)
      if (profiles[k]->framework().profile() == name)
        return misuse("two evaluators have the profile " + go_quote(name));
  }
  return {};
}

Evaluator* profile_of(Span<Evaluator*> profiles, const Pod& pod, Str other) {
  const auto named = [&](Str profile) -> Evaluator* {
    for (Evaluator* e : profiles)
      if (e->framework().profile() == profile) return e;
    return nullptr;
  };
  if (Evaluator* found = named(pod.spec.scheduler_name); found != nullptr) return found;
  return named(other);
}

std::string no_profile_error(const Pod& pod) {
  return "there is no profile " + go_quote(std::string(pod.spec.scheduler_name));
}

}  // namespace libsched
