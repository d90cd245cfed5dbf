// See question.hpp.
#include "libsched/cel/question.hpp"

#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/cel/device_view.hpp"
#include "libsched/cel/split.hpp"

namespace libsched::cel {
namespace {

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
  Options any = options;
  any.any_result = true;
  for (Conjunct& c : split_conjuncts(expression)) {
    auto program = compile(c.program, any);
    if (!program.ok()) continue;
    Part& part = question->parts_.emplace_back();
    part.text = std::move(c.text);
    part.program = std::move(*program);
    if (c.subject.empty()) continue;
    auto subject = compile(c.subject_program, any);
    if (!subject.ok()) continue;
    part.subject = std::move(c.subject);
    part.subject_program = std::move(*subject);
  }
  return out;
}

std::optional<Question::Obstacle> Question::obstacle(const Device& device, Match match,
                                                     Scratch& scratch) const {
  for (const Part& part : parts_) {
    if (match == Match::kYes) break;
    MatchResult said = part.program->match(device, scratch);
    if (said.match != match) continue;
    Obstacle found;
    found.part = &part;
    found.answer = match == Match::kNo ? "false" : std::move(said.error);
    if (part.subject_program) {
      Evaluation value = part.subject_program->evaluate(device, scratch);
      if (value.ok) found.value = std::move(value.value);
    }
    return found;
  }
  return std::nullopt;
}

std::string Question::devices_json(Span<const ResourceSlice*> slices) const {
  std::string out = "[";
  Scratch scratch;
  DeviceView view;
  for (const ResourceSlice* slice : slices) {
    for (const libsched::Device& d : slice->devices) {
      const Device& device = view.of(d, slice->driver, options_.takes_lists());
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
      if (const auto found = obstacle(device, result.match, scratch)) {
        out += ",\"because\":{\"expression\":" + json_quote(found->part->text) +
               ",\"answer\":" + json_quote(found->answer);
        if (!found->value.empty()) {
          text("subject", found->part->subject);
          text("value", found->value);
        }
        out += '}';
      }
      out += '}';
    }
  }
  return out + "]";
}

}  // namespace libsched::cel
