// CsvReader: the records of a CSV text as RFC 4180 has it, with the line on which each begins.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

class CsvReader {
 public:
  // A byte order mark is skipped. The text must live as long as the reader; fields live until the
  // next call of next().
  explicit CsvReader(Str text);

  // Reads a record; empty lines between records are skipped. Returns false at the end. Errors:
  // kInvalid (a quote that is not closed, or text around a quoted field).
  Result<bool> next(std::vector<Str>* fields);
  size_t line() const { return line_; }  // where the latest record begins, from 1 on

 private:
  Result<Str> field();
  Result<Str> quoted();
  bool at_line_end() const {
    return at_ == text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }
  void skip_line_end();

  Str text_;
  size_t at_ = 0;
  size_t line_ = 0, next_line_ = 1;
  std::deque<std::string> unquoted_;  // fields of the record that had doubled quotes
};

}  // namespace libsched
