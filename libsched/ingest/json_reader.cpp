// Loads windows, skips values and resolves escapes. The grammar of all values is checked, even of
// skipped ones: simdjson's first stage checks UTF-8, closed strings and control characters in
// them; the rest (brackets, separators, literals, escapes) is checked here.
#include "libsched/ingest/json_reader.hpp"

#include <simdjson.h>

#include <algorithm>

#include "libsched/base/ascii.hpp"
#include "libsched/base/go_json.hpp"
#include "libsched/base/utf8.hpp"

namespace libsched {
namespace {

constexpr size_t kMaxWindow = 0xffffff00;  // simdjson counts in 32 bits

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Tells whether a window may end here: before text that cannot be inside a JSON string. That is
// {"x, as the quote would end the string and no letter may follow, and, if indented, a line feed.
bool is_cut(Str text, size_t i) {
  return text[i] == '\n' || (text[i] == '{' && text[i + 1] == '"' && is_letter(text[i + 2]));
}

size_t find_cut(Str text, size_t begin, size_t window) {
  if (text.size() - begin <= window) return text.size();
  const size_t wanted = begin + window;
  for (size_t i = wanted; i > begin + window / 2; --i) {
    if (i + 2 < text.size() && is_cut(text, i)) return i;
  }
  for (size_t i = wanted; i + 2 < text.size(); ++i) {
    if (is_cut(text, i)) return i;
  }
  return text.size();
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_number(Str s) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t first = i;
    while (i < s.size() && is_digit(s[i])) ++i;
    return i > first;
  };
  if (i < s.size() && s[i] == '-') ++i;
  if (i < s.size() && s[i] == '0') {
    ++i;
  } else if (!digits()) {
    return false;
  }
  if (i < s.size() && s[i] == '.' && (++i, !digits())) return false;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == s.size();
}

bool are_hex_digits(Str s, size_t begin, size_t count) {
  if (begin + count > s.size()) return false;
  return std::ranges::all_of(s.substr(begin, count), [](char c) { return hex_digit(c) >= 0; });
}

}  // namespace

struct JsonReader::Simd {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage1;
};

JsonReader::JsonReader(int max_depth)
    : max_depth_(max_depth),
      in_array_(static_cast<size_t>(max_depth) + 2),
      simd_(std::make_unique<Simd>()) {}

JsonReader::~JsonReader() = default;

bool JsonReader::load(size_t offset, size_t window) {
  window_begin_ = offset;
  window_end_ = find_cut(text_, offset, window);
  base_ = text_.data() + offset;
  next_ = count_ = 0;
  const size_t size = window_end_ - offset;
  if (size > kMaxWindow) return fail(offset, "one value of more than 4 GiB", {}, Rc::kLimit);
  if (size == 0) return syntax();
  auto& stage1 = simd_->stage1;
  simdjson::error_code error = simdjson::SUCCESS;
  if (stage1 == nullptr) {
    error =
        simdjson::get_active_implementation()->create_dom_parser_implementation(size, 1, stage1);
  } else if (size > stage1->capacity()) {
    error = stage1->set_capacity(size);
  }
  if (error != simdjson::SUCCESS) {
    stage1.reset();
    return fail(offset, "out of memory", {}, Rc::kNoMemory);
  }
  error =
      stage1->stage1(reinterpret_cast<const uint8_t*>(base_), size, simdjson::stage1_mode::regular);
  // A window of white space has no token, and another follows.
  if (error != simdjson::SUCCESS && (error != simdjson::EMPTY || window_end_ == text_.size())) {
    failure_ = {JsonFailure::Kind::kSyntax, Rc::kInvalid, offset, {}, {}};
    return false;
  }
  tokens_ = stage1->structural_indexes.get();
  count_ = error == simdjson::SUCCESS ? stage1->n_structural_indexes : 0;
  find_backslash(0);
  return true;
}

void JsonReader::find_backslash(size_t from) {
  const size_t size = window_end_ - window_begin_;
  const void* found = from < size ? std::memchr(base_ + from, '\\', size - from) : nullptr;
  backslash_ =
      found != nullptr ? static_cast<size_t>(static_cast<const char*>(found) - base_) : SIZE_MAX;
}

Str JsonReader::token_text() const {
  const size_t begin = tokens_[next_];
  size_t end = token_end();
  while (end > begin && is_space(base_[end - 1])) --end;
  return Str(base_ + begin, end - begin);
}

bool JsonReader::scalar(Str& out) {
  if (at_end()) return syntax();
  out = token_text();
  if (out != "null" && out != "true" && out != "false" && !is_number(out)) return syntax();
  ++next_;
  return true;
}

bool JsonReader::skip() {
  const int base = depth_;
  JsonString string_value;
  Str scalar_value;
  for (;;) {
    // A value.
    const char c = peek();
    if (c == '"') {
      const size_t end = token_end();
      if (backslash_ < end) {
        if (!string(string_value)) return false;
      } else {
        ++next_;
      }
    } else if (c == '{' || c == '[') {
      if (!enter(c)) return false;
      in_array_[static_cast<size_t>(depth_)] = c == '[';
      if (peek() != (c == '{' ? '}' : ']')) {
        if (c == '{' && !key(string_value)) return false;
        continue;
      }
      ++next_;
      --depth_;
    } else if (!scalar(scalar_value)) {
      return false;
    }
    // The tokens after it.
    for (;;) {
      if (depth_ == base) return true;
      const bool in_array = in_array_[static_cast<size_t>(depth_)] != 0;
      if (take(',')) {
        if (!in_array && !key(string_value)) return false;
        break;
      }
      if (!expect(in_array ? ']' : '}')) return false;
      --depth_;
    }
  }
}

bool JsonReader::check_escapes(Str s, size_t offset) {
  for (size_t i = s.find('\\'); i != Str::npos; i = s.find('\\', i)) {
    const char c = i + 1 < s.size() ? s[i + 1] : '\0';
    if (c == 'u' && are_hex_digits(s, i + 2, 4)) {
      i += 6;
    } else if (c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' ||
               c == 't') {
      i += 2;
    } else {
      failure_ = {JsonFailure::Kind::kSyntax, Rc::kInvalid, window_begin_ + offset + i, {}, {}};
      return false;
    }
  }
  return true;
}

bool JsonReader::text_of(const JsonString& s, Arena& arena, Str& out) {
  if (!s.escaped) {
    out = arena.copy(s.text);
    return true;
  }
  return unescape(s.text, static_cast<char*>(arena.allocate(s.text.size() + 1, 1)), out);
}

bool JsonReader::text_of(const JsonString& s, std::string& scratch, Str& out) {
  if (!s.escaped) {
    out = s.text;
    return true;
  }
  if (scratch.size() <= s.text.size()) scratch.resize(s.text.size() + 1);
  return unescape(s.text, scratch.data(), out);
}

// Writes at most one byte more than `text` has.
bool JsonReader::unescape(Str text, char* begin, Str& out) {
  char* p = begin;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      *p++ = text[i++];
      continue;
    }
    const uint32_t rune = read_json_escape(text, i);
    if (rune == 0) {
      return fail(static_cast<size_t>(text.data() - text_.data()) - 1,
                  "a NUL character in a string");
    }
    p = put_utf8(p, rune);
  }
  *p = '\0';
  out = Str(begin, static_cast<size_t>(p - begin));
  return true;
}

bool JsonReader::syntax() {
  const auto kind = at_end() ? JsonFailure::Kind::kWindowEnd : JsonFailure::Kind::kSyntax;
  failure_ = {kind, Rc::kInvalid, offset(), {}, {}};
  return false;
}

bool JsonReader::fail(size_t offset, std::string message, std::string below, Rc rc) {
  failure_ = {JsonFailure::Kind::kValue, rc, offset, std::move(message), std::move(below)};
  return false;
}

bool JsonReader::wrong_type(Str wanted) {
  std::string got;
  switch (peek()) {
    case '"': got = "a string"; break;
    case '{': got = "an object"; break;
    case '[': got = "an array"; break;
    default: {
      const size_t at = offset();
      Str text;
      if (!scalar(text)) return false;
      got = text == "true" || text == "false" ? "a boolean"
            : text == "null"                  ? "null"
                                              : "the number " + std::string(text.substr(0, 40));
      return fail(at, "expected " + std::string(wanted) + ", got " + got);
    }
  }
  return fail(offset(), "expected " + std::string(wanted) + ", got " + got);
}

}  // namespace libsched
