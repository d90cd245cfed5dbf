// Chunks<T, N>: an immutable array in chunks of N items, and a new version of it at the cost of the
// chunks that differ.
//
// Copies share everything. put() replaces a chunk in this copy alone: it makes the way to the chunk
// (a root and one branch of kFan chunks) this copy's own unless it is already. Counts are touched
// when a copy is made, dropped or changed, never by reading. Copies may go to other threads, and
// may be dropped there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "libsched/base/prefetch.hpp"

namespace libsched {

template <typename T, size_t N>
class Chunks {
 public:
  static constexpr size_t kFan = N >= 64 ? 16 : 48;  // so that a new version copies little

  Chunks() = default;
  Chunks(const Chunks& o) noexcept : root_(o.root_) {
    if (root_ != nullptr) ref(root_);
  }
  Chunks(Chunks&& o) noexcept : root_(std::exchange(o.root_, nullptr)) {}
  Chunks& operator=(Chunks o) noexcept {
    std::swap(root_, o.root_);
    return *this;
  }
  ~Chunks() { unref(root_); }

  size_t count() const { return root_ == nullptr ? 0 : root_->leaves; }  // of chunks
  const T* chunk(size_t c) const { return root_->branch(c / kFan)->leaves[c % kFan]->items(); }
  const T& operator[](size_t i) const { return chunk(i / N)[i % N]; }

  // Replaces chunk c, or adds it if c is count(). make(T* place, size_t i) constructs item i of the
  // chunk, i < n <= N, where place points. Happens whole or not at all.
  template <typename Make>
  void put(size_t c, size_t n, Make&& make) {
    auto leaf = std::make_unique<Leaf>();
    for (; leaf->size < n; ++leaf->size) make(leaf->items() + leaf->size, leaf->size);
    own_root(c / kFan + 1);
    Leaf*& at = own_branch(c / kFan)->leaves[c % kFan];
    Leaf* const old = std::exchange(at, leaf.release());
    if (old != nullptr) {
      unref(old);
    } else {
      ++root_->leaves;
    }
  }

 private:
  struct Leaf {
    std::atomic<uint32_t> refs{1};
    uint32_t size = 0;
    alignas(T) std::byte bytes[N * sizeof(T)];

    Leaf() {}  // NOLINT(modernize-use-equals-default): leaves the bytes as they are
    Leaf(const Leaf&) = delete;
    Leaf& operator=(const Leaf&) = delete;
    ~Leaf() { std::destroy_n(items(), size); }
    T* items() { return std::launder(reinterpret_cast<T*>(bytes)); }
    const T* items() const { return std::launder(reinterpret_cast<const T*>(bytes)); }
  };
  struct Branch {
    std::atomic<uint32_t> refs{1};
    Leaf* leaves[kFan] = {};
  };
  struct Root {
    std::atomic<uint32_t> refs{1};
    uint32_t room = 0;    // for branches, which stand behind
    size_t leaves = 0;    // how many there are
    size_t branches = 0;  // the same

    Branch*& branch(size_t b) { return reinterpret_cast<Branch**>(this + 1)[b]; }
  };

  template <typename Node>
  static void ref(Node* n) {
    n->refs.fetch_add(1, std::memory_order_relaxed);
  }
  // Whether there is one reference; what other threads did with theirs is seen.
  template <typename Node>
  static bool only(Node* n) {
    return n->refs.load(std::memory_order_acquire) == 1;
  }
  template <typename Node>
  static bool drop(Node* n) {
    return only(n) || n->refs.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  static void unref(Leaf* l) {
    if (drop(l)) delete l;
  }
  static void unref(Branch* b) {
    if (!drop(b)) return;
    for (Leaf* l : b->leaves) libsched::prefetch_to_write(l);
    for (Leaf* l : b->leaves)
      if (l != nullptr) unref(l);
    delete b;
  }
  static void unref(Root* r) {
    if (r == nullptr || !drop(r)) return;
    for (size_t b = 0; b < r->branches; ++b) libsched::prefetch_to_write(r->branch(b));
    for (size_t b = 0; b < r->branches; ++b) unref(r->branch(b));
    free_root(r);
  }
  static void free_root(Root* r) {
    r->~Root();
    ::operator delete(r);
  }

  // A root of this array alone, with so many branches at least.
  void own_root(size_t branches) {
    const size_t there = root_ == nullptr ? 0 : root_->branches;
    if (root_ == nullptr || root_->room < branches || !only(root_)) {
      const size_t room = branches <= there ? there : branches + branches / 4;
      Root* const fresh = new (::operator new(sizeof(Root) + room * sizeof(Branch*))) Root;
      fresh->room = static_cast<uint32_t>(room);
      for (size_t b = 0; b < there; ++b) {
        fresh->branch(b) = root_->branch(b);
        libsched::prefetch_to_write(fresh->branch(b));
      }
      for (size_t b = 0; b < there; ++b) ref(fresh->branch(b));
      fresh->branches = there;
      if (root_ != nullptr) fresh->leaves = root_->leaves;
      unref(std::exchange(root_, fresh));
    }
    for (; root_->branches < branches; ++root_->branches)
      root_->branch(root_->branches) = new Branch;
  }
  // The root is this array's alone.
  Branch* own_branch(size_t b) {
    Branch*& at = root_->branch(b);
    if (only(at)) return at;
    Branch* const fresh = new Branch;
    std::copy_n(at->leaves, kFan, fresh->leaves);
    for (Leaf* l : fresh->leaves) libsched::prefetch_to_write(l);
    for (Leaf* l : fresh->leaves)
      if (l != nullptr) ref(l);
    unref(std::exchange(at, fresh));
    return fresh;
  }

  Root* root_ = nullptr;
};

}  // namespace libsched
