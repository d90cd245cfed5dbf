// Writing JSON.
#include "net/src/remote/text.hpp"

#include <array>
#include <charconv>

namespace libsched::remote {

void append_key(std::string* out, std::string_view key) {
  out->push_back(',');
  append_json_text(*out, key);
  out->push_back(':');
}

void append_number(std::string* out, int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out->append(digits.data(), end.ptr);
}

namespace {

template <typename T>
Result<std::string> document(const T* object,
                             libsched_rc (*raw)(const T*, libsched_str*, libsched_error**),
                             libsched_rc (*json)(const T*, libsched_text**, libsched_error**)) {
  libsched_str kept{};
  if (raw(object, &kept, nullptr) == LIBSCHED_OK) return std::string(view_of(kept));
  libsched_text* text = nullptr;
  libsched_error* error = nullptr;
  if (json(object, &text, &error) != LIBSCHED_OK) return taken(error);
  std::string made(view_of(libsched_text_get(text)));
  libsched_text_unref(text);
  return made;
}

}  // namespace

Result<std::string> document_of(const libsched_pod* pod) {
  return document(pod, libsched_pod_raw, libsched_pod_json);
}
Result<std::string> document_of(const libsched_node* node) {
  return document(node, libsched_node_raw, libsched_node_json);
}

}  // namespace libsched::remote
