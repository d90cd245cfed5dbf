// Evaluator: the signature of a pod, as Go's encoding/json writes upstream's map of its parts.
#include <map>

#include "libsched/base/quote.hpp"
#include "libsched/config/json_document.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

// Caches signatures by pod class, as long as no object of the cluster changes; foreign signers may
// read more than that and run each time. While the evaluator is busy other threads may call this.
std::string Evaluator::sign_pod(const Pod& pod) const {
  if (!framework_->signs()) return {};
  const ReadOnlyScope scope(*this);
  if (busy_) return sign(pod);
  for (const uint32_t i : framework_->signers())
    if (framework_->plugins()[i].plugin->foreign()) return sign(pod);
  const ChangeLog& log = view().log();
  ChangeKinds changed = 0;
  if (!log.for_each_since(signed_at_, [&](uint32_t, ChangeKinds kinds) { changed |= kinds; }) ||
      (changed & kObjectChanges) != 0)
    signatures_.clear();
  signed_at_ = log.cursor();
  std::string of = pod_class(pod);
  if (const std::string* known = signatures_.find(of); known != nullptr) return *known;
  std::string out = sign(pod);
  signatures_.put(std::move(of), out, out.size());
  return out;
}

std::string Evaluator::sign(const Pod& pod) const {
  std::map<std::string, std::string> parts;
  parts["v1.Pod.Spec.SchedulerName"] = json_quote(pod.spec.scheduler_name);
  for (const uint32_t i : framework_->signers()) {
    std::vector<SignFragment> fragments;
    if (!framework_->plugins()[i].plugin->sign(view(), pod, &fragments).success()) return {};
    for (SignFragment& f : fragments) parts[std::move(f.key)] = std::move(f.json);
  }
  std::string out = "{";
  for (const auto& [key, json] : parts) {
    if (!parse_json_document(json).ok()) return {};
    if (out.size() > 1) out += ',';
    out += json_quote(key) + ':' + compact_json(json);
  }
  return out + "}";
}

}  // namespace libsched
