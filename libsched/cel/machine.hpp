// Machine: the state of one evaluation, and what operations on values need of it: memory, the
// device, the cost so far.
//
// Nothing is thrown. stop() ends the evaluation: every operation returns an error from then on, and
// no operator absorbs it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/cel/lib/regex.hpp"
#include "libsched/cel/memory.hpp"
#include "libsched/cel/value.hpp"

namespace libsched::cel {

inline constexpr Str kCostError = "operation cancelled: actual cost limit exceeded";
inline constexpr Str kNoOverload = "no such overload";

struct Slot {
  Value value;
  bool is_set = false;
  bool is_mutable = false;  // an empty list or map that upstream changes in place
};

class Machine {
 public:
  explicit Machine(Memory& memory) : memory_(memory) {}

  void start(const Device* device, const Options& options, uint32_t slot_count);

  Memory& memory() { return memory_; }
  const Device& device() const { return *device_; }
  const Dialect& dialect() const { return dialect_; }
  // Upstream's error of a device with an attribute that no expression can see; {} if there is none.
  // Called before the first value is read.
  std::string check_attributes();

  bool stopped() const { return stopped_; }
  Value stop(Str literal) {
    stopped_ = true;
    return stop_ = Value::error(literal);
  }
  Value stop_value() const { return stop_; }

  uint64_t cost() const { return cost_; }
  // Adds to the cost; false once it is over the limit.
  bool charge(uint64_t cost) {
    cost_ += cost;
    return cost_ <= limit_ || over();
  }
  // Work that upstream does not charge for, in about nanoseconds; false once it is too much.
  bool spend(uint64_t steps) {
    work_ += steps;
    return work_ <= kMostWork || over();
  }

  // Errors; the text is kept in memory. Each is a stop if it does not fit.
  Value fail(const std::string& text) {
    const Str kept = Str(text).substr(0, kMostErrorBytes);
    if (!memory_.fits(kept.size()) || !spend(text.size() / 4)) return stop(kCostError);
    return Value::error(memory_.copy(kept));
  }
  Value fail(Str a, Str b, Str c = {}) {
    return fail(std::string(a).append(b.substr(0, kMostErrorBytes)).append(c));
  }

  // Values of what functions return; each is a stop if it does not fit.
  Value text(ValueKind kind, Str s);
  Value string(Str s) { return text(ValueKind::kString, s); }
  List* new_list(size_t capacity);  // nullptr after stop()
  Value strings(const std::vector<Str>& parts);
  Value some(const Value& inner) { return Value::optional(memory_.make(inner)); }
  bool append(List* list, const Value& v);  // false after stop()

  // Maps. find() compares keys as upstream does: numbers of other types by their value.
  Map* new_map(size_t capacity);
  bool put(Map* map, const Value& key, const Value& value);  // replaces; false after stop()
  void erase(Map* map, const Value& key);
  const Value* find(const Map* map, const Value& key);
  const Value* find_exact(const Map* map, const Value& key);

  // Parts of the device. absent: the key is not there.
  std::optional<Value> look_up(const Value& map, const Value& key);
  // All of a device's map; nullptr after stop().
  Map* whole(const Value& map);

  // The compiled pattern; nullptr with the error, or after stop() with none.
  const Regex* regex(Str pattern, std::string* error);

  // One level of values within values; a list may contain itself. False after stop().
  bool enter() { return ++level_ <= kMostLevels || over(); }
  void leave() { --level_; }

  std::vector<Slot> slots;

 private:
  static constexpr uint64_t kMostWork = 12'000'000;
  static constexpr size_t kMostErrorBytes = 64 << 10;
  static constexpr uint32_t kMostLevels = 2000;

  bool over() {
    if (!stopped_) stop(kCostError);
    return false;
  }
  bool is_hashable(const Value& key);
  Value attribute(size_t i);
  Value capacity(size_t i);
  bool grow(Map* map);
  void index(Map* map);

  Memory& memory_;
  const Device* device_ = nullptr;
  Dialect dialect_;
  bool lists_ = false;
  bool stopped_ = false;
  Value stop_;
  uint64_t cost_ = 0;
  uint64_t limit_ = 0;
  uint64_t work_ = 0;
  uint32_t level_ = 0;
  Span<Semver> versions_;  // of the attributes that are one version, in their order
  std::optional<Regex> regex_;
  std::string pattern_;
};

// Upstream's comparison of two values: a bool or an error.
Value equal(Machine& m, const Value& a, const Value& b);
// Without the special rule for null at the top, as upstream's library functions compare.
Value equal_by_left(Machine& m, const Value& a, const Value& b);
// -1, 0, 1, or the error of values that cannot be ordered.
Value compare(Machine& m, const Value& a, const Value& b);

// size() of strings, bytes, lists, maps and addresses; -1 for other values.
int64_t size_of(Machine& m, const Value& v);

// As Go's %v prints it in error texts.
std::string go_text(Machine& m, const Value& v);
// The value with its type, for people and tests: `int(1)`, `"text"`, `[true]`.
std::string render(Machine& m, const Value& v);

}  // namespace libsched::cel
