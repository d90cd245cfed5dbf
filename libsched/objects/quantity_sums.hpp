// QuantitySums: a resource list under construction. Up to eight resources live in the object
// itself, so that summing up an ordinary pod takes no memory; more go to the heap and are found
// through a hash table.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "libsched/objects/resources.hpp"

namespace libsched {

class QuantitySums {
 public:
  QuantitySums() {}  // inline_ stays uninitialized
  QuantitySums(const QuantitySums&) = delete;
  QuantitySums& operator=(const QuantitySums&) = delete;

  ResourceList list() const { return {entries(), size_}; }  // in order of appearance

  const Quantity* find(Str name) const {
    const size_t i = index_of(name);
    return i < size_ ? &entries()[i].quantity : nullptr;
  }

  void set(Str name, const Quantity& q) { entry(name, 0, q) = q; }
  void add(Str name, const Quantity& q) { add_at(name, q, 0); }

  void add(ResourceList more) {
    for (size_t i = 0; i < more.size(); ++i) add_at(more[i].name, more[i].quantity, i);
  }

  // Raises every amount to at least that of `other`, and adds missing resources.
  void raise(ResourceList other) {
    for (size_t i = 0; i < other.size(); ++i) raise_at(other[i].name, other[i].quantity, i);
  }

  // The same for the resources of `list`, whose amounts in `list` and `more` are added up first.
  void raise(ResourceList list, const QuantitySums& more) {
    for (size_t i = 0; i < list.size(); ++i) {
      Quantity sum = list[i].quantity;
      if (const Quantity* q = more.find(list[i].name)) sum.add(*q);
      raise_at(list[i].name, sum, i);
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

  void raise_at(Str name, Quantity theirs, size_t guess) {
    Quantity& mine = entry(name, guess, theirs);
    if (theirs.compare_converting(mine) > 0) mine = theirs;
  }

  // The amount under this name, first looked up at `guess`; made from `initial` if missing.
  Quantity& entry(Str name, size_t guess, const Quantity& initial) {
    NamedQuantity* const all = entries();
    if (guess < size_ && all[guess].name == name) return all[guess].quantity;
    if (const size_t i = index_of(name); i < size_) return all[i].quantity;
    if (size_ == capacity_) grow();
    if (heap_) slots_[slot_of(name)] = static_cast<uint32_t>(size_ + 1);
    return (new (entries() + size_++) NamedQuantity{name, initial})->quantity;
  }

  // size_ if it is missing.
  size_t index_of(Str name) const {
    if (heap_) {
      const uint32_t slot = slots_[slot_of(name)];
      return slot != 0 ? slot - 1 : size_;
    }
    size_t i = 0;
    while (i < size_ && inline_[i].name != name) ++i;
    return i;
  }

  // The slot of the name, or the free slot for it.
  size_t slot_of(Str name) const {
    const size_t mask = slots_.size() - 1;
    size_t i = hash_str(name) & mask;
    while (slots_[i] != 0 && heap_[slots_[i] - 1].name != name) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    auto bigger = std::make_unique<NamedQuantity[]>(capacity_ * 2);
    std::copy_n(entries(), size_, bigger.get());
    heap_ = std::move(bigger);
    capacity_ *= 2;
    slots_.assign(capacity_ * 2, 0);
    for (size_t i = 0; i < size_; ++i) {
      slots_[slot_of(heap_[i].name)] = static_cast<uint32_t>(i + 1);
    }
  }

  size_t size_ = 0;
  size_t capacity_ = kInline;
  std::vector<uint32_t> slots_;  // 1 + index of the entry, 0: free; used with heap_
  std::unique_ptr<NamedQuantity[]> heap_;
  union {
    NamedQuantity inline_[kInline];  // the first size_ are alive
  };
};

}  // namespace libsched
