// Device selectors in the Common Expression Language, as Kubernetes compiles and evaluates them.
//
// An expression is compiled once into an immutable Program, which any number of threads may share,
// and is evaluated on devices. A Scratch belongs to one thread at a time and is reused from call to
// call. Texts of errors, costs and the limit on cost are upstream's. No input makes the evaluation
// recurse or allocate without bound: an expression has at most 100,000 code points and 250 levels,
// an evaluation ends at the limit on cost, and at 16 MiB of values with the same error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/quantity.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cel/dialect.hpp"

namespace libsched::cel {

inline constexpr uint64_t kCostLimit = 1'000'000;

// One attribute of a device. `name` is qualified ("gpu.example.com/model") or belongs to the
// driver's domain.
struct Attribute {
  enum class Kind : uint8_t {
    kNone,  // a value that this version does not know: every selector fails
    kInt,
    kBool,
    kString,
    kVersion,
    kInts,
    kBools,
    kStrings,
    kVersions,
  };
  Str name;
  Kind kind = Kind::kNone;
  int64_t number = 0;     // kInt; kBool: 0 or 1
  Str text;               // kString, kVersion
  Span<int64_t> numbers;  // kInts; kBools: 0 or 1 each
  Span<Str> texts;        // kStrings, kVersions
};

struct Capacity {
  Str name;
  Quantity value;
  Str written;  // the text that `value` was parsed from, which decides how it is printed; may be ""
};

// A view of a device. Names are distinct; upstream picks one at random where `x` and `<driver>/x`
// both stand.
struct Device {
  Str driver;
  bool allow_multiple_allocations = false;
  Span<Attribute> attributes;
  Span<Capacity> capacity;
};

struct Options {
  uint64_t cost_limit = kCostLimit;
  // Feature gate DRAListTypeAttributes: attributes may be lists, and have type dyn.
  bool list_attributes = false;
  // Takes results of any type; match() still wants a bool.
  bool any_result = false;
  Dialect dialect;

  bool takes_lists() const { return list_attributes || dialect.cel_go_29; }
};

// The memory of evaluations, for one thread at a time.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

enum class Match : uint8_t { kNo, kYes, kError };

struct MatchResult {
  Match match = Match::kNo;
  uint64_t cost = 0;
  std::string error;  // of kError, upstream's text
};

// What evaluate() tells: the value as a text with its type (`int(1)`, `"text"`, `[true]`), or an
// error.
struct Evaluation {
  bool ok = false;
  uint64_t cost = 0;
  std::string value;
  std::string error;
  MatchResult match;  // what match() says
};

class Program : public RefCounted {
 public:
  // Allocates nothing unless the expression builds strings, lists or maps, or fails. An error is
  // the caller's to report when the device's turn comes: upstream evaluates devices lazily.
  virtual MatchResult match(const Device& device, Scratch& scratch) const = 0;
  virtual Evaluation evaluate(const Device& device, Scratch& scratch) const = 0;
  // The name of the type that the checker found, such as `bool`, `any` or `list(int)`.
  virtual const std::string& type() const = 0;
};

// The program of an expression. Errors: INVALID with upstream's text, such as
// "compilation failed: ERROR: <input>:1:1: ...".
Result<Ref<const Program>> compile(Str expression, const Options& options = {});

// Programs by their text, compiled once. Thread-safe; failures are remembered as well. Entries
// live as long as the object.
class Programs {
 public:
  explicit Programs(const Options& options = {});
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  Result<Ref<const Program>> get(Str expression);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace libsched::cel
