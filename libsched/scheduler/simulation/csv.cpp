// See csv.hpp.
#include "libsched/scheduler/simulation/csv.hpp"

#include <algorithm>

namespace libsched {

CsvReader::CsvReader(Str text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

void CsvReader::skip_line_end() {
  if (at_ == text_.size()) return;
  at_ += text_[at_] == '\r' ? 2 : 1;
  ++next_line_;
}

Result<Str> CsvReader::quoted() {
  const size_t begin = ++at_;
  bool doubled = false;
  for (;; ++at_) {
    at_ = text_.find('"', at_);
    if (at_ == Str::npos) {
      at_ = text_.size();
      return invalid({}, "a quoted field is not closed");
    }
    if (text_.substr(at_ + 1, 1) != "\"") break;
    doubled = true;
    ++at_;
  }
  const Str inside = text_.substr(begin, at_ - begin);
  ++at_;
  next_line_ += static_cast<size_t>(std::count(inside.begin(), inside.end(), '\n'));
  if (!at_line_end() && text_[at_] != ',') return invalid({}, "there is text after a quoted field");
  if (!doubled) return inside;
  std::string& text = unquoted_.emplace_back();
  for (size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    if (inside[i] == '"') ++i;
  }
  return Str(text);
}

Result<Str> CsvReader::field() {
  if (text_.substr(at_, 1) == "\"") return quoted();
  const size_t begin = at_;
  while (!at_line_end() && text_[at_] != ',') ++at_;
  const Str text = text_.substr(begin, at_ - begin);
  if (text.find('"') != Str::npos) return invalid({}, "there is text before a quoted field");
  return text;
}

Result<bool> CsvReader::next(std::vector<Str>* fields) {
  fields->clear();
  unquoted_.clear();
  while (at_ < text_.size() && at_line_end()) skip_line_end();
  line_ = next_line_;
  if (at_ == text_.size()) return false;
  for (;; ++at_) {
    const Result<Str> text = field();
    if (!text.ok()) return text.error();
    fields->push_back(*text);
    if (at_line_end()) break;
  }
  skip_line_end();
  return true;
}

}  // namespace libsched
