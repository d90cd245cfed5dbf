// See question.hpp.
#include "libsched/cel/question.hpp"

#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/cel/device_view.hpp"
#include "libsched/cel/lexer.hpp"

namespace libsched::cel {
namespace {

Str trimmed(Str s) {
  constexpr Str kSpace = " \t\r\n\f";
  const size_t begin = s.find_first_not_of(kSpace);
  if (begin == Str::npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpace) - begin + 1);
}

// The operands of && outside of brackets. Another operator that binds less makes one operand.
std::vector<Str> conjuncts(Str expression) {
  std::vector<Str> out;
  Lexer lexer(expression);
  size_t begin = 0;
  int depth = 0;
  for (Token t = lexer.next(); t.kind != Tok::kEnd; t = lexer.next()) {
    if (t.kind == Tok::kError) return {expression};
    if (t.kind == Tok::kOpenBracket || t.kind == Tok::kOpenBrace || t.kind == Tok::kOpenParen)
      ++depth;
    if (t.kind == Tok::kCloseBracket || t.kind == Tok::kCloseBrace || t.kind == Tok::kCloseParen)
      --depth;
    if (depth != 0) continue;
    if (t.kind == Tok::kOr || t.kind == Tok::kColon) return {trimmed(expression)};
    if (t.kind != Tok::kAnd) continue;
    out.push_back(trimmed(expression.substr(begin, t.offset - begin)));
    begin = t.offset + 2;
  }
  out.push_back(trimmed(expression.substr(begin)));
  return out;
}

// "1:14" of upstream's text "compilation failed: ERROR: <input>:1:14: ...".
std::string place_of(Str message) {
  constexpr Str kBefore = "ERROR: <input>:";
  const size_t at = message.find(kBefore);
  if (at == Str::npos) return {};
  const Str rest = message.substr(at + kBefore.size());
  const size_t column = rest.find(':');
  const Str place = rest.substr(0, rest.find(':', column == Str::npos ? 0 : column + 1));
  return place.starts_with('-') ? std::string() : std::string(place);
}

}  // namespace

Result<Ref<const Question>> Question::ask(Str expression, const Options& options) {
  auto program = compile(expression, options);
  if (!program.ok()) {
    Error error = program.error();
    error.path = place_of(error.message);
    return error;
  }
  auto* const question = new Question(options, *program);
  const auto out = Ref<const Question>::adopt(question);
  for (const Str text : conjuncts(expression)) {
    // A part of a chain compiles by itself, because nothing in it binds variables for the others.
    const auto part = compile(text, options);
    if (part.ok()) question->parts_.push_back({std::string(text), *part});
  }
  return out;
}

const Question::Part* Question::obstacle(const Device& device, Scratch& scratch,
                                         std::string* answer) const {
  for (const Part& part : parts_) {
    const MatchResult result = part.program->match(device, scratch);
    if (result.match == Match::kYes) continue;
    *answer = result.match == Match::kNo ? "false" : result.error;
    return &part;
  }
  return nullptr;
}

std::string Question::devices_json(Span<const ResourceSlice*> slices) const {
  std::string out = "[";
  Scratch scratch;
  DeviceView view;
  for (const ResourceSlice* slice : slices) {
    for (const libsched::Device& d : slice->devices) {
      const Device& device = view.of(d, slice->driver, options_.list_attributes);
      out += out.size() > 1 ? ",\n{" : "{";
      const auto text = [&](Str key, Str value) {
        out.append(out.back() == '{' ? "" : ",").append(json_quote(key)).append(":");
        out += json_quote(value);
      };
      text("slice", slice->meta.name);
      text("driver", slice->driver);
      text("pool", slice->pool);
      text("device", d.name);
      const Str node = d.node_name.empty() ? slice->node_name : d.node_name;
      if (!node.empty()) text("node", node);
      if (options_.any_result) {
        const Evaluation e = program_->evaluate(device, scratch);
        text(e.ok ? "value" : "error", e.ok ? e.value : e.error);
        out += ",\"cost\":" + std::to_string(e.cost) + "}";
        continue;
      }
      const MatchResult result = program_->match(device, scratch);
      constexpr Str kMatches[] = {"false", "true", "null"};
      out.append(",\"match\":").append(kMatches[static_cast<size_t>(result.match)]);
      out += ",\"cost\":" + std::to_string(result.cost);
      if (result.match == Match::kError) text("error", result.error);
      std::string answer;
      const Part* const part =
          result.match == Match::kYes ? nullptr : obstacle(device, scratch, &answer);
      if (part != nullptr)
        out += ",\"because\":{\"expression\":" + json_quote(part->text) +
               ",\"answer\":" + json_quote(answer) + "}";
      out += '}';
    }
  }
  return out + "]";
}

}  // namespace libsched::cel
