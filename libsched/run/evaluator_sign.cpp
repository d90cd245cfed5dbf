// Evaluator: the signature of a pod, as Go's encoding/json writes upstream's map of its parts.
#include <map>

#include "libsched/base/quote.hpp"
#include "libsched/config/json_document.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

std::string Evaluator::sign_pod(const Pod& pod) const {
  if (!framework_->signs()) return {};
  const ReadOnlyScope scope(*this);
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
