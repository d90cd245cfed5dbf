// QuantitySums: a resource list under construction. Up to eight resources live in the object
// itself, so that summing up an ordinary pod takes no memory; more go to the heap.
#pragma once

#include <memory>
#include <new>

#include "libsched/objects/resources.hpp"

namespace libsched {

class QuantitySums {
 public:
  QuantitySums() {}  // inline_ stays uninitialized
  QuantitySums(const QuantitySums&) = delete;
  QuantitySums& operator=(const QuantitySums&) = delete;

  ResourceList list() const { return {entries(), size_}; }  // in order of appearance

  const Quantity* find(Str name) const { return find_quantity(list(), name); }

  void set(Str name, const Quantity& q) { entry(name, 0, q) = q; }
  void add(Str name, const Quantity& q) { add_at(name, q, 0); }

  void add(ResourceList more) {
    for (size_t i = 0; i < more.size(); ++i) add_at(more[i].name, more[i].quantity, i);
  }

  // Every amount becomes at least that of `other`; what is missing is taken over.
  void raise(ResourceList other) {
    for (size_t i = 0; i < other.size(); ++i) {
      Quantity& mine = entry(other[i].name, i, other[i].quantity);
      Quantity theirs = other[i].quantity;
      if (theirs.compare_converting(mine) > 0) mine = theirs;
    }
  }

 private:
  static constexpr size_t kInline = 8;

  NamedQuantity* entries() { return heap_ ? heap_.get() : inline_; }
  const NamedQuantity* entries() const { return heap_ ? heap_.get() : inline_; }

  void add_at(Str name, const Quantity& q, size_t guess) {
    const size_t before = size_;
    Quantity& mine = entry(name, guess, q);
    if (size_ == before) mine.add(q);
  }

  // The amount under this name, which is tried at `guess` first; made from `initial` if missing.
  Quantity& entry(Str name, size_t guess, const Quantity& initial) {
    NamedQuantity* const all = entries();
    if (guess < size_ && all[guess].name == name) return all[guess].quantity;
    for (size_t i = 0; i < size_; ++i) {
      if (all[i].name == name) return all[i].quantity;
    }
    if (size_ == capacity_) grow();
    return (new (entries() + size_++) NamedQuantity{name, initial})->quantity;
  }

  void grow() {
    auto bigger = std::make_unique<NamedQuantity[]>(capacity_ * 2);
    std::copy_n(entries(), size_, bigger.get());
    heap_ = std::move(bigger);
    capacity_ *= 2;
  }

  size_t size_ = 0;
  size_t capacity_ = kInline;
  std::unique_ptr<NamedQuantity[]> heap_;
  union {
    NamedQuantity inline_[kInline];  // the first size_ are alive
  };
};

}  // namespace libsched
