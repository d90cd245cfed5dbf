// Texts of field errors.
#include "libsched/config/field_errors.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {

std::string child(const std::string& parent, Str name) {
  return parent.empty() ? std::string(name) : parent + "." + std::string(name);
}

std::string item(const std::string& parent, size_t index) {
  return parent + "[" + std::to_string(index) + "]";
}

void FieldErrors::add(const std::string& path, std::string body, const std::string& detail) {
  if (!detail.empty()) body += ": " + detail;
  // Go prints the path of nothing as "<nil>".
  list_.push_back({path, (path.empty() ? "<nil>" : path) + ": " + body});
}

void FieldErrors::aggregate(const std::string& path, std::string text) {
  if (text.empty()) return;
  const bool several = text.front() == '[';
  if (several) text = text.substr(1, text.size() - 2);
  list_.push_back({path, std::move(text), several});
}

void FieldErrors::invalid(const std::string& path, const std::string& value,
                          const std::string& detail) {
  add(path, "Invalid value: " + value, detail);
}
void FieldErrors::required(const std::string& path, const std::string& detail) {
  add(path, "Required value", detail);
}
void FieldErrors::forbidden(const std::string& path, const std::string& detail) {
  add(path, "Forbidden", detail);
}
void FieldErrors::duplicate(const std::string& path, const std::string& value) {
  add(path, "Duplicate value: " + value, {});
}

void FieldErrors::not_supported(const std::string& path, const std::string& value,
                                const std::vector<Str>& supported) {
  std::string list;
  for (const Str s : supported) list += (list.empty() ? "" : ", ") + go_quote(s);
  add(path, "Unsupported value: " + value, "supported values: " + list);
}

void FieldErrors::check_label_key(const std::string& path, Str key, bool older_syntax) {
  for (const std::string& e : qualified_name_errors(key, older_syntax))
    invalid(path, go_quote(key), e);
}

Error FieldErrors::error() const {
  std::vector<Str> seen;
  std::string joined;
  bool several = false;
  for (const Entry& e : list_) {
    if (std::find(seen.begin(), seen.end(), Str(e.text)) != seen.end()) continue;
    seen.emplace_back(e.text);
    several = several || e.several || seen.size() > 1;
    joined += (joined.empty() ? "" : ", ") + e.text;
  }
  if (several) joined = "[" + joined + "]";
  return libsched::invalid(list_.empty() ? "" : list_.front().path, std::move(joined));
}

}  // namespace libsched
