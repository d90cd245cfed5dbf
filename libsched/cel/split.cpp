// Splits an expression that is known to compile by its tokens.
#include "libsched/cel/split.hpp"

#include <optional>
#include <utility>

#include "libsched/cel/lexer.hpp"

namespace libsched::cel {
namespace {

// Bindings around a part are compiled once more with each part.
constexpr size_t kLongestBindings = 4096;

// Tokens [begin, end), and the text of the bindings that they stand in.
struct Range {
  size_t begin = 0, end = 0;
  std::string bindings;  // "cel.bind(x, value, " ...
  size_t depth = 0;      // the number of bindings
};

class Splitter {
 public:
  explicit Splitter(Str source) : source_(source) {
    Lexer lexer(source);
    for (Token t = lexer.next(); t.kind != Tok::kEnd && t.kind != Tok::kError; t = lexer.next())
      tokens_.push_back(t);
    match_brackets();
  }

  // The operands of the outermost `&&`. Recursion follows parentheses, of which an expression that
  // compiles has at most 250 levels.
  std::vector<Range> conjuncts() const {
    std::vector<Range> found;
    split({0, tokens_.size(), {}, 0}, 0, found);
    return found;
  }

  // What `r` compares or calls a method of, if that is less than all of it and no literal.
  std::optional<Range> subject(Range r) const {
    strip_parentheses(r);
    while (r.begin < r.end && kind(r.begin) == Tok::kNot) {
      ++r.begin;
      strip_parentheses(r);
    }
    if (is_choice(r) || find_last(r, [](Tok k) { return k == Tok::kAnd; })) return std::nullopt;
    const size_t all = r.end - r.begin;
    if (const auto at = find_last(r, is_relation)) {
      Range left = r, right = r;
      left.end = *at;
      right.begin = *at + 1;
      r = is_literal(left) ? right : left;
    }
    while (r.end > r.begin + 3 && kind(r.end - 1) == Tok::kCloseParen) {
      const size_t open = partner_[r.end - 1];
      if (open < r.begin + 3 || kind(open - 1) != Tok::kIdent || kind(open - 2) != Tok::kDot) break;
      r.end = open - 2;
    }
    if (r.begin >= r.end || r.end - r.begin == all || is_literal(r)) return std::nullopt;
    return r;
  }

  Str text(const Range& r) const {
    if (r.begin >= r.end) return {};
    const Token& last = tokens_[r.end - 1];
    const size_t start = tokens_[r.begin].offset;
    return source_.substr(start, last.offset + last.text.size() - start);
  }
  std::string program(const Range& r) const {
    return r.bindings + std::string(text(r)) + std::string(r.depth, ')');
  }

 private:
  static bool is_open(Tok k) {
    return k == Tok::kOpenParen || k == Tok::kOpenBracket || k == Tok::kOpenBrace;
  }
  static bool is_close(Tok k) {
    return k == Tok::kCloseParen || k == Tok::kCloseBracket || k == Tok::kCloseBrace;
  }
  static bool is_relation(Tok k) {
    return k == Tok::kIn || k == Tok::kEqual || k == Tok::kNotEqual || k == Tok::kLess ||
           k == Tok::kLessEqual || k == Tok::kGreater || k == Tok::kGreaterEqual;
  }
  Tok kind(size_t i) const { return tokens_[i].kind; }
  bool is_ident(size_t i, Str name) const {
    return kind(i) == Tok::kIdent && tokens_[i].text == name;
  }
  bool is_literal(const Range& r) const {
    if (r.end - r.begin != 1) return false;
    const Tok k = kind(r.begin);
    return k == Tok::kInt || k == Tok::kUint || k == Tok::kFloat || k == Tok::kString ||
           k == Tok::kBytes || k == Tok::kTrue || k == Tok::kFalse || k == Tok::kNull;
  }

  void match_brackets() {
    partner_.resize(tokens_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (is_open(kind(i))) open.push_back(i);
      if (!is_close(kind(i)) || open.empty()) continue;
      partner_[i] = open.back();
      partner_[open.back()] = i;
      open.pop_back();
    }
  }

  // Calls f(index) for the tokens of `r` outside of brackets until it returns true.
  template <typename F>
  void outside_brackets(const Range& r, F&& f) const {
    for (size_t i = r.begin; i < r.end; ++i) {
      if (f(i)) return;
      if (is_open(kind(i))) i = partner_[i];
    }
  }
  template <typename F>
  std::optional<size_t> find_last(const Range& r, F&& wanted) const {
    std::optional<size_t> found;
    outside_brackets(r, [&](size_t i) {
      if (wanted(kind(i))) found = i;
      return false;
    });
    return found;
  }
  // Whether `||` or `?:` bind it together. The question mark of `.?field` is no choice.
  bool is_choice(const Range& r) const {
    bool found = false;
    outside_brackets(r, [&](size_t i) {
      found = kind(i) == Tok::kOr ||
              (kind(i) == Tok::kQuestion && (i == r.begin || kind(i - 1) != Tok::kDot));
      return found;
    });
    return found;
  }
  void strip_parentheses(Range& r) const {
    while (r.end > r.begin + 2 && kind(r.begin) == Tok::kOpenParen &&
           partner_[r.begin] == r.end - 1) {
      ++r.begin;
      --r.end;
    }
  }
  // The body of `cel.bind(x, value, body)`.
  std::optional<Range> body(const Range& r) const {
    if (r.end < r.begin + 9 || !is_ident(r.begin, "cel") || kind(r.begin + 1) != Tok::kDot ||
        !is_ident(r.begin + 2, "bind") || kind(r.begin + 3) != Tok::kOpenParen ||
        partner_[r.begin + 3] != r.end - 1)
      return std::nullopt;
    const Range arguments{r.begin + 4, r.end - 1, {}, 0};
    const auto comma = find_last(arguments, [](Tok k) { return k == Tok::kComma; });
    if (!comma) return std::nullopt;
    const size_t start = tokens_[r.begin].offset;
    const size_t end = tokens_[*comma].offset + 1;
    Range found{*comma + 1, r.end - 1, r.bindings, r.depth + 1};
    found.bindings += source_.substr(start, end - start);
    if (found.bindings.size() > kLongestBindings) return std::nullopt;
    return found;
  }

  // `more`: how many parts are still to come after those of `r`, at least.
  void split(Range r, size_t more, std::vector<Range>& found) const {
    const Range written = r;
    strip_parentheses(r);
    if (auto inner = body(r)) {
      const size_t before = found.size();
      split(*inner, more, found);
      if (found.size() > before + 1) return;
      found.resize(before);  // one part is better shown with its binding
    }
    std::vector<size_t> ands;
    if (!is_choice(r)) {
      outside_brackets(r, [&](size_t i) {
        if (found.size() + more + ands.size() + 1 >= kMostConjuncts) return true;
        if (kind(i) == Tok::kAnd) ands.push_back(i);
        return false;
      });
    }
    if (ands.empty()) {
      found.push_back(written);
      return;
    }
    size_t begin = r.begin;
    for (size_t i = 0; i <= ands.size(); ++i) {
      const size_t end = i < ands.size() ? ands[i] : r.end;
      split({begin, end, r.bindings, r.depth}, more + ands.size() - i, found);
      begin = end + 1;
    }
  }

  Str source_;
  std::vector<Token> tokens_;
  std::vector<size_t> partner_;  // of brackets
};

}  // namespace

std::vector<Conjunct> split_conjuncts(Str expression) {
  const Splitter splitter(expression);
  std::vector<Conjunct> out;
  for (const Range& r : splitter.conjuncts()) {
    Conjunct& c = out.emplace_back();
    c.text = splitter.text(r);
    c.program = splitter.program(r);
    const auto subject = splitter.subject(r);
    if (!subject) continue;
    c.subject = splitter.text(*subject);
    c.subject_program = splitter.program(*subject);
  }
  return out;
}

}  // namespace libsched::cel
