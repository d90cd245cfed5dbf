// Arguments that name contents, nodes and pods of simulated clusters by numbers.
#pragma once

#include "arguments.hpp"

namespace fuzz {

class Id {
 public:
  Id(Turn& t, const char* name, Ids kind) : name_(name), value_(world().ids.pick(t.choose, kind)) {}
  uint64_t get() const { return value_; }
  std::string show() const { return std::string(name_) + "=" + std::to_string(value_); }
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  uint64_t value_;
};

// An array of numbers, in memory of exactly its length; seldom NULL although there are some.
class IdList {
 public:
  IdList(Turn& t, const char* name, Ids kind, size_t count) : name_(name), list_(count) {
    for (uint64_t& one : list_) one = world().ids.pick(t.choose, kind);
    if (count == 0 || !t.choose.one_in(40)) return;
    null_ = t.must_refuse = true;
  }
  const uint64_t* get() const { return null_ || list_.empty() ? nullptr : list_.data(); }
  size_t count() const { return list_.size(); }
  uint64_t at(size_t i) const { return list_[i]; }
  const std::vector<uint64_t>& list() const { return list_; }
  std::string show() const {
    std::string out = std::string(name_) + (null_ ? "=NULL of [" : "=[");
    for (const uint64_t one : list_) out += std::to_string(one) + " ";
    return out + "]";
  }
  void settle(Turn&, libsched_rc) {}

 private:
  const char* name_;
  std::vector<uint64_t> list_;
  bool null_ = false;
};

// An array that a call fills. A failing call leaves it, unless `scribbled`.
template <typename T>
class Results {
 public:
  Results(Turn& t, const char*, size_t count, bool optional, bool scribbled = false)
      : count_(count), given_(!optional || !t.choose.one_in(4)), scribbled_(scribbled) {
    room_ = std::make_unique<unsigned char[]>(count * sizeof(T) + 1);
    std::memset(room_.get(), 0xa5, count * sizeof(T));
  }
  T* get() { return given_ && count_ != 0 ? reinterpret_cast<T*>(room_.get()) : nullptr; }
  bool given() const { return given_; }
  T at(size_t i) const {
    T out;
    std::memcpy(&out, room_.get() + i * sizeof(T), sizeof out);
    return out;
  }
  std::string show() const { return given_ ? "" : "NULL"; }
  void settle(Turn& t, libsched_rc rc) {
    if (rc == LIBSCHED_OK || scribbled_) return;
    for (size_t i = 0; i < count_ * sizeof(T); ++i)
      if (room_[i] != 0xa5) t.wrong("failed and wrote into an array");
  }

 private:
  size_t count_;
  bool given_, scribbled_;
  std::unique_ptr<unsigned char[]> room_;
};

}  // namespace fuzz
