// The handles of a run: handles with references of the program, by kind, and handles released
// recently. A handle that is an argument of a call is pinned, so that slots do not release it
// meanwhile.
#pragma once

#include <libsched.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "choices.hpp"
#include "kinds.inc"

namespace fuzz {

enum class Kind : uint8_t {
#define FUZZ_KIND(name) name,
  FUZZ_OWNED_KINDS(FUZZ_KIND) kOwned,
  FUZZ_LENT_KINDS(FUZZ_KIND) kEnd
#undef FUZZ_KIND
};
constexpr size_t kOwnedKinds = static_cast<size_t>(Kind::kOwned);
#define FUZZ_KIND_OF(name) \
  constexpr Kind kind_of(const libsched_##name*) { return Kind::name; }
FUZZ_OWNED_KINDS(FUZZ_KIND_OF)
FUZZ_LENT_KINDS(FUZZ_KIND_OF)
#undef FUZZ_KIND_OF
const char* name_of(Kind kind);

struct Entry {
  void* handle = nullptr;
  Kind kind = Kind::text;
  uint32_t number = 0;         // for the log: "pod#7"
  uint32_t refs = 1;           // references of the program
  uint32_t refs_of_slots = 0;  // those among them that slots took
  uint32_t pins = 0;
  std::string content;  // of an immutable object
};

class Pools {
 public:
  // Notes a new reference; `in_slot` if a plugin's slot took it.
  Entry& adopt(Kind kind, void* handle, bool in_slot);
  // Releases one of its references. The contents of the object must not have changed.
  void release(Entry& entry, bool in_slot);
  void release_all(Choices& choose);

  Entry* find(const void* handle);
  // A handle that calls may use; pinned ones only if `shared`.
  Entry* any(Choices& choose, Kind kind, bool shared);
  // A handle whose reference may be released now.
  Entry* releasable(Choices& choose, Kind kind, bool in_slot);
  // A live handle of any kind but this one.
  void* wrong(Choices& choose, Kind kind);
  // A released handle of this kind, or a handle lent to a slot; null if none exists.
  void* stale(Choices& choose, Kind kind);
  void note_stale(Kind kind, void* handle);
  size_t count(Kind kind) const { return live_[static_cast<size_t>(kind)].size(); }

  // The handles lent to running slots.
  struct Lent {
    Kind kind;
    void* handle;
    bool is_const;
  };
  std::vector<Lent> lent;

 private:
  struct Stale {
    Kind kind;
    void* handle;
  };
  void forget(Entry& entry);

  std::array<std::vector<std::unique_ptr<Entry>>, kOwnedKinds> live_;
  std::array<void*, kOwnedKinds> focus_{};  // the handle that most calls of the kind use
  std::unordered_map<const void*, Entry*> by_handle_;
  std::deque<Stale> stale_;
  uint32_t next_number_ = 1;
};

// The contents of an immutable object through the API, as one text; empty for other kinds.
std::string content_of(Kind kind, const void* handle);
// Releases a reference by the function of the kind.
void unref(Kind kind, void* handle);

}  // namespace fuzz
