// The leaves of objects: strings, numbers, booleans, times, quantities, and maps of them.
#include <charconv>
#include <limits>

#include "libsched/base/near_name.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/ingest/object_builder.hpp"
#include "libsched/ingest/rfc3339.hpp"

namespace libsched {

bool ObjectBuilder::string(Str& out) {
  if (reader_.is_null()) return null();
  JsonString s;
  return reader_.string(s) && reader_.text_of(s, *arena_, out);
}

bool ObjectBuilder::passing_string(std::string& scratch, Str& out) {
  if (reader_.is_null()) return null();
  JsonString s;
  return reader_.string(s) && reader_.text_of(s, scratch, out);
}

bool ObjectBuilder::string_list(Span<Str>& out) {
  return list(out, [&](Str& s) { return string(s); });
}

bool ObjectBuilder::boolean(bool& out) {
  const char c = reader_.peek();
  if (c == 'n') return null();
  if (c != 't' && c != 'f') return reader_.wrong_type("a boolean");
  Str text;
  if (!reader_.scalar(text)) return false;
  out = c == 't';
  return true;
}

bool ObjectBuilder::optional_boolean(std::optional<bool>& out) {
  if (reader_.is_null()) return null();
  bool value = false;
  if (!boolean(value)) return false;
  out = value;
  return true;
}

bool ObjectBuilder::int64(int64_t& out) {
  const char c = reader_.peek();
  if (c == 'n') return null();
  if (c != '-' && (c < '0' || c > '9')) return reader_.wrong_type("an integer");
  const size_t offset = reader_.offset();
  Str text;
  if (!reader_.scalar(text)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc() && end == text.data() + text.size()) return true;
  if (error == std::errc::result_out_of_range && end == text.data() + text.size()) {
    return reader_.fail(
        offset, "the number " + std::string(text.substr(0, 40)) + " does not fit into 64 bits");
  }
  return reader_.fail(offset,
                      "expected an integer, got the number " + std::string(text.substr(0, 40)));
}

bool ObjectBuilder::int32(int32_t& out) {
  const size_t offset = reader_.offset();
  int64_t value = out;
  if (!int64(value)) return false;
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    return reader_.fail(offset,
                        "the number " + std::to_string(value) + " does not fit into 32 bits");
  }
  out = static_cast<int32_t>(value);
  return true;
}

bool ObjectBuilder::optional_int32(std::optional<int32_t>& out) {
  if (reader_.is_null()) return null();
  int32_t value = 0;
  if (!int32(value)) return false;
  out = value;
  return true;
}

bool ObjectBuilder::time(Time& out) {
  if (reader_.is_null()) return null();
  const size_t offset = reader_.offset();
  JsonString s;
  if (!reader_.string(s)) return false;
  Str text = s.text;
  if (s.escaped && !reader_.text_of(s, *arena_, text)) return false;
  const std::optional<int64_t> ns = parse_rfc3339(text);
  if (!ns) {
    return reader_.fail(
        offset, go_quote(text.substr(0, 80)) + " is not a time such as 2006-01-02T15:04:05Z");
  }
  out = {*ns, true};
  return true;
}

bool ObjectBuilder::quantity(Quantity& out, Str* written) {
  const size_t offset = reader_.offset();
  const char c = reader_.peek();
  if (c == 'n') return null();
  Str text;
  if (c == '"') {
    JsonString s;
    if (!reader_.string(s)) return false;
    text = s.text;  // escapes are not resolved, as upstream doesn't
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    if (!reader_.scalar(text)) return false;
  } else {
    return reader_.wrong_type("a quantity such as 500m or 2Gi");
  }
  Result<Quantity> parsed = Quantity::parse_trimmed(text);
  if (!parsed.ok()) {
    std::string message = go_quote(text.substr(0, 80)) + ": " + parsed.error().message;
    return reader_.fail(offset, std::move(message), {}, parsed.error().rc);
  }
  out = *parsed;
  if (written != nullptr) *written = arena_->copy(text);
  return true;
}

bool ObjectBuilder::resource_list(ResourceList& out) {
  return map(out, &NamedQuantity::name,
             [&](NamedQuantity& item) { return quantity(item.quantity); });
}

bool ObjectBuilder::labels(Labels& out) {
  return map(out, &Label::key, [&](Label& item) {
    if (!string(item.value)) return false;
    item = make_label(item.key, item.value);
    return true;
  });
}

bool ObjectBuilder::key_lookup(JsonString& key, size_t) {
  return reader_.text_of(JsonString(key), *arena_, key.text);
}

bool ObjectBuilder::unknown_field(size_t offset, Str key, std::span<const Str> known) {
  const auto hint = [&] {
    NearName near(key);
    for (const Str name : known) near.offer(name);
    return near.hint();
  };
  if (options_.strict) return reader_.fail(offset, "unknown field" + hint());
  if (first_unknown_.size() < kMaxFirstUnknown) first_unknown_.push_back({offset, hint()});
  ++unknown_fields_;
  return skip();
}

bool ObjectBuilder::duplicate_key(size_t offset) { return reader_.fail(offset, "duplicate key"); }

}  // namespace libsched
