// Foreign plugins at the extension points that see only a pod: QueueSort, PreEnqueue, SignPod.
#include "foreign_plugin.hpp"

namespace libsched::capi {

bool ForeignPlugin::less(const QueuedPod& a, const QueuedPod& b) const {
  [[maybe_unused]] const SilentCall asked(*r_);
  return slots().less(self(), wrap(&a.pod), a.timestamp_ns, wrap(&b.pod), b.timestamp_ns);
}

Status ForeignPlugin::pre_enqueue(const Call&, const Pod& pod) const {
  SlotCall asked(*r_);
  return asked.finish(slots().pre_enqueue(self(), wrap(&pod), asked.status()));
}

Status ForeignPlugin::sign(const View&, const Pod& pod,
                           std::vector<SignFragment>* fragments) const {
  SlotCall asked(*r_);
  const Lent<Signature> signature(fragments);
  Status status =
      asked.finish(slots().sign(self(), wrap(&pod), wrap(signature.get()), asked.status()));
  if (signature->out_of_memory)
    throw std::bad_alloc();  // a part is missing: not "cannot be signed"
  return status;
}

}  // namespace libsched::capi

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

extern "C" {

void libsched_signature_add(libsched_signature* signature, libsched_str key, libsched_str json) {
  if (!live(signature)) return;
  if (!quietly(false, [&] {
        unwrap(signature)->fragments->push_back({std::string(in(key)), std::string(in(json))});
        return true;
      }))
    unwrap(signature)->out_of_memory = true;
}

}  // extern "C"
