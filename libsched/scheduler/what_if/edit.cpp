// See edit.hpp.
#include "libsched/scheduler/what_if/edit.hpp"

#include <charconv>
#include <optional>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

struct Form {
  Str word;
  EditVerb verb;
  Str form;
};
constexpr Form kForms[] = {
    {"add-node", EditVerb::kAddNode, "add-node NODE=N"},
    {"remove-node", EditVerb::kRemoveNode, "remove-node NODE"},
    {"cordon", EditVerb::kCordon, "cordon NODE"},
    {"uncordon", EditVerb::kUncordon, "uncordon NODE"},
    {"taint", EditVerb::kTaint, "taint NODE KEY=VALUE:EFFECT"},
    {"untaint", EditVerb::kTaint, "untaint NODE KEY:EFFECT"},
    {"label", EditVerb::kLabel, "label NODE KEY=VALUE"},
    {"scale", EditVerb::kScale, "scale NAMESPACE/NAME=N"},
    {"set", EditVerb::kSet, "set NAMESPACE/NAME:FIELD=VALUE"},
};

Error not_of(const Form& form) {
  return wrong_edit("is not of the form " + std::string(form.form));
}

Result<size_t> number_of(Str text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size())
    return wrong_edit(go_quote(text) + " is no number");
  if (error != std::errc() || number > kMostCopies)
    return wrong_edit(go_quote(text) + " is more than " + std::to_string(kMostCopies));
  return number;
}

// Splits "ns/name"; false if it is something else.
bool split_key(Str key, Edit* edit) {
  const size_t slash = key.find('/');
  if (slash == Str::npos || slash == 0 || slash + 1 == key.size() ||
      key.find('/', slash + 1) != Str::npos)
    return false;
  edit->ns = key.substr(0, slash);
  edit->name = key.substr(slash + 1);
  return true;
}

Str trimmed(Str s) {
  const size_t begin = s.find_first_not_of(' ');
  if (begin == Str::npos) return {};
  return s.substr(begin, s.find_last_not_of(' ') - begin + 1);
}

Result<Edit> counted(const Form& form, Str rest) {
  const size_t equals = rest.rfind('=');
  if (equals == Str::npos) return not_of(form);
  const Result<size_t> count = number_of(rest.substr(equals + 1));
  if (!count.ok()) return count.error();
  Edit edit;
  edit.verb = form.verb;
  edit.count = *count;
  const Str of = rest.substr(0, equals);
  if (form.verb == EditVerb::kScale) {
    if (!split_key(of, &edit)) return not_of(form);
  } else {
    if (of.empty()) return not_of(form);
    edit.name = of;
  }
  return edit;
}

// Reads "FIELD=VALUE" or "FIELD-"; false if it is neither.
bool split_setting(Str set, Edit* edit) {
  const size_t equals = set.find('=');
  edit->remove = equals == Str::npos;
  if (edit->remove && (set.size() < 2 || !set.ends_with('-'))) return false;
  edit->field = set.substr(0, edit->remove ? set.size() - 1 : equals);
  if (!edit->remove) edit->value = set.substr(equals + 1);
  return !edit->field.empty();
}

Result<Edit> setting(const Form& form, Str rest) {
  const size_t colon = rest.find(':');
  Edit edit;
  edit.verb = form.verb;
  if (colon == Str::npos || !split_key(rest.substr(0, colon), &edit) ||
      !split_setting(rest.substr(colon + 1), &edit))
    return not_of(form);
  return edit;
}

// A taint or a label is the last word, because a selector of nodes may have spaces.
Result<Edit> of_node(const Form& form, Str rest) {
  const size_t space = rest.rfind(' ');
  if (space == Str::npos) return not_of(form);
  Str last = rest.substr(space + 1);
  Edit edit;
  edit.verb = form.verb;
  edit.name = trimmed(rest.substr(0, space));
  if (form.verb == EditVerb::kLabel) {
    if (!split_setting(last, &edit)) return not_of(form);
    return edit;
  }
  const bool minus = last.ends_with('-');
  edit.remove = minus || form.word == "untaint";
  if (minus) last.remove_suffix(1);
  edit.field = last;
  return edit;
}

}  // namespace

Result<Edit> parse_edit(Str text) {
  text = trimmed(text);
  const size_t space = text.find(' ');
  const Str word = text.substr(0, space);
  const Str rest = space == Str::npos ? Str() : trimmed(text.substr(space));
  for (const Form& form : kForms) {
    if (form.word != word) continue;
    if (form.verb == EditVerb::kSet) return setting(form, rest);
    if (form.verb == EditVerb::kTaint || form.verb == EditVerb::kLabel) return of_node(form, rest);
    if (form.verb == EditVerb::kAddNode || form.verb == EditVerb::kScale)
      return counted(form, rest);
    if (rest.empty()) return not_of(form);
    Edit edit;
    edit.verb = form.verb;
    edit.name = rest;
    return edit;
  }
  NearName near(word);
  for (const Form& form : kForms) near.offer(form.word);
  return wrong_edit(
      "edits are add-node, remove-node, cordon, uncordon, taint, untaint, label, scale and set" +
      near.hint());
}

}  // namespace libsched
