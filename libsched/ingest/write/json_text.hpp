// JsonText: writes JSON piece by piece, and sets the commas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/objects/resources.hpp"

namespace libsched {

// A value follows each key. Texts that are empty and numbers that are 0 are left out where a
// function is called `...if...`. Not thread-safe; throws nothing but bad_alloc.
class JsonText {
 public:
  void open(char bracket) {
    next();
    text_ += bracket;
    comma_ = false;
  }
  void close(char bracket) {
    text_ += bracket;
    comma_ = true;
  }
  void key(Str name) {
    next();
    text_ += json_quote(name);
    text_ += ':';
    comma_ = false;
  }
  void string(Str value) { raw(json_quote(value)); }
  void number(int64_t value) { raw(std::to_string(value)); }
  void boolean(bool value) { raw(value ? "true" : "false"); }
  void null() { raw("null"); }
  void raw(Str json) {
    next();
    text_ += json;
    comma_ = true;
  }

  void field(Str name, Str value) {
    key(name);
    string(value);
  }
  void number(Str name, int64_t value) {
    key(name);
    number(value);
  }
  void boolean(Str name, bool value) {
    key(name);
    boolean(value);
  }
  void field_if(Str name, Str value) {
    if (!value.empty()) field(name, value);
  }
  void field_if(Str name, const std::optional<Str>& value) {
    if (value) field(name, *value);
  }
  void number_if(Str name, int64_t value) {
    if (value != 0) number(name, value);
  }
  template <typename Number>
  void number_if(Str name, const std::optional<Number>& value) {
    if (value) number(name, *value);
  }
  void true_if(Str name, bool value) {
    if (value) boolean(name, true);
  }
  template <typename F>
  void object(Str name, F&& fields) {
    key(name);
    object(std::forward<F>(fields));
  }
  template <typename F>
  void object(F&& fields) {
    open('{');
    fields();
    close('}');
  }
  // f(item) writes each item.
  template <typename T, typename F>
  void list(Str name, Span<T> items, F&& f) {
    key(name);
    open('[');
    for (const T& item : items) f(item);
    close(']');
  }
  template <typename T, typename F>
  void list_if(Str name, Span<T> items, F&& f) {
    if (!items.empty()) list(name, items, std::forward<F>(f));
  }
  // Lists of objects: f(item) writes the fields of each.
  template <typename T, typename F>
  void objects(Str name, Span<T> items, F&& f) {
    list(name, items, [&](const T& item) { object([&] { f(item); }); });
  }
  template <typename T, typename F>
  void objects_if(Str name, Span<T> items, F&& f) {
    if (!items.empty()) objects(name, items, std::forward<F>(f));
  }
  void strings_if(Str name, Span<Str> items) {
    list_if(name, items, [&](Str item) { string(item); });
  }
  void amounts(Str name, ResourceList list) {
    object(name, [&] {
      for (const NamedQuantity& item : list) field(item.name, item.quantity.to_string());
    });
  }
  void amounts_if(Str name, ResourceList list) {
    if (!list.empty()) amounts(name, list);
  }
  void labels(Str name, Labels labels) {
    object(name, [&] {
      for (const Label& l : labels) field(l.key, l.value);
    });
  }

  std::string take() { return std::move(text_); }

 private:
  void next() {
    if (comma_) text_ += ',';
  }

  std::string text_;
  bool comma_ = false;
};

}  // namespace libsched
