// PluginNames: numbers for the names of plugins, and sets of them.
//
// Upstream's queue keeps sets of names, so two plugins with the same name count as one plugin.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/bitmap.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

using PluginId = uint8_t;
inline constexpr PluginId kNoPlugin = UINT8_MAX;
inline constexpr size_t kMaxPluginNames = 128;

class RejectorSet {
 public:
  bool empty() const { return (words_[0] | words_[1]) == 0; }
  bool has(PluginId id) const { return (words_[id / 64] >> (id % 64) & 1) != 0; }
  void add(PluginId id) { words_[id / 64] |= uint64_t{1} << (id % 64); }
  bool meets(const RejectorSet& o) const {
    return ((words_[0] & o.words_[0]) | (words_[1] & o.words_[1])) != 0;
  }
  template <typename F>
  void for_each(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w)
      for_each_bit(words_[w], w * 64, [&](size_t id) { f(static_cast<PluginId>(id)); });
  }
  friend RejectorSet operator|(RejectorSet a, const RejectorSet& b) {
    a.words_[0] |= b.words_[0];
    a.words_[1] |= b.words_[1];
    return a;
  }
  friend bool operator==(const RejectorSet&, const RejectorSet&) = default;

 private:
  std::array<uint64_t, kMaxPluginNames / 64> words_{};
};

// Shared by a queue and its pods, including popped pods.
class PluginNames final : public RefCounted {
 public:
  // Errors: kLimit if the name is new and kMaxPluginNames names exist.
  Result<PluginId> id(Str name);
  PluginId find(Str name) const {  // kNoPlugin: it has no number
    const auto it = ids_.find(name);
    return it == ids_.end() ? kNoPlugin : it->second;
  }
  const std::string& name(PluginId id) const { return *names_[id]; }
  size_t size() const { return names_.size(); }

 private:
  std::map<std::string, PluginId, std::less<>> ids_;
  std::vector<const std::string*> names_;  // the keys of ids_
};

}  // namespace libsched
