// Hands libyaml the text piece by piece.
#include "libsched/ingest/yaml_events.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace libsched {

YamlEvents::YamlEvents(YamlColons& colons)
    : colons_(colons), rest_(colons.text()), newline_(!rest_.ends_with('\n')) {
  if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
  yaml_parser_set_input(&parser_, read, this);
}

YamlEvents::~YamlEvents() {
  yaml_event_delete(&event_);
  yaml_parser_delete(&parser_);
}

int YamlEvents::read(void* data, unsigned char* buffer, size_t size, size_t* read) {
  auto& self = *static_cast<YamlEvents*>(data);
  *read = std::min(size, self.rest_.size());
  if (*read > 0) std::memcpy(buffer, self.rest_.data(), *read);
  self.rest_.remove_prefix(*read);
  if (*read < size && self.newline_ && self.rest_.empty()) {
    buffer[(*read)++] = '\n';
    self.newline_ = false;
  }
  return 1;
}

bool YamlEvents::next() {
  yaml_event_delete(&event_);
  if (yaml_parser_parse(&parser_, &event_) != 0) return true;
  if (parser_.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
  again_ = parser_.error == YAML_SCANNER_ERROR && Str(parser_.problem) == "found unexpected ':'" &&
           colons_.replace(parser_.problem_mark.index);
  return false;
}

Str YamlEvents::scalar_text() {
  const auto& s = event_.data.scalar;
  return colons_.restored(Str(reinterpret_cast<const char*>(s.value), s.length), scratch_);
}

}  // namespace libsched
