// Builds the values while the text is scanned.
//
// The end of the text reads as one more blank: only if that blank is acceptable is the
// message "unexpected end of JSON input".
#include "libsched/config/json_document.hpp"

#include <algorithm>

#include "libsched/base/json_scanner.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched {
namespace {

class Builder : public JsonListener {
 public:
  explicit Builder(Str text) : text_(text) {}

  JsonValue root;

  bool token(JsonToken token, size_t begin, size_t end) override {
    const Str piece = text_.substr(begin, end - begin);
    switch (token) {
      case JsonToken::kOpen: open_.push_back(&add(piece)); break;
      case JsonToken::kClose: {
        Str& raw = open_.back()->raw;
        raw = Str(raw.data(), static_cast<size_t>(text_.data() + end - raw.data()));
        open_.pop_back();
        break;
      }
      case JsonToken::kComma: break;
      case JsonToken::kKey: open_.back()->members.emplace_back().first = json_string(piece); break;
      case JsonToken::kScalar:
        if (JsonValue& v = add(piece); v.kind == JsonKind::kString) v.text = json_string(piece);
    }
    return true;
  }

 private:
  JsonValue& add(Str raw) {
    JsonValue* v = &root;
    if (!open_.empty()) {
      JsonValue& in = *open_.back();
      v = in.kind == JsonKind::kArray ? &in.items.emplace_back() : &in.members.back().second;
    }
    v->kind = json_kind(raw);
    v->raw = raw;
    return *v;
  }

  Str text_;
  std::vector<JsonValue*> open_;  // each is the last of its parent, so that it does not move
};

}  // namespace

void JsonValue::sort_members() {
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& m : members) m.second.sort_members();
  for (auto& i : items) i.sort_members();
}

Result<JsonValue> parse_json_document(Str text) {
  Builder builder(text);
  JsonScanner scanner(text, kMaxJsonDepth, &builder);
  if (scanner.read()) {
    scanner.skip_space();
    if (scanner.position() == text.size()) return std::move(builder.root);
    scanner.fail("after top-level value");
  }
  const JsonFault& fault = *scanner.fault();
  if (fault.too_deep)
    return Error{Rc::kLimit, "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels"};
  const bool ended = fault.at == text.size();
  if (ended && fault.space_fits) return invalid({}, "unexpected end of JSON input");
  return invalid({}, fault.message(ended ? " " : latin1(text[fault.at])));
}

}  // namespace libsched
