// Scratch: arrays for one batch call. The thread keeps them, so that calls do not allocate.
//
// Slots may use evaluators of their own, so calls nest and each takes its own arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace libsched::capi {

class Scratch {
 public:
  struct Arrays {
    std::vector<uint32_t> rows;
    size_t counted = 0;  // so many of `rows`, from the first on, are 0, 1, 2 ...
    std::vector<int64_t> scores;
  };

  Scratch() {
    if (spare().empty()) {
      arrays_ = std::make_unique<Arrays>();
    } else {
      arrays_ = std::move(spare().back());
      spare().pop_back();
    }
  }
  ~Scratch() {
    if (spare().size() < spare().capacity()) spare().push_back(std::move(arrays_));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Arrays* operator->() { return arrays_.get(); }

 private:
  static std::vector<std::unique_ptr<Arrays>>& spare() {
    static thread_local std::vector<std::unique_ptr<Arrays>> list = [] {
      std::vector<std::unique_ptr<Arrays>> l;
      l.reserve(4);
      return l;
    }();
    return list;
  }

  std::unique_ptr<Arrays> arrays_;
};

}  // namespace libsched::capi
