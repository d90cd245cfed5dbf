// One run: a world, the calls of an input, and the end, when everything must have been released;
// and what the runs of several threads share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "turn.hpp"

namespace fuzz {

// Eight bytes are a call: its index in the table, and the seed of its arguments. Any bytes
// are an input.
constexpr size_t kRecord = 8;
constexpr size_t kMaxRecords = 512;

// Objects that several threads may use at once: snapshots, pods, frameworks, catalogs and others.
class Shared {
 public:
  // Made by the calling thread in a new world, which stays its world.
  explicit Shared(uint64_t seed);
  // Gives the thread's world references to them.
  void lend() const;

 private:
  struct One {
    Kind kind;
    void* handle;
  };
  std::vector<One> all_;
  std::vector<std::pair<const void*, std::shared_ptr<Cluster>>> snapshots_;
  std::vector<const void*> plain_frameworks_;
};

// With `shared`, other threads make runs at the same time (begin_own_world()).
void run(std::span<const uint8_t> input, const Shared* shared = nullptr);

}  // namespace fuzz
