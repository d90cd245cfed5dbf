// JsonScanner: reads JSON as the scanner of Go's encoding/json does, and stops where that stops.
#pragma once

#include <optional>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

enum class JsonToken : char { kOpen, kClose, kComma, kKey, kScalar };

// What is told of the tokens of a text, in their order. A key or a scalar is text[begin, end).
class JsonListener {
 public:
  virtual ~JsonListener() = default;
  // False ends reading.
  virtual bool token(JsonToken token, size_t begin, size_t end) = 0;
};

// Where a text is no JSON, and why.
struct JsonFault {
  size_t at = 0;           // the size of the text: it ends too early
  std::string where;       // what Go says about the character there: "after object key"
  bool space_fits = true;  // whether white space could stand there
  bool too_deep = false;

  // "invalid character 'x' after object key". `character` is the character in UTF-8.
  std::string message(Str character) const;
};

// Reads white space and one value of a text, and whatever follows it is not looked at. Reading is
// iterative, as the text decides how deep its values are.
class JsonScanner {
 public:
  JsonScanner(Str text, size_t max_depth, JsonListener* listener = nullptr)
      : text_(text), max_depth_(max_depth), listener_(listener) {}

  // False: fault() says why, unless it was the listener who ended it.
  bool read();
  void skip_space();
  // Makes the place that was reached a fault.
  bool fail(std::string where, bool space_fits = true);

  size_t position() const { return at_; }
  const std::optional<JsonFault>& fault() const { return fault_; }

 private:
  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool at_digit() const;
  bool tell(JsonToken token, size_t begin) {
    return listener_ == nullptr || listener_->token(token, begin, at_);
  }
  bool open(std::string& brackets);
  bool close(std::string& brackets);
  bool key();
  bool scalar();
  bool literal(const char* word);
  bool string();
  bool digits(const char* where);
  bool number();

  Str text_;
  size_t max_depth_;
  JsonListener* listener_;
  size_t at_ = 0;
  std::optional<JsonFault> fault_;
};

}  // namespace libsched
