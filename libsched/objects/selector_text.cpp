// See selector_text.hpp. The grammar is that of upstream's labels.Parse.
#include "libsched/objects/selector_text.hpp"

#include <optional>
#include <string>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

Error wrong(std::string message) { return {Rc::kInvalid, std::move(message)}; }

Result<void> check(const std::vector<std::string>& errors, Str of) {
  if (errors.empty()) return {};
  return wrong(go_quote(of) + ": " + errors.front());
}

class Parser {
 public:
  Parser(Str text, Arena& arena) : rest_(text), arena_(arena) {}

  Result<std::vector<Requirement>> all() {
    std::vector<Requirement> out;
    do {
      const Result<Requirement> r = requirement();
      if (!r.ok()) return r.error();
      out.push_back(*r);
    } while (take(","));
    if (const Str left = rest(); !left.empty())
      return wrong(go_quote(left) + ": a comma or the end was expected");
    return out;
  }

 private:
  Str rest() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_;
  }
  static bool is_special(char c) { return Str("()=!<>,").find(c) != Str::npos; }

  bool take(Str symbol) {
    if (!rest().starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  // A key, a value or an operator of letters; "" if a symbol or the end is next.
  Str word() {
    const Str from = rest();
    size_t n = 0;
    while (n < from.size() && !is_space(from[n]) && !is_special(from[n])) ++n;
    rest_.remove_prefix(n);
    return from.substr(0, n);
  }

  Result<Requirement> requirement() {
    const bool absent = take("!");
    Requirement r;
    const Str key = word();
    if (key.empty()) return wrong(go_quote(rest()) + ": a label's key was expected");
    LIBSCHED_TRY(check(qualified_name_errors(key), key));
    r.key = arena_.copy(key);
    r.key_hash = hash_str(r.key);
    if (absent || rest().empty() || rest().front() == ',') {
      r.op = absent ? SelectorOp::kDoesNotExist : SelectorOp::kExists;
      return r;
    }
    LIBSCHED_TRY(compared(&r));
    return r;
  }

  // The operator of a requirement, and its values.
  Result<void> compared(Requirement* r) {
    const Str from = rest();
    std::vector<Str> values;
    if (take("==") || take("=")) {
      r->op = SelectorOp::kIn;
    } else if (take("!=")) {
      r->op = SelectorOp::kNotIn;
    } else if (take(">")) {
      r->op = SelectorOp::kGt;
    } else if (take("<")) {
      r->op = SelectorOp::kLt;
    } else {
      const Str op = word();
      if (op != "in" && op != "notin")
        return wrong(go_quote(from) + ": an operator was expected: =, !=, in, notin, > or <");
      r->op = op == "in" ? SelectorOp::kIn : SelectorOp::kNotIn;
      if (!take("(")) return wrong(go_quote(rest()) + ": values in parentheses were expected");
      do values.push_back(word());
      while (take(","));
      if (!take(")")) return wrong(go_quote(rest()) + ": a comma or a parenthesis was expected");
      return set_values(r, values);
    }
    values.push_back(word());
    if ((r->op == SelectorOp::kGt || r->op == SelectorOp::kLt) && !parse_int64(values.front()))
      return wrong(go_quote(values.front()) + " is no whole number");
    return set_values(r, values);
  }

  Result<void> set_values(Requirement* r, std::vector<Str>& values) {
    for (Str& value : values) {
      LIBSCHED_TRY(check(label_value_errors(value), value));
      value = arena_.copy(value);
    }
    r->values = arena_.copy(values);
    r->values_present = true;
    return {};
  }

  Str rest_;
  Arena& arena_;
};

}  // namespace

Result<std::vector<Requirement>> parse_selector(Str text, Arena& arena) {
  return Parser(text, arena).all();
}

}  // namespace libsched
