// The class of a pod: everything of it that filters, scores and signatures read, as bytes.
//
// Pods of one class get the same verdicts, raw scores and signature for the same state of a
// cluster. Replicas of one template are of one class; a name or uid is a part only where volumes
// or devices are claimed by it. Classes are compared by content.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "libsched/objects/pod.hpp"

namespace libsched {

std::string pod_class(const Pod& pod);
// The same in `room`, whose text is replaced and whose memory is used again.
Str pod_class(const Pod& pod, std::string* room);
// The class as far as filters alone read it: without the volumes that no plugin looks into, such as
// projected ones, and without the spelling of the others. Replaces *out. `placed`: also without
// spec.nodeName and status.nominatedNodeName.
void filtered_pod_class(const Pod& pod, bool placed, std::string* out);

// Whether name and uid are a part: of pods with ephemeral volumes or ResourceClaims, also one for
// extended resources.
bool name_is_read(const Pod& pod);

// What is kept about classes, in a bounded amount of memory: beyond the limit all is forgotten.
template <typename T>
class PodClassMap {
 public:
  explicit PodClassMap(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null: nothing is kept about this class.
  T* find(Str pod_class) {
    const auto found = kept_.find(pod_class);
    return found == kept_.end() ? nullptr : &found->second;
  }
  // `bytes`: what the value takes beside its size.
  void put(std::string pod_class, T value, size_t bytes) {
    constexpr size_t kEntry = 96;  // of the table and of the allocations
    bytes += pod_class.size() + sizeof(T) + kEntry;
    if (bytes_ + bytes > max_bytes_) clear();
    if (bytes > max_bytes_) return;
    kept_.insert_or_assign(std::move(pod_class), std::move(value));
    bytes_ += bytes;
  }
  void clear() {
    kept_.clear();
    bytes_ = 0;
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(Str s) const { return static_cast<size_t>(hash_str(s)); }
  };

  std::unordered_map<std::string, T, Hash, std::equal_to<>> kept_;
  size_t max_bytes_, bytes_ = 0;
};

}  // namespace libsched
