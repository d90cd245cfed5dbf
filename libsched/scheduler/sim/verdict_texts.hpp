// VerdictTexts: the texts of verdicts, kept once for all equal ones and named by numbers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/framework/status.hpp"

namespace libsched {

class VerdictTexts {
 public:
  // A number is valid until this many other verdicts have been given.
  static constexpr uint32_t kValid = 65'536;

  struct Texts {
    std::string plugin;
    std::vector<std::string> reasons;
    std::vector<std::string> excluders;  // the plugins that narrowed the nodes
  };

  uint32_t of(const Status& status);
  uint32_t of_excluders(const std::vector<std::string>& plugins);
  // Null: there are none (any more).
  const Texts* find(uint32_t number) const {
    return number < first_ || number - first_ >= kept_.size() ? nullptr
                                                              : &kept_[number - first_].texts;
  }

 private:
  struct Kept {
    Texts texts;
    const std::string* key;  // in by_key_
  };

  uint32_t number(Texts texts);

  std::deque<Kept> kept_;
  uint32_t first_ = 1;  // the number of the first one kept
  std::unordered_map<std::string, uint32_t> by_key_;
  std::string key_;
};

}  // namespace libsched
