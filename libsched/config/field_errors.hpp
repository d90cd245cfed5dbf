// Field errors with the texts and the joining of upstream's validation.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// "a.b" from "a" and "b"; an empty parent is the root.
std::string child(const std::string& parent, Str name);
std::string item(const std::string& parent, size_t index);

class FieldErrors {
 public:
  // `value` is the offending value as it is to be printed, quoted if it is a string.
  void invalid(const std::string& path, const std::string& value, const std::string& detail);
  void required(const std::string& path, const std::string& detail = {});
  void forbidden(const std::string& path, const std::string& detail);
  void duplicate(const std::string& path, const std::string& value);
  void not_supported(const std::string& path, const std::string& value,
                     const std::vector<Str>& supported);

  // Adds aggregated errors: "" for none, "path: ...", or "[path: ..., path: ...]".
  void aggregate(const std::string& path, std::string text);
  // Upstream's check of label keys, which are also resource names; each message is an error.
  void check_label_key(const std::string& path, Str key, bool older_syntax);

  bool empty() const { return list_.empty(); }
  // All of them: "a", or "[a, b]" without repetitions. The error's path is that of the first one.
  Error error() const;

 private:
  struct Entry {
    std::string path, text;
    bool several = false;  // `text` is more than one error
  };
  void add(const std::string& path, std::string body, const std::string& detail);

  std::vector<Entry> list_;
};

}  // namespace libsched
