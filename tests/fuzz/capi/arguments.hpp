// Arguments by the type of a parameter. Each prints itself for the log, and settles after the call:
// it checks outputs by the rules of libsched.h, and puts owned handles into the pools.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "documents.hpp"
#include "turn.hpp"

namespace fuzz {

enum Rules : unsigned { kConst = 1, kExclusive = 2, kMayBeNull = 4 };

// A handle of the kind as an argument, good or bad. Sets must_refuse for bad ones.
struct Picked {
  void* handle = nullptr;
  Entry* entry = nullptr;  // pinned; null if it is borrowed or bad
  std::string text;
  bool lasts = true;  // false: borrowed from a view, which the call may change
  PodFacts pod;       // the facts of a pod that may not last
};
Picked pick(Turn& t, Kind kind, unsigned rules);
void unpin(const void* handle);

// The cluster that a handle belongs to, which stays unchanged unless the call changes clusters.
class Watch {
 public:
  Watch(Kind kind, const void* handle);
  void settle(const Turn& t, bool failed) const;
  const std::shared_ptr<Cluster>& cluster() const { return cluster_; }
  const libsched_view* view() const { return view_; }
  bool disturbed() const { return cluster_ != nullptr && cluster_->changes != changes_; }

 private:
  std::shared_ptr<Cluster> cluster_, hidden_;  // hidden: an outer call changes it
  const libsched_view* view_ = nullptr;
  uint64_t version_ = 0, changes_ = 0;
};

template <typename T>
class In {
 public:
  static constexpr Kind kKind = kind_of(static_cast<const std::remove_const_t<T>*>(nullptr));
  In(Turn& t, const char* name, unsigned rules)
      : name_(name), picked_(pick(t, kKind, rules)), watch_(kKind, picked_.handle) {}
  ~In() {
    if (picked_.entry != nullptr) unpin(picked_.handle);
  }
  In(const In&) = delete;
  In& operator=(const In&) = delete;

  T* get() const { return static_cast<T*>(picked_.handle); }
  const Watch& watch() const { return watch_; }
  // The facts of a pod, even after the object that lent it was released.
  PodFacts facts() const { return picked_.lasts ? facts_of(get()) : picked_.pod; }
  std::string show() const { return std::string(name_) + "=" + picked_.text; }
  void settle(Turn& t, libsched_rc rc) { watch_.settle(t, rc != LIBSCHED_OK); }

 private:
  const char* name_;
  Picked picked_;
  Watch watch_;
};

// A reference to release: one that the program has, or one that it does not have.
Picked pick_released(Turn& t, Kind kind);
template <typename T>
class Released {
 public:
  Released(Turn& t, const char*) : picked_(pick_released(t, kind_of(static_cast<T*>(nullptr)))) {}
  T* get() const { return static_cast<T*>(picked_.handle); }
  std::string show() const { return picked_.text; }
  void settle(Turn&, libsched_rc) {}

 private:
  Picked picked_;
};

class Fault {
 public:
  Fault(Turn& t, const char*) : asked_(!t.choose.one_in(8)) {}
  libsched_error** get() { return asked_ ? &error_ : nullptr; }
  std::string show() const { return asked_ ? "" : "error=NULL"; }
  void settle(Turn& t, libsched_rc rc);

 private:
  bool asked_;
  libsched_error* error_ = untouched();
  static libsched_error* untouched() {
    return reinterpret_cast<libsched_error*>(uintptr_t{0x5150});
  }
};

template <typename T>
class Out {
 public:
  Out(Turn& t, const char*, unsigned rules = 0) : given_(!t.choose.one_in(64)) {
    if (!given_ && (rules & kMayBeNull) == 0) t.must_refuse = true;
  }
  T** get() { return given_ ? &handle_ : nullptr; }
  T* made() const { return handle_ == untouched() ? nullptr : handle_; }
  std::string show() const { return given_ ? "" : "out=NULL"; }
  void settle(Turn& t, libsched_rc rc) {
    if (!given_) return;
    if (rc == LIBSCHED_OK)
      t.adopt(handle_);
    else if (handle_ != untouched())
      t.wrong("failed and wrote an output");
  }

 private:
  bool given_;
  T* handle_ = untouched();
  static T* untouched() { return reinterpret_cast<T*>(uintptr_t{0x5250}); }
};

template <typename T>
class OwnedArray {
 public:
  OwnedArray(Turn& t, const char*) : list_(t.choose.below(5)) {}
  T** get() { return list_.empty() ? nullptr : list_.data(); }
  size_t length() const { return list_.size(); }
  std::string show() const { return "capacity=" + std::to_string(list_.size()); }
  void settle(Turn& t, libsched_rc) {
    for (T* handle : list_) t.adopt(handle);
  }

 private:
  std::vector<T*> list_;
};

// Strings have memory of exactly their length.
class String {
 public:
  String(Turn& t, const char* name, Words words);
  libsched_str get() const { return str_; }
  const std::string& copy() const { return text_; }  // also when what lent it has gone
  std::string show() const;
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  std::string text_;
  std::unique_ptr<char[]> room_;
  libsched_str str_ = {nullptr, 0};
};

class CString {
 public:
  CString(Turn& t, const char*)
      : text_(make_text(t.choose, Words::kAny)), null_(t.choose.one_in(8)) {}
  const char* get() const { return null_ ? nullptr : text_.c_str(); }
  std::string show() const { return null_ ? "NULL" : text_; }
  void settle(Turn&, libsched_rc) {}

 private:
  std::string text_;
  bool null_;
};

int64_t make_number(Choices& choose);
template <typename T>
class Number {
 public:
  Number(Turn& t, const char* name) : name_(name), value_(static_cast<T>(make_number(t.choose))) {
    if constexpr (std::is_same_v<T, bool>) value_ = t.choose.one_in(2);
  }
  T get() const { return value_; }
  std::string show() const { return std::string(name_) + "=" + std::to_string(value_); }
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  T value_;
};

class Count {
 public:
  explicit Count(Turn& t)
      : count_(t.choose.one_in(5) ? t.choose.below(6) : 1 + t.choose.below(2)) {}
  size_t get() const { return count_; }

 private:
  size_t count_;
};

template <typename T>
class Handles {
 public:
  Handles(Turn& t, const char* name, const Count& count) : name_(name) {
    const Kind kind = In<T>::kKind;
    for (size_t i = 0; i < count.get(); ++i) {
      picked_.push_back(pick(t, kind, kConst));
      list_.push_back(static_cast<T*>(picked_.back().handle));
    }
    if (count.get() == 0 || !t.choose.one_in(40)) return;
    null_ = t.must_refuse = true;
  }
  ~Handles() {
    for (const Picked& p : picked_)
      if (p.entry != nullptr) unpin(p.handle);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  T* const* get() const { return null_ ? nullptr : list_.data(); }
  const std::vector<T*>& list() const { return list_; }
  std::string show() const {
    std::string out = std::string(name_) + (null_ ? "=NULL of [" : "=[");
    for (const Picked& p : picked_) out += p.text + " ";
    return out + "]";
  }
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  std::vector<Picked> picked_;
  std::vector<T*> list_;
  bool null_ = false;
};

class Strings {
 public:
  Strings(Turn& t, const char* name, const Count& count, Words words) : null_(t.choose.one_in(8)) {
    for (size_t i = 0; i < count.get(); ++i) {
      items_.push_back(std::make_unique<String>(t, name, words));
      list_.push_back(items_.back()->get());
    }
  }
  const libsched_str* get() const { return null_ ? nullptr : list_.data(); }
  std::string at(size_t i) const { return null_ ? "" : items_[i]->copy(); }
  std::string show() const {
    std::string out = null_ ? "NULL of [" : "[";
    for (const auto& i : items_) out += i->show() + " ";
    return out + "]";
  }
  void settle(Turn&, libsched_rc) {}

 private:
  bool null_;
  std::vector<std::unique_ptr<String>> items_;
  std::vector<libsched_str> list_;
};

// One value that a call may write.
template <typename T>
class Output {
 public:
  Output(Turn& t, const char*) : given_(!t.choose.one_in(7)) {
    std::memset(room_, 0xa5, sizeof room_);
  }
  T* get() { return given_ ? reinterpret_cast<T*>(room_) : nullptr; }
  bool given() const { return given_; }
  T value() const {
    T v;
    std::memcpy(&v, room_, sizeof v);
    return v;
  }
  std::string show() const { return given_ ? "" : "NULL"; }
  void settle(Turn& t, libsched_rc rc) {
    bool touched = false;
    for (const unsigned char b : room_) touched = touched || b != 0xa5;
    // BUFFER tells the size that is needed.
    if (touched && rc != LIBSCHED_ERR_BUFFER && (rc != LIBSCHED_OK || !t.written))
      t.wrong("wrote an output that it had to leave");
    if constexpr (std::is_same_v<T, libsched_str>)
      if (touched) t.look(value());
  }

 private:
  bool given_;
  alignas(T) unsigned char room_[sizeof(T)];
};

// An array with its length. The texts of waits belong to the plugin; rooms have exactly the length.
template <typename T>
class Buffer {
 public:
  using Item = std::remove_const_t<T>;
  Buffer(Turn& t, const char* name, bool kept);
  ~Buffer() { delete[] list_; }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* get() const { return null_ ? nullptr : list_; }
  size_t length() const { return null_ ? 0 : length_; }
  std::string show() const {
    return std::string(name_) + "[" + (null_ ? "NULL" : std::to_string(length_)) + "]";
  }
  void settle(Turn& t, libsched_rc rc) {
    if (kept_ && !null_ && length_ != 0 && rc != LIBSCHED_OK &&
        std::memcmp(list_, before_.data(), length_ * sizeof(Item)) != 0)
      t.wrong("failed and wrote into an array");
  }

 private:
  const char* name_;
  bool kept_;  // by failing calls
  size_t length_;
  bool null_;
  Item* list_;
  std::vector<Item> before_;
};

// Structs of options, in memory of exactly their struct_size: now and then an older or newer one,
// or one whose size is not set. The fields are filled in options.cpp.
template <typename T>
void fill(Turn& t, T& options);
template <typename T>
class Options {
 public:
  Options(Turn& t, const char* name) : name_(name), given_(!t.choose.one_in(4)) {
    T made = {};
    fill(t, made);
    size_ = sizeof(T);
    switch (t.choose.below(48)) {
      case 0: size_ = std::min(sizeof(T), 8 * (1 + t.choose.below(sizeof(T) / 8))); break;
      case 1: size_ = sizeof(T) + 8; break;
      case 2:
        size_ = sizeof(T) + 8;
        tail_ = true;
        break;
      case 3: unset_ = true; break;
      default: break;
    }
    made.struct_size = unset_ ? 0 : static_cast<uint32_t>(size_);
    room_ = std::make_unique<unsigned char[]>(size_);
    std::memset(room_.get(), tail_ ? 1 : 0, size_);
    std::memcpy(room_.get(), &made, std::min(size_, sizeof made));
    std::memcpy(static_cast<void*>(&value_), room_.get(), std::min(size_, sizeof made));
    if (given_ && unset_) t.must_refuse = true;
  }
  const T* get() const { return given_ ? reinterpret_cast<const T*>(room_.get()) : nullptr; }
  bool given() const { return given_; }
  const T& value() const { return value_; }
  std::string show() const {
    if (!given_) return std::string(name_) + "=NULL";
    std::string out = std::string(name_) + "{";
    for (size_t at = 0; at + 8 <= size_; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, room_.get() + at, sizeof word);
      char hex[20];
      std::snprintf(hex, sizeof hex, at == 0 ? "%llx" : " %llx",
                    static_cast<unsigned long long>(word));
      out += hex;
    }
    return out + "}";
  }
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  bool given_, tail_ = false, unset_ = false;
  size_t size_ = 0;
  std::unique_ptr<unsigned char[]> room_;
  T value_ = {};  // as the library sees it: members beyond a shorter struct_size are zero
};

// A struct that a call fills.
template <typename T>
class Filled {
 public:
  Filled(Turn& t, const char* name)
      : name_(name),
        given_(!t.choose.one_in(8)),
        size_(t.choose.one_in(16) ? 8 * (1 + t.choose.below(9)) : sizeof(T)) {
    room_ = std::make_unique<unsigned char[]>(std::max(size_, sizeof(T)));
    std::memset(room_.get(), 0, std::max(size_, sizeof(T)));
    const auto size = static_cast<uint32_t>(t.choose.one_in(32) ? 0 : size_);
    std::memcpy(room_.get(), &size, sizeof size);
    given_size_ = size;
  }
  T* get() { return given_ ? reinterpret_cast<T*>(room_.get()) : nullptr; }
  bool whole() const { return given_ && given_size_ >= sizeof(T); }
  const T& value() const { return *reinterpret_cast<const T*>(room_.get()); }
  std::string show() const {
    return std::string(name_) + (given_ ? "{" + std::to_string(given_size_) + "}" : "=NULL");
  }
  void settle(Turn& t, libsched_rc) {
    uint32_t size = 0;
    std::memcpy(&size, room_.get(), sizeof size);
    if (size != given_size_) t.wrong("changed a struct_size");
    for (size_t i = std::max<size_t>(size, 4); i < std::max(size_, sizeof(T)); ++i)
      if (room_[i] != 0) t.wrong("wrote beyond a struct_size");
  }

 private:
  const char* name_;
  bool given_;
  size_t size_;
  uint32_t given_size_ = 0;
  std::unique_ptr<unsigned char[]> room_;
};

}  // namespace fuzz
