// Documents of every form that is accepted, of any size.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace growth {

struct Form {
  std::string name;
  // A text of about this many bytes, which is accepted.
  std::function<std::string(size_t bytes)> make;
  bool slow = false;  // many instructions a byte: YAML
  // What reads the text in place of load(); false: it is refused.
  std::function<bool(const std::string& text)> read = nullptr;
};

std::vector<Form> json_forms();
std::vector<Form> object_forms();
std::vector<Form> yaml_forms();
std::vector<Form> answer_forms();  // of plugins and extenders in other processes

// `begin`, as many numbered items as fit, separated by `separator`, then `end`.
std::string repeat(size_t bytes, const std::string& begin,
                   const std::function<std::string(size_t)>& item, const std::string& separator,
                   const std::string& end);
// A Pod as an API server returns it, compact.
std::string pod(size_t i);

}  // namespace growth
