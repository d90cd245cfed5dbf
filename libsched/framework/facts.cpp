// Facts: making their fields. Out of line, because no caller is in a hurry.
#include "libsched/framework/facts.hpp"

namespace libsched {

// Never inlined: GCC 12 takes members of the variant for uninitialized there.
[[gnu::noinline]] Fact& Fact::number(const char* name, int64_t value) {
  fields.push_back({name, value});
  return *this;
}
[[gnu::noinline]] Fact& Fact::flag(const char* name, bool value) {
  fields.push_back({name, value});
  return *this;
}
Fact& Fact::text(const char* name, Str value) {
  fields.push_back({name, std::string(value)});
  return *this;
}
Fact& Fact::key(const char* name, Str ns, Str of) {
  return text(name, ns.empty() ? std::string(of) : std::string(ns).append("/").append(of));
}
Fact& Fact::pod(const ObjectMeta& meta) {
  key("pod", meta.ns, meta.name);
  return meta.terminating() ? flag("terminating", true) : *this;
}
Fact& Fact::texts(const char* name, Span<Str> values) {
  fields.push_back({name, std::vector<std::string>(values.begin(), values.end())});
  return *this;
}

Fact& Facts::add(Str reason) {
  list_.emplace_back().reason = reason;
  return list_.back();
}
Fact& Facts::add(const Fact& begun) {
  list_.push_back(begun);
  return list_.back();
}

}  // namespace libsched
