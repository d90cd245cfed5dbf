// Writing JSON.
#include "net/src/remote/text.hpp"

#include <array>
#include <charconv>

namespace libsched::remote {

void append_quoted(std::string* out, std::string_view text) {
  out->push_back('"');
  size_t plain = 0;  // the start of what needs no escape
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out->append(text.substr(plain, i - plain));
    plain = i + 1;
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(text[i]);
    } else {
      static constexpr std::string_view kHex = "0123456789abcdef";
      out->append("\\u00");
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
    }
  }
  out->append(text.substr(plain));
  out->push_back('"');
}

void append_key(std::string* out, std::string_view key) {
  out->push_back(',');
  append_quoted(out, key);
  out->push_back(':');
}

void append_number(std::string* out, int64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out->append(digits.data(), end.ptr);
}

Error taken(libsched_error* error) {
  Error made{static_cast<Rc>(libsched_error_code(error)),
             std::string(view_of(libsched_error_message(error))),
             std::string(view_of(libsched_error_path(error))),
             std::string(view_of(libsched_error_plugin(error)))};
  libsched_error_unref(error);
  return made;
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
