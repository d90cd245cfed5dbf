// Functions: which implementation an overload has, and how upstream finds it at run time.
#pragma once

#include <cstdint>

#include "libsched/base/arena.hpp"
#include "libsched/cel/machine.hpp"
#include "libsched/cel/overloads.hpp"

namespace libsched::cel {

// A call in progress. Arguments are no errors.
struct Call {
  Machine& m;
  Span<Value> args;
  const Regex* regex = nullptr;  // the constant pattern, if there is one
  Str function;

  const Value& operator[](size_t i) const { return args[i]; }
  Str text(size_t i) const { return args[i].text(); }
};

using Implementation = Value (*)(const Call& call);

// Operations that a type has, which decide whether a function for all types takes its values.
enum Trait : uint16_t {
  kAnything = 0,
  kAdder = 1,
  kComparer = 2,
  kContainer = 4,
  kDivider = 8,
  kIndexer = 16,
  kIterable = 32,
  kMatcher = 64,
  kModder = 128,
  kMultiplier = 256,
  kNegator = 512,
  kReceiver = 1024,
  kSizer = 2048,
  kSubtractor = 4096,
  kLister = kAdder | kContainer | kIndexer | kIterable | kSizer,
};

// How upstream has bound an implementation, which decides what is evaluated after an error.
enum class Arity : uint8_t { kUnary, kBinary, kAny };

struct Bound {
  Implementation run = nullptr;
  Arity arity = Arity::kUnary;
  bool is_guarded = true;  // types of arguments are checked
};

constexpr Bound unary(Implementation run) { return {run, Arity::kUnary, true}; }
constexpr Bound binary(Implementation run) { return {run, Arity::kBinary, true}; }

// Rules of cost, see call_cost().
enum class CostRule : uint8_t {
  kOne,
  kFirst,        // a tenth of the first argument's size
  kSecond,       // of the second's
  kFirstTwice,   // two tenths
  kResultTwice,  // of the result
  kEqual,
  kMinimum,  // a tenth of the smaller argument
  kSum,      // a tenth of both
  kContains,
  kRegex,
  kSecondSize,  // the second argument's size
  kTraversal,   // all of the first argument
  kContainsIp,
  kContainsCidr,
  kValidate,
  kListResult,
  kListFlatten,
  kListCompare,
  kListCompareKeys,
  kSets,
  kSetsTwice,
  kCheck,     // of the authorizer, which no selector has
  kSelector,  // likewise
};

// What a call in an expression calls: one overload, or all of a function if the checker left
// several.
struct Callee {
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // nullptr: several
  bool for_all_types = false;          // one implementation with a trait, no types
  Trait trait = kAnything;
  Bound bound;  // of `overload` or for all types
  CostRule cost = CostRule::kOne;
};

Callee find_callee(const Function* function, Span<const Overload*> candidates,
                   const Dialect& dialect = {});
// The implementation of an overload; run is nullptr if it has none.
Bound find_bound(const Overload& overload);

bool has_trait(const Value& v, Trait trait);
// Whether an overload takes a value at run time; lists and maps are judged by their first entry.
bool takes(Machine& m, const Type* type, const Value& v);

// Of list_functions.cpp, bound for all types.
Value sort_list(const Call& call);
Value sort_by_keys(const Call& call);

// Tables of implementations, by overload id or by the name of a function for all types.
struct NamedBound {
  Str name;
  Bound bound;
};
struct NamedTrait {
  Str function;
  Trait trait;
  Bound bound;
};
Span<NamedTrait> operators();
Span<NamedBound> conversions();
Span<NamedBound> string_functions();
Span<NamedBound> time_functions();
Span<NamedBound> list_functions();
Span<NamedBound> optional_functions();
Span<NamedBound> kubernetes_functions();
Span<NamedBound> network_functions();

}  // namespace libsched::cel
