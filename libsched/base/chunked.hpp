// Chunked<T, N>: an array whose copies share its chunks of N items until one of them changes one.
//
// A copy costs one count, whatever the size. The first edit() of a chunk after a copy was taken
// copies that chunk and the way to it (a root, and one branch of kFan chunks); every later one is a
// comparison: a chunk bears the number of the array that owns it, and an array takes a new number
// when it is copied. Counts are touched when a copy is taken, dropped or written, never by reading.
//
// Copies may go to other threads, and may be dropped there; no copy sees another's edit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "libsched/base/prefetch.hpp"

namespace libsched {

// During its lifetime, this thread may edit only chunks that their arrays own already; debug builds
// check it. For code that must not fail, and so must not allocate.
class NoSharedEdits {
 public:
#ifdef NDEBUG
  static void check() {}
#else
  NoSharedEdits() { ++standing_; }
  ~NoSharedEdits() { --standing_; }
  static void check() { assert(standing_ == 0); }
#endif
  // For code that handles lack of memory by itself and may edit anything again.
  class Lifted {
#ifndef NDEBUG
   public:
    Lifted() : were_(std::exchange(standing_, 0)) {}
    ~Lifted() { standing_ = were_; }
    Lifted(const Lifted&) = delete;
    Lifted& operator=(const Lifted&) = delete;

   private:
    int were_;
#endif
  };

#ifndef NDEBUG
  NoSharedEdits(const NoSharedEdits&) = delete;
  NoSharedEdits& operator=(const NoSharedEdits&) = delete;

 private:
  inline static thread_local int standing_ = 0;
#endif
};

// The numbers of owners: never 0, and none twice.
inline uint64_t next_chunk_owner() {
  static constinit std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

template <typename T, size_t N>
class Chunked {
 public:
  static constexpr size_t kFan = 32;

  Chunked() = default;
  Chunked(const Chunked& o) noexcept : root_(o.root_) {
    if (root_ == nullptr) return;
    ref(root_);
    o.disown();
  }
  Chunked(Chunked&& o) noexcept
      : root_(std::exchange(o.root_, nullptr)), owner_(o.owner_.load(std::memory_order_relaxed)) {
    o.disown();
  }
  Chunked& operator=(const Chunked& o) noexcept {
    if (this != &o) *this = Chunked(o);
    return *this;
  }
  Chunked& operator=(Chunked&& o) noexcept {
    if (this == &o) return *this;
    unref(std::exchange(root_, std::exchange(o.root_, nullptr)));
    owner_.store(o.owner_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    o.disown();
    return *this;
  }
  ~Chunked() { unref(root_); }

  // An upper bound: every index is less.
  size_t room() const { return root_ == nullptr ? 0 : root_->leaves * N; }
  const T& operator[](size_t i) const { return leaf(i / N).items.of[i % N]; }
  // Returns the item after making its chunk this array's own.
  T& edit(size_t i) {
    Leaf* l = root_->branch(i / N / kFan)->leaves[i / N % kFan];
    if (l->owner != owner_.load(std::memory_order_relaxed)) l = own(i / N);
    return l->items.of[i % N];
  }
  // Tells whether the two arrays share the chunk of the item.
  bool shares(const Chunked& o, size_t i) const { return &leaf(i / N) == &o.leaf(i / N); }

  // Makes room for n items. New ones are T().
  void grow(size_t n) {
    while (room() < n) add_leaf();
  }

  void prefetch(size_t i) const {
    const Leaf& l = leaf(i / N);
    libsched::prefetch_to_write(&l);
    libsched::prefetch_to_write(&l.items.of[i % N]);
  }

 private:
  struct Items {
    T of[N]{};
  };
  struct Leaf {
    Leaf() = default;
    explicit Leaf(const Items& from) : items(from) {}

    std::atomic<uint32_t> refs{1};
    uint64_t owner = 0;
    Items items;
  };
  struct Branch {
    std::atomic<uint32_t> refs{1};
    Leaf* leaves[kFan]{};
  };
  struct Root {
    std::atomic<uint32_t> refs{1};
    uint32_t leaves = 0;  // how many there are
    uint64_t room = 0;    // of branches, which stand behind

    Branch*& branch(size_t b) { return reinterpret_cast<Branch**>(this + 1)[b]; }
  };

  static uint32_t branches_for(uint32_t leaves) {
    return static_cast<uint32_t>((leaves + kFan - 1) / kFan);
  }
  const Leaf& leaf(size_t c) const { return *root_->branch(c / kFan)->leaves[c % kFan]; }
  void disown() const {
    if (owner_.load(std::memory_order_relaxed) != 0) owner_.store(0, std::memory_order_relaxed);
  }

  template <typename Node>
  static void ref(Node* n) {
    n->refs.fetch_add(1, std::memory_order_relaxed);
  }
  // Tells whether this reference is the only one; synchronises with other threads' releases.
  template <typename Node>
  static bool only(const Node* n) {
    return n->refs.load(std::memory_order_acquire) == 1;
  }
  template <typename Node>
  static bool drop(const Node* n) {
    return only(n) || const_cast<Node*>(n)->refs.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  static void unref(Leaf* l) {
    if (drop(l)) delete l;
  }
  static void unref(Branch* b) {
    if (!drop(b)) return;
    for (Leaf* l : b->leaves)
      if (l != nullptr) libsched::prefetch_to_write(l);
    for (Leaf* l : b->leaves)
      if (l != nullptr) unref(l);
    delete b;
  }
  static void unref(Root* r) {
    if (r == nullptr || !drop(r)) return;
    for (uint32_t b = 0; b < branches_for(r->leaves); ++b)
      libsched::prefetch_to_write(r->branch(b));
    for (uint32_t b = 0; b < branches_for(r->leaves); ++b) unref(r->branch(b));
    free_root(r);
  }
  static Root* make_root(uint32_t room) {
    Root* const r = new (::operator new(sizeof(Root) + room * sizeof(Branch*))) Root;
    r->room = room;
    return r;
  }
  static void free_root(Root* r) {
    r->~Root();
    ::operator delete(r);
  }

  // Makes the root this array's own, with room for so many branches.
  void own_root(uint32_t branches) {
    if (root_ != nullptr && only(root_) && root_->room >= branches) return;
    const uint32_t there = root_ == nullptr ? 0 : branches_for(root_->leaves);
    const bool larger = root_ != nullptr && root_->room < branches;
    Root* const fresh = make_root(larger ? branches + branches / 2 : std::max(branches, there));
    if (root_ != nullptr) {
      fresh->leaves = root_->leaves;
      std::memcpy(&fresh->branch(0), &root_->branch(0), there * sizeof(Branch*));
      for (uint32_t b = 0; b < there; ++b) libsched::prefetch_to_write(fresh->branch(b));
      for (uint32_t b = 0; b < there; ++b) ref(fresh->branch(b));
      unref(root_);
    }
    root_ = fresh;
  }
  void own_branch(size_t b) {
    Branch*& at = root_->branch(b);
    if (only(at)) return;
    Branch* const fresh = new Branch;
    std::memcpy(fresh->leaves, at->leaves, sizeof(fresh->leaves));
    for (Leaf* l : fresh->leaves)
      if (l != nullptr) libsched::prefetch_to_write(l);
    for (Leaf* l : fresh->leaves)
      if (l != nullptr) ref(l);
    unref(std::exchange(at, fresh));
  }
  // After each step the array has the same items.
  __attribute__((noinline)) Leaf* own(size_t c) {
    if (owner_.load(std::memory_order_relaxed) == 0)
      owner_.store(next_chunk_owner(), std::memory_order_relaxed);
    if (!only(root_)) NoSharedEdits::check();
    own_root(0);
    if (!only(root_->branch(c / kFan))) NoSharedEdits::check();
    own_branch(c / kFan);
    Leaf*& at = root_->branch(c / kFan)->leaves[c % kFan];
    if (!only(at)) {
      NoSharedEdits::check();
      unref(std::exchange(at, copy(*at)));
    }
    at->owner = owner_.load(std::memory_order_relaxed);
    return at;
  }
  static Leaf* copy(const Leaf& from) {
    if constexpr (requires(const T& item) { item.fetch_for_copy(); })
      for (const T& item : from.items.of) item.fetch_for_copy();
    return new Leaf(from.items);
  }
  void add_leaf() {
    NoSharedEdits::check();
    if (owner_.load(std::memory_order_relaxed) == 0)
      owner_.store(next_chunk_owner(), std::memory_order_relaxed);
    const uint32_t c = root_ == nullptr ? 0 : root_->leaves;
    const uint32_t b = static_cast<uint32_t>(c / kFan);
    own_root(b + 1);
    if (c % kFan != 0) own_branch(b);
    struct Freed {
      Branch* branch = nullptr;
      ~Freed() { delete branch; }
    } fresh;
    if (c % kFan == 0) fresh.branch = new Branch;
    Leaf* const leaf = new Leaf;
    leaf->owner = owner_.load(std::memory_order_relaxed);
    if (fresh.branch != nullptr) root_->branch(b) = std::exchange(fresh.branch, nullptr);
    root_->branch(b)->leaves[c % kFan] = leaf;
    ++root_->leaves;
  }

  Root* root_ = nullptr;
  mutable std::atomic<uint64_t> owner_{0};  // 0: nothing is owned
};

}  // namespace libsched
