// The slow reader for error messages: it has an explicit stack and reads every byte.
#include "libsched/ingest/json_place.hpp"

#include <vector>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

constexpr size_t kMaxDepth = 10000;

struct Frame {
  bool array = false;
  bool has_key = false;
  size_t index = 0;
  std::string key;
};

bool is_plain_key(Str key) {
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    if (!plain) return false;
  }
  return !key.empty();
}

// The length of the UTF-8 sequence at s[i], or 0 if there is none.
size_t utf8_length(Str s, size_t i) {
  const auto at = [&](size_t k) { return k < s.size() ? static_cast<uint8_t>(s[k]) : 0; };
  const auto tail = [&](size_t k) { return (at(k) & 0xc0) == 0x80; };
  const unsigned c = at(i);
  if (c < 0x80) return 1;
  if (c >= 0xc2 && c < 0xe0) return tail(i + 1) ? 2 : 0;
  if (c >= 0xe0 && c < 0xf0) {
    if (!tail(i + 1) || !tail(i + 2)) return 0;
    if ((c == 0xe0 && at(i + 1) < 0xa0) || (c == 0xed && at(i + 1) >= 0xa0)) return 0;
    return 3;
  }
  if (c >= 0xf0 && c < 0xf5) {
    if (!tail(i + 1) || !tail(i + 2) || !tail(i + 3)) return 0;
    if ((c == 0xf0 && at(i + 1) < 0x90) || (c == 0xf4 && at(i + 1) >= 0x90)) return 0;
    return 4;
  }
  return 0;
}

class Walker {
 public:
  Walker(Str text, size_t wanted) : text_(text), wanted_(wanted) {}

  JsonPlace walk() {
    run();
    JsonPlace place;
    for (const Frame& f : frames_) {
      if (f.array) {
        place.path += "[" + std::to_string(f.index) + "]";
      } else if (f.has_key) {
        place.path += path_key(f.key);
      }
    }
    if (!place.path.empty() && place.path[0] == '.') place.path.erase(0, 1);
    place.error = std::move(error_);
    place.end = pos_;
    return place;
  }

 private:
  // Reads one value, or up to the wanted token.
  void run() {
    for (;;) {
      if (!space() || reached()) return;
      const char c = text_[pos_];
      if (c == '{' || c == '[') {
        if (frames_.size() == kMaxDepth) {
          error("exceeded max depth");
          return;
        }
        ++pos_;
        frames_.push_back({c == '[', false, 0, {}});
        if (!space()) return;
        if (text_[pos_] != (c == '[' ? ']' : '}')) {
          if (c == '{' && !key()) return;
          continue;
        }
        ++pos_;
        frames_.pop_back();
      } else if (!(c == '"' ? string(nullptr) : literal())) {
        return;
      }
      if (!close()) return;
      if (frames_.empty()) return;
    }
  }

  // After a value: closes what ends here; true at the next value or at the very end.
  bool close() {
    while (!frames_.empty()) {
      Frame& f = frames_.back();
      if (!space()) return false;
      const char c = text_[pos_];
      if (c == ',') {
        ++pos_;
        ++f.index;
        return f.array || (space() && key());
      }
      if (c != (f.array ? ']' : '}')) {
        return wrong(f.array ? "after array element" : "after object key:value pair");
      }
      ++pos_;
      frames_.pop_back();
    }
    return true;
  }

  bool key() {
    Frame& f = frames_.back();
    f.has_key = false;
    if (text_[pos_] != '"') return wrong("looking for beginning of object key string");
    const size_t begin = pos_;
    std::string key;
    if (!string(&key)) return false;
    f.key = std::move(key);
    f.has_key = true;
    if (wanted_ < pos_ && wanted_ != SIZE_MAX) {
      pos_ = begin;
      return false;
    }
    if (!space()) return false;
    if (text_[pos_] != ':') return wrong("after object key");
    ++pos_;
    return true;
  }

  bool string(std::string* out) {
    const size_t begin = pos_++;
    while (pos_ < text_.size() && text_[pos_] != '"') {
      const unsigned char c = static_cast<unsigned char>(text_[pos_]);
      if (c < 0x20) return wrong("in string literal");
      size_t n = 1;
      if (c == '\\') {
        n = 2;
        const char e = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
        if (e == '\0' || Str("\"\\/bfnrtu").find(e) == Str::npos) {
          ++pos_;
          return wrong("in string escape code");
        }
        for (size_t i = 2; e == 'u' && i < 6; ++i, ++n) {
          if (pos_ + i >= text_.size() ||
              Str("0123456789abcdefABCDEF").find(text_[pos_ + i]) == Str::npos) {
            pos_ += i;
            return wrong("in \\u hexadecimal character escape");
          }
        }
      } else if (c >= 0x80 && (n = utf8_length(text_, pos_)) == 0) {
        return error("invalid UTF-8");
      }
      pos_ += n;
    }
    if (pos_ >= text_.size()) return error("unexpected end of JSON input");
    if (out != nullptr) *out = text_.substr(begin + 1, pos_ - begin - 1);
    ++pos_;
    if (out == nullptr && wanted_ < pos_) {
      pos_ = begin;
      return false;
    }
    return true;
  }

  bool literal() {
    const size_t begin = pos_;
    for (const Str word : {Str("true"), Str("false"), Str("null")}) {
      if (text_[pos_] != word[0]) continue;
      for (size_t i = 0; i < word.size(); ++i, ++pos_) {
        if (pos_ >= text_.size()) return error("unexpected end of JSON input");
        if (text_[pos_] != word[i]) return wrong("in literal " + std::string(word));
      }
      return not_wanted(begin);
    }
    const auto digit = [&] {
      return pos_ < text_.size() && text_[pos_] >= '0' && text_[pos_] <= '9';
    };
    const auto digits = [&] {
      if (!digit()) return wrong("in numeric literal");
      while (digit()) ++pos_;
      return true;
    };
    if (text_[pos_] == '-') {
      ++pos_;
    } else if (!digit()) {
      return wrong("looking for beginning of value");
    }
    if (pos_ < text_.size() && text_[pos_] == '0') {
      ++pos_;
    } else if (!digits()) {
      return false;
    }
    if (pos_ < text_.size() && text_[pos_] == '.' && (++pos_, !digits())) return false;
    if (pos_ < text_.size() && (text_[pos_] == 'e' || text_[pos_] == 'E')) {
      ++pos_;
      if (pos_ < text_.size() && (text_[pos_] == '+' || text_[pos_] == '-')) ++pos_;
      if (!digits()) return false;
    }
    return not_wanted(begin);
  }

  bool not_wanted(size_t begin) {
    if (wanted_ >= pos_) return true;
    pos_ = begin;
    return false;
  }

  // At the opening bracket of a value that starts at the offset or behind it.
  bool reached() const { return pos_ >= wanted_; }

  bool space() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\n' ||
                                   text_[pos_] == '\r' || text_[pos_] == '\t')) {
      ++pos_;
    }
    return pos_ < text_.size() || error("unexpected end of JSON input");
  }

  bool wrong(const std::string& where) {
    if (pos_ >= text_.size()) return error("unexpected end of JSON input");
    const unsigned char c = static_cast<unsigned char>(text_[pos_]);
    if (c == 0) return error("NUL byte " + where);
    if (c >= 0x80 && utf8_length(text_, pos_) == 0) return error("invalid UTF-8");
    const size_t n = c < 0x80 ? 1 : utf8_length(text_, pos_);
    std::string quoted = go_quote(text_.substr(pos_, n));
    quoted = c == '"' ? "'\"'" : "'" + quoted.substr(1, quoted.size() - 2) + "'";
    return error("invalid character " + quoted + " " + where);
  }

  bool error(std::string message) {
    error_ = std::move(message);
    return false;
  }

  Str text_;
  size_t wanted_;
  size_t pos_ = 0;
  std::vector<Frame> frames_;
  std::optional<std::string> error_;
};

}  // namespace

JsonPlace place_of(Str text, size_t offset) { return Walker(text, offset).walk(); }

std::string path_key(Str key) {
  if (is_plain_key(key)) return "." + std::string(key);
  std::string quoted = "[\"";  // the key as it stands in the document, escapes kept
  return quoted.append(key).append("\"]");
}

std::string join_path(Str prefix, Str path) {
  std::string out(prefix);
  if (!out.empty() && !path.empty() && path[0] != '[' && path[0] != '.') out += '.';
  if (out.empty() && !path.empty() && path[0] == '.') path.remove_prefix(1);
  return out.append(path);
}

}  // namespace libsched
