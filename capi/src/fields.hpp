// Reads lists of parsed objects by position.
#pragma once

#include "handles.hpp"

namespace libsched::capi {

// The item at `index`, or null; a null handle has an empty list.
template <typename T>
const T* item_at(Span<T> list, size_t index) {
  return index < list.size() ? &list[index] : nullptr;
}

template <typename T, typename U>
void write_to(T* where, const U& value) {
  if (where != nullptr) *where = value;
}

// Checks that the annotations of a pod or node were kept.
Result<void> annotations_kept(const ObjectMeta& meta);
Result<void> annotation_into(const ObjectMeta& meta, Str key, bool* found, libsched_str* value);
inline bool annotation_at(const ObjectMeta& meta, size_t index, libsched_str* key,
                          libsched_str* value) {
  const KeyValue* a = item_at(meta.annotations, index);
  if (a == nullptr) return false;
  write_to(key, out(a->key));
  write_to(value, out(a->value));
  return true;
}

inline bool pair_at(Labels labels, size_t index, libsched_str* key, libsched_str* value) {
  const Label* l = item_at(labels, index);
  if (l == nullptr) return false;
  write_to(key, out(l->key));
  write_to(value, out(l->value));
  return true;
}

inline bool string_at(Span<Str> list, size_t index, libsched_str* text) {
  const Str* s = item_at(list, index);
  if (s == nullptr) return false;
  write_to(text, out(*s));
  return true;
}

inline bool time_into(const Time& t, int64_t* ns) {
  if (t.present) write_to(ns, t.ns);
  return t.present;
}

// Resources as a list: those of the four built-in ones that are not 0, then the scalars.
size_t resource_count(const Resources& r);
bool resource_at(const Resources& r, size_t index, libsched_str* name, int64_t* amount);

}  // namespace libsched::capi
