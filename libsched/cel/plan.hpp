// The plan of an expression: what the evaluator walks over. It is made once per program, in its
// arena, with constants folded as upstream folds them, and is immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/cel/ast.hpp"
#include "libsched/cel/functions.hpp"
#include "libsched/cel/lib/regex.hpp"
#include "libsched/cel/machine.hpp"
#include "libsched/cel/messages.hpp"

namespace libsched::cel {

enum class Op : uint8_t {
  kConst,
  kAttribute,
  kAnd,
  kOr,
  kEqual,
  kNotEqual,
  kCall,
  kKnownCall,  // a call of constants, done at plan time; only its cost is left
  kMember,     // `in` of a list of constants
  kOptionalOr,
  kOptionalOrValue,
  kList,
  kMap,
  kMessage,
  kFold,
};

struct Node {
  Op op = Op::kConst;
};

struct ConstNode : Node {
  Value value;
};

struct FoldNode;
struct AttributeNode;

// One step of `a.b[c].?d`.
struct Qualifier {
  Value key;                                // unless one of these is given:
  const AttributeNode* resolved = nullptr;  // the key is this attribute's value
  const Node* computed = nullptr;           // the key is this node's value
  bool is_optional = false;
  bool is_test = false;  // of has()
  Qualifier* next = nullptr;
};

// A variable, a value or a choice of two attributes, followed by qualifiers.
struct AttributeNode : Node {
  enum class Base : uint8_t { kVariable, kOperand, kChoice } base = Base::kVariable;
  bool is_test = false;
  uint32_t slot = 0;
  const FoldNode* accumulator_of = nullptr;  // the variable is this fold's accumulator
  const Node* operand = nullptr;             // of kOperand; of kChoice the condition
  AttributeNode* yes = nullptr;
  AttributeNode* no = nullptr;
  Qualifier* first = nullptr;
  Qualifier* last = nullptr;
};

// Operands of kAnd, kOr, kEqual, kNotEqual, kOptionalOr, kOptionalOrValue.
struct PairNode : Node {
  const Node* left = nullptr;
  const Node* right = nullptr;
};

struct CallNode : Node {
  const Callee* callee = nullptr;
  Span<const Node*> args;
  bool stops_at_error = false;   // the first error among the arguments ends the call
  const Regex* regex = nullptr;  // of a constant pattern
};

struct KnownCallNode : Node {
  Value value;
  uint64_t cost = 0;
};

struct MemberNode : Node {
  const Node* element = nullptr;
  const Map* set = nullptr;
};

struct ItemsNode : Node {  // kList, kMap
  Span<const Node*> items;
  Span<uint8_t> optional;  // per element or entry; empty if none is
};

struct MessageNode : ItemsNode {
  const Message* message = nullptr;
  Span<uint16_t> fields;  // of which the items are
};

struct FoldNode : Node {
  uint32_t slot = 0;  // of the accumulator; the next two are the variables
  bool two_variables = false;
  const Node* range = nullptr;
  const Node* init = nullptr;
  const Node* condition = nullptr;
  const Node* step = nullptr;
  const Node* result = nullptr;
};

struct Plan {
  Arena arena;
  Memory memory;  // of constants
  std::vector<std::unique_ptr<Regex>> regexes;
  const Node* root = nullptr;
  uint32_t slots = 1;
};

// Fills in `root` from a checked tree. The error is upstream's: "program instantiation failed:
// ...".
Result<void> make_plan(const Expr* checked, Plan& plan, const Dialect& dialect);

Value evaluate(Machine& m, const Node* node);
// The cost of a call that has been made.
uint64_t call_cost(Machine& m, const Callee& callee, Span<Value> args, const Value& result);
// Calls a function with arguments of which none is an error.
Value invoke(Machine& m, const Callee& callee, Span<Value> args, const Regex* regex);

}  // namespace libsched::cel
