// Facts: the numbers, names and labels behind the reasons of a status, as named fields.
//
// Plugins make them beside their statuses, from the same data, only when a decision is asked for
// them; no text is parsed. docs/facts.md lists the fields of each plugin.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

// A fact behind one reason of a status. A reason may have several facts, such as one for each
// taint that is not tolerated.
struct Fact {
  // The alternatives are in the order of LIBSCHED_FACT_*.
  using Value = std::variant<int64_t, bool, std::string, std::vector<std::string>>;
  struct Field {
    const char* name;  // a literal
    Value value;
    bool operator==(const Field& o) const { return Str(name) == o.name && value == o.value; }
  };

  std::string reason;  // as the status has it
  std::vector<Field> fields;

  Fact& number(const char* name, int64_t value);
  Fact& flag(const char* name, bool value);
  Fact& text(const char* name, Str value);
  // "namespace/name", or the name of what has no namespace.
  Fact& key(const char* name, Str ns, Str of);
  // The pod that is in the way: "pod", and "terminating" if it is being deleted.
  Fact& pod(const ObjectMeta& meta);
  Fact& texts(const char* name, Span<Str> values);
  bool operator==(const Fact&) const = default;
};

class Facts {
 public:
  // The reference is valid until the next call.
  Fact& add(Str reason);
  Fact& add(const Fact& begun);
  const std::vector<Fact>& list() const { return list_; }
  bool empty() const { return list_.empty(); }
  bool operator==(const Facts&) const = default;

 private:
  std::vector<Fact> list_;
};

}  // namespace libsched
