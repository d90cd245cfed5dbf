// Tests that TolerationIndex gives the same answers as checking every toleration, with less work.
#include "libsched/objects/toleration_index.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <string>

namespace libsched::toleration_index_test {

TEST_CASE("any number of tolerations says what each of them says") {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const std::vector<Str> keys = {"", "a", "b", "c"};
  const std::vector<Str> values = {"", "1", "2", "-3", "x"};
  const std::vector<Str> texts = {"Mine", "Yours"};
  const auto effect = [&](TaintEffect* e, Str* text) {
    *e = static_cast<TaintEffect>(below(5));
    *text = *e == TaintEffect::kOther ? texts[below(2)] : Str();
  };
  size_t covered = 0, not_covered = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<Toleration> list(below(60));
    for (Toleration& t : list) {
      t.key = keys[below(4)];
      t.value = values[below(5)];
      t.op = static_cast<TolerationOp>(below(5));
      if (t.key.empty() && below(4) != 0) t.op = TolerationOp::kOther;  // or all is tolerated
      effect(&t.effect, &t.effect_text);
    }
    const bool comparison = below(2) == 0;
    const TolerationIndex index({list.data(), list.size()}, comparison);
    for (int i = 0; i < 40; ++i) {
      Taint taint;
      taint.key = keys[below(4)];
      taint.value = values[below(5)];
      effect(&taint.effect, &taint.effect_text);
      const bool any = std::any_of(list.begin(), list.end(), [&](const Toleration& t) {
        return tolerates(t, taint, comparison);
      });
      CHECK(index.covers(taint) == any);
      ++(any ? covered : not_covered);
    }
  }
  CHECK(covered > 1000);
  CHECK(not_covered > 1000);
}

// Pair by pair this would be ten thousand million comparisons.
TEST_CASE("a hundred thousand taints and tolerations") {
  constexpr size_t kMany = 100'000;
  std::deque<std::string> texts;
  std::vector<Toleration> list(kMany);
  for (size_t i = 0; i < kMany; ++i) {
    list[i].key = "key";
    list[i].value = texts.emplace_back(std::to_string(i));
    list[i].effect = TaintEffect::kNoSchedule;
  }
  const TolerationIndex index({list.data(), list.size()}, true);
  size_t covered = 0;
  for (size_t i = 0; i < kMany; ++i) {
    const std::string value = std::to_string(2 * i);
    covered += index.covers({"key", value, TaintEffect::kNoSchedule, {}}) ? 1 : 0;
  }
  CHECK(covered == kMany / 2);
}

}  // namespace libsched::toleration_index_test
