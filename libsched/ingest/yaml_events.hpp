// YamlEvents: the events of a YAML text, as upstream's reader would see them.
//
// The text is not copied. A text whose last line does not end is read as if it did, and a colon
// that libyaml alone refuses is replaced (YamlColons), for which the text is read again from its
// start.
#pragma once

#include <yaml.h>

#include <string>

#include "libsched/ingest/yaml_colons.hpp"

namespace libsched {

// Throws std::bad_alloc. `colons` must outlive this.
class YamlEvents {
 public:
  explicit YamlEvents(YamlColons& colons);
  ~YamlEvents();
  YamlEvents(const YamlEvents&) = delete;
  YamlEvents& operator=(const YamlEvents&) = delete;

  // Reads the next event; false: the text is no YAML there, see parser(), or is to be read again.
  bool next();
  // Whether next() has failed at a colon that another YamlEvents of the same colons reads.
  bool again() const { return again_; }
  const yaml_event_t& event() const { return event_; }
  // The text of the scalar that the event is; it is valid until the next call.
  Str scalar_text();
  const yaml_parser_t& parser() const { return parser_; }

 private:
  static int read(void* data, unsigned char* buffer, size_t size, size_t* read);

  YamlColons& colons_;
  Str rest_;              // of the text, for libyaml
  bool newline_ = false;  // still to be given, after `rest_`
  bool again_ = false;
  std::string scratch_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
};

// Texts of events, which may be absent.
inline Str yaml_view(const yaml_char_t* s) {
  return s == nullptr ? Str() : Str(reinterpret_cast<const char*>(s));
}

}  // namespace libsched
