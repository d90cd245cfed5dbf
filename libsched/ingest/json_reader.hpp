// JsonReader: a cursor over JSON text whose structure simdjson has found.
//
// simdjson's first stage (chosen for the CPU at run time) checks UTF-8 and string ends and lists
// the start of each token; this class walks that list, so unread values cost a few steps
// and numbers keep their text. The text is read a window at a time, without copying or padding.
// All functions that return bool return false after fail(); `failure()` has error and place.
// Paths are not kept while reading: place_of() (json_place.hpp) finds them for an offset.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/key_table.hpp"

namespace libsched {

struct JsonFailure {
  enum class Kind : uint8_t {
    kNone,
    kWindowEnd,  // the window ended inside a value: load the next one and start the value again
    kSyntax,     // not JSON; place_of() finds the error
    kValue,      // JSON, but a wrong value: see `message`
  };
  Kind kind = Kind::kNone;
  Rc rc = Rc::kInvalid;
  size_t offset = 0;    // in the text
  std::string message;  // of kValue
  std::string below;    // appended to the path, such as ".metadata.name"
};

// A JSON string as it stands in the text, without its quotes.
struct JsonString {
  Str text;
  bool escaped = false;
};

class JsonReader {
 public:
  explicit JsonReader(int max_depth);
  ~JsonReader();
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  // Windows. load() lists the tokens from `offset`, which must be the start of a token outside of
  // any string, to a little before `offset + window`; false: not JSON (failure() has no offset
  // yet).
  void open(Str text) { text_ = text; }
  bool load(size_t offset, size_t window = kWindow);
  bool last_window() const { return window_end_ == text_.size(); }
  size_t window_end() const { return window_end_; }
  Str text() const { return text_; }
  static constexpr size_t kWindow = size_t{256} << 10;

  // Runs `read` (which must have no effect when it fails) on the following value, with a window
  // that holds all of it.
  template <typename Read>
  bool whole(Read&& read);

  // Tokens.
  bool at_end() const { return next_ >= count_; }
  char peek() const { return at_end() ? '\0' : base_[tokens_[next_]]; }
  size_t offset() const {
    return window_begin_ + (at_end() ? window_end_ - window_begin_ : tokens_[next_]);
  }
  // Takes the token if it is this character.
  bool take(char c) {
    if (peek() != c) return false;
    ++next_;
    return true;
  }
  bool expect(char c) { return take(c) || syntax(); }

  // Going back to a token of the same window.
  struct Mark {
    uint32_t next;
    int depth;
    size_t backslash;
  };
  Mark mark() const { return {next_, depth_, backslash_}; }
  void rewind(const Mark& mark) {
    next_ = mark.next;
    depth_ = mark.depth;
    backslash_ = mark.backslash;
  }
  void set_depth(int depth) { depth_ = depth; }
  int depth() const { return depth_; }
  // The end of the token before the next one, if that is a closing bracket.
  size_t end_of_last() const { return window_begin_ + tokens_[next_ - 1] + 1; }

  // Values. A value of another type fails with "expected ..., got ...".
  bool skip();
  bool is_null() const { return peek() == 'n'; }
  bool string(JsonString& out);
  bool key(JsonString& out);  // a string and the colon after it
  bool scalar(Str& out);      // the text of a number, true, false or null, checked
  bool enter(char open);      // an opening bracket; fails beyond the greatest depth
  void leave() { --depth_; }  // after the closing bracket was taken

  // Copies a string to the arena, escapes resolved.
  bool text_of(const JsonString& s, Arena& arena, Str& out);
  // The text is valid until `scratch` changes; it is copied there only if it has escapes.
  bool text_of(const JsonString& s, std::string& scratch, Str& out);

  bool syntax();
  bool fail(size_t offset, std::string message, std::string below = {}, Rc rc = Rc::kInvalid);
  bool wrong_type(Str wanted);  // of the next value
  JsonFailure& failure() { return failure_; }

 private:
  struct Simd;

  size_t token_end() const {
    return next_ + 1 < count_ ? tokens_[next_ + 1] : window_end_ - window_begin_;
  }
  Str token_text() const;  // of a token that is no string, without the white space after it
  bool check_escapes(Str text, size_t offset);
  bool unescape(Str text, char* to, Str& out);
  void find_backslash(size_t from);

  Str text_;
  const char* base_ = nullptr;        // text_.data() + window_begin_
  const uint32_t* tokens_ = nullptr;  // offsets from base_
  uint32_t next_ = 0, count_ = 0;
  size_t backslash_ = 0;  // the first at or after the next token, from base_
  int depth_ = 0;
  const int max_depth_;
  size_t window_begin_ = 0, window_end_ = 0;
  std::vector<uint8_t> in_array_;  // by depth, for skip()
  JsonFailure failure_;
  std::unique_ptr<Simd> simd_;
};

inline bool JsonReader::string(JsonString& out) {
  if (peek() != '"') return wrong_type("a string");
  const size_t begin = tokens_[next_] + 1;
  size_t end = token_end();
  while (base_[end - 1] != '"') --end;  // white space; the string is closed, so this ends
  --end;
  if (end < begin) return syntax();
  out.text = Str(base_ + begin, end - begin);
  out.escaped = false;
  if (backslash_ < end) {
    out.escaped = true;
    if (!check_escapes(out.text, begin)) return false;
    find_backslash(end);
  }
  ++next_;
  return true;
}

inline bool JsonReader::key(JsonString& out) {
  if (peek() != '"') return syntax();
  return string(out) && expect(':');
}

inline bool JsonReader::enter(char open) {
  if (!take(open)) return wrong_type(open == '{' ? "an object" : "an array");
  if (++depth_ > max_depth_) {
    --next_;
    return fail(offset(), "nested more than " + std::to_string(max_depth_) + " levels deep", {},
                Rc::kLimit);
  }
  return true;
}

template <typename Read>
bool JsonReader::whole(Read&& read) {
  const size_t begin = offset();
  const int depth = depth_;
  size_t window = window_end_ - window_begin_;
  while (!read()) {
    if (failure_.kind != JsonFailure::Kind::kWindowEnd || last_window()) return false;
    // A value that fills the whole window needs a larger one.
    window = window_begin_ == begin ? window * 2 : kWindow;
    depth_ = depth;
    if (!load(begin, window)) return false;
  }
  return true;
}

}  // namespace libsched
