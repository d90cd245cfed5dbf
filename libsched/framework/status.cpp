// Status: names of codes, and texts in upstream's form.
#include "libsched/framework/status.hpp"

namespace libsched {

const char* code_name(Code code) {
  switch (code) {
    case Code::kSuccess: return "Success";
    case Code::kError: return "Error";
    case Code::kUnschedulable: return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable: return "UnschedulableAndUnresolvable";
    case Code::kWait: return "Wait";
    case Code::kSkip: return "Skip";
    case Code::kPending: return "Pending";
  }
  return nullptr;
}

Status::Status(Code c, std::string reason) : code(c) { reasons.push_back(std::move(reason)); }

void Status::set(Code c, Str reason) {
  code = c;
  error.reset();
  reasons.resize(1);
  reasons[0].assign(reason);
}

Status Status::from_error(std::string text) {
  Status s(Code::kError, text);
  s.error = std::move(text);
  return s;
}

Status Status::unresolvable(std::string reason) {
  return Status(Code::kUnschedulableAndUnresolvable, std::move(reason));
}

Status Status::wrap(const std::string& prefix, const Status& s) {
  return from_error(prefix + s.error_text());
}

std::string Status::message() const {
  std::string out;
  for (size_t i = 0; i < reasons.size(); ++i) out += (i == 0 ? "" : ", ") + reasons[i];
  return out;
}

std::optional<std::string> Status::as_error() const {
  if (code == Code::kSuccess || code == Code::kWait || code == Code::kSkip) return std::nullopt;
  return error ? *error : message();
}

std::string Status::error_text() const { return as_error().value_or("%!w(<nil>)"); }

void Status::set_error(std::string text) {
  if (error) reasons.erase(reasons.begin());
  reasons.insert(reasons.begin(), text);
  error = std::move(text);
}

std::string go_list(const std::vector<std::string>& items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : " ") + items[i];
  return out + "]";
}

}  // namespace libsched
