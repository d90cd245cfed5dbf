// Follows the tokens up to a place.
#include "libsched/ingest/json_place.hpp"

#include <vector>

#include "libsched/base/ascii.hpp"
#include "libsched/base/json_scanner.hpp"
#include "libsched/base/utf8.hpp"

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
  for (const char c : key)
    if (!is_alnum(c) && c != '_' && c != '-') return false;
  return !key.empty();
}

class Walker : public JsonListener {
 public:
  Walker(Str text, size_t wanted) : text_(text), wanted_(wanted) {}

  JsonPlace walk() {
    JsonScanner scanner(text_, kMaxDepth, this);
    JsonPlace place;
    if (scanner.read()) {
      place.end = scanner.position();
    } else if (scanner.fault()) {
      place.end = scanner.fault()->at;
      place.error = message(*scanner.fault());
    } else {
      place.end = stopped_;
      if (wrong_byte_) place.error = "invalid UTF-8";
    }
    for (const Frame& f : frames_) {
      if (f.array) {
        place.path += "[" + std::to_string(f.index) + "]";
      } else if (f.has_key) {
        place.path += path_key(f.key);
      }
    }
    if (!place.path.empty() && place.path[0] == '.') place.path.erase(0, 1);
    return place;
  }

  bool token(JsonToken token, size_t begin, size_t end) override {
    switch (token) {
      case JsonToken::kOpen:
        if (begin >= wanted_) return stop(begin);
        frames_.push_back({text_[begin] == '[', false, 0, {}});
        return true;
      case JsonToken::kClose: frames_.pop_back(); return true;
      case JsonToken::kComma:
        frames_.back().has_key = false;
        ++frames_.back().index;
        return true;
      case JsonToken::kKey:
        if (!is_text(begin, end)) return false;
        frames_.back().key = text_.substr(begin + 1, end - begin - 2);
        frames_.back().has_key = true;
        break;
      case JsonToken::kScalar:
        if (!is_text(begin, end)) return false;
        break;
    }
    return wanted_ >= end || stop(begin);
  }

 private:
  bool stop(size_t at) {
    stopped_ = at;
    return false;
  }
  // Whether a token is UTF-8; stops at its first byte that is not.
  bool is_text(size_t begin, size_t end) {
    while (begin < end) {
      const size_t length = utf8_length(text_, begin);
      wrong_byte_ = length == 0;
      if (wrong_byte_) return stop(begin);
      begin += length;
    }
    return true;
  }
  std::string message(const JsonFault& fault) const {
    if (fault.too_deep) return "exceeded max depth";
    if (fault.at == text_.size()) return "unexpected end of JSON input";
    if (text_[fault.at] == 0) return "NUL byte " + fault.where;
    const size_t length = utf8_length(text_, fault.at);
    return length == 0 ? "invalid UTF-8" : fault.message(text_.substr(fault.at, length));
  }

  Str text_;
  size_t wanted_;
  size_t stopped_ = 0;
  bool wrong_byte_ = false;
  std::vector<Frame> frames_;
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
