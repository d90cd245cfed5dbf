// The table of overloads, read from the lines of overloads.inc.
#include "libsched/cel/overloads.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/base/mutex.hpp"

namespace libsched::cel {
namespace {

struct Line {
  Str function;
  Str id;
  bool is_member;
  Str args;
  Str result;
};

constexpr Line kLines[] = {
#include "libsched/cel/overloads.inc"
};

// Reads types such as "map(<K>, list(<V>))"; `variables` are the names of the variables seen so
// far.
class TypeReader {
 public:
  TypeReader(Str text, Arena& arena, std::vector<Str>& variables)
      : text_(text), arena_(arena), variables_(variables) {}

  bool done() const { return at_ >= text_.size(); }
  void skip_comma() {
    if (text_.substr(at_).starts_with(", ")) at_ += 2;
  }

  const Type* read() {
    const size_t end = std::min(text_.find_first_of("(),", at_), text_.size());
    const Str name = text_.substr(at_, end - at_);
    at_ = end;
    if (name.starts_with('<')) return variable(name);
    std::vector<const Type*> params;
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      while (text_[at_] != ')') {
        params.push_back(read());
        skip_comma();
      }
      ++at_;
    }
    return make_named_type(arena_, kind_of(name), name, arena_.copy(params));
  }

 private:
  const Type* variable(Str name) {
    const auto found = std::find(variables_.begin(), variables_.end(), name);
    Type* const t = arena_.make<Type>();
    t->kind = TypeKind::kParam;
    t->has_params = true;
    t->variable = static_cast<uint32_t>(found - variables_.begin());
    t->name = name.substr(1, name.size() - 2);
    if (found == variables_.end()) variables_.push_back(name);
    return t;
  }

  static TypeKind kind_of(Str name) {
    for (int k = 0; k <= static_cast<int>(TypeKind::kTimestamp); ++k)
      if (simple_type(static_cast<TypeKind>(k))->name == name) return static_cast<TypeKind>(k);
    if (name == "list") return TypeKind::kList;
    if (name == "map") return TypeKind::kMap;
    if (name == "type") return TypeKind::kType;
    const bool opaque = name == "optional_type" || name.starts_with("net.");
    return opaque ? TypeKind::kOpaque : TypeKind::kStruct;
  }

  Str text_;
  size_t at_ = 0;
  Arena& arena_;
  std::vector<Str>& variables_;
};

struct Table {
  Arena arena;
  std::vector<Overload> overloads;
  std::vector<Function> functions;
  std::unordered_map<Str, const Function*> by_name;

  Table() {
    overloads.reserve(std::size(kLines));
    std::vector<Str> names;
    for (const Line& line : kLines) {
      std::vector<Str> variables;
      std::vector<const Type*> args;
      TypeReader reader(line.args, arena, variables);
      for (; !reader.done(); reader.skip_comma()) args.push_back(reader.read());
      Overload o;
      o.id = line.id;
      o.is_member = line.is_member;
      o.index = static_cast<uint16_t>(overloads.size());
      o.args = arena.copy(args);
      o.result = TypeReader(line.result, arena, variables).read();
      o.variables = static_cast<uint16_t>(variables.size());
      overloads.push_back(o);
      if (names.empty() || names.back() != line.function) names.push_back(line.function);
    }
    functions.reserve(names.size());
    for (const Str name : names) {
      std::vector<const Overload*> own;
      functions.push_back({name, {}});
      for (size_t i = 0; i < overloads.size(); ++i) {
        if (kLines[i].function != name) continue;
        overloads[i].function = &functions.back();
        own.push_back(&overloads[i]);
      }
      functions.back().overloads = arena.copy(own);
    }
    for (const Function& f : functions) by_name.emplace(f.name, &f);
  }
};

const Table& table() {
  const ForkHeldOff held;
  static const Table table;
  return table;
}

}  // namespace

bool is_declared(const Overload& overload, const Dialect& dialect) {
  if (dialect.no_includes && overload.id == "dra_includes_dyn_dyn") return false;
  return !dialect.cel_go_29 || overload.id != "int64_to_duration";
}

const Function* find_function(Str name) {
  const auto& names = table().by_name;
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

Span<Overload> all_overloads() { return table().overloads; }

}  // namespace libsched::cel
