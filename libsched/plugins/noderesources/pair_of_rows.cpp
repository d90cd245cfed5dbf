// The scores of a few rows: for amounts of usual size the steps of the kernels (score_rows.hpp).
#include "libsched/plugins/noderesources/pair_of_rows.hpp"

#include <algorithm>

#include "libsched/plugins/noderesources/score_rows.hpp"

namespace libsched {
namespace {

// A resource of one row.
struct Amounts {
  int64_t capacity, used;
  double inverse;  // of the capacity; 0 if that is of unusual size
};
template <bool nonzero>
Amounts at(const PairOfRows::Item& item, uint32_t row) {
  const int64_t capacity = item.of.allocatable[row];
  return {capacity, nonzero ? item.of.nonzero[row] : wrapping_sub(capacity, item.of.left[row]),
          item.of.inverse[row]};
}
bool usual(const Amounts& a, const Amounts& b) {
  return usual_amount(a.used | b.used) && a.inverse * b.inverse != 0;
}

bool usual_ask(const PairOfRows& pair) {
  return std::all_of(pair.items.begin(), pair.items.end(), [](const PairOfRows::Item& item) {
    return usual_amount(item.ask) && usual_weight(item.weight);
  });
}

// floor(100 * free / capacity), 0 where nothing is left. Half a unit keeps the product away from
// integers, as in the kernels.
int64_t free_share(const Amounts& of, int64_t ask) {
  const int64_t free = std::max<int64_t>(of.capacity - of.used - ask, 0);
  constexpr auto kMax = static_cast<double>(kMaxNodeScore);
  return static_cast<int64_t>((static_cast<double>(free) * kMax + 0.5) * of.inverse);
}

int64_t balance(const Amounts& a, const Amounts& b, int64_t ask_a, int64_t ask_b) {
  return pair_balance(static_cast<double>(a.used + ask_a), static_cast<double>(b.used + ask_b),
                      static_cast<double>(a.capacity), static_cast<double>(b.capacity));
}

template <bool nonzero>
bool least(const PairOfRows& pair, std::span<const uint32_t> rows, int64_t* scores) {
  const PairOfRows::Item &a = pair.items[0], &b = pair.items[1];
  const double inverse = 1.0 / static_cast<double>(a.weight + b.weight);
  for (const uint32_t r : rows) {
    const Amounts of_a = at<nonzero>(a, r), of_b = at<nonzero>(b, r);
    if (!usual(of_a, of_b)) return false;
    const int64_t sum = free_share(of_a, a.ask) * a.weight + free_share(of_b, b.ask) * b.weight;
    const double score = (static_cast<double>(sum) + 0.5) * inverse;
    scores[r] = static_cast<int64_t>(score);
  }
  return true;
}

template <bool nonzero, BalanceForm form>
bool balanced(const PairOfRows& pair, uint8_t* balances, std::span<const uint32_t> rows,
              int64_t* scores) {
  // Copies, because a store of a byte might change anything else.
  const PairOfRows::Item a = pair.items[0], b = pair.items[1];
  for (const uint32_t r : rows) {
    const Amounts of_a = at<nonzero>(a, r), of_b = at<nonzero>(b, r);
    if (!usual(of_a, of_b)) return false;
    int64_t score = balance(of_a, of_b, a.ask, b.ask);
    if (form == BalanceForm::kRelative) {
      int64_t without = balances != nullptr ? balances[r] : Columns::kNoMemo;
      if (without == Columns::kNoMemo) {
        without = balance(of_a, of_b, 0, 0);
        if (balances != nullptr) balances[r] = static_cast<uint8_t>(without);
      }
      score = balance_score(form, score, without);
    }
    scores[r] = score;
  }
  return true;
}

}  // namespace

bool least_of_rows(const PairOfRows& pair, std::span<const uint32_t> rows, int64_t* scores) {
  if (!usual_ask(pair)) return false;
  return pair.nonzero ? least<true>(pair, rows, scores) : least<false>(pair, rows, scores);
}

bool balanced_of_rows(const PairOfRows& pair, BalanceForm form, uint8_t* balances,
                      std::span<const uint32_t> rows, int64_t* scores) {
  using enum BalanceForm;
  if (!usual_ask(pair)) return false;
  const auto score = [&]<bool nonzero>() {
    return form == kRelative ? balanced<nonzero, kRelative>(pair, balances, rows, scores)
                             : balanced<nonzero, kAbsolute>(pair, balances, rows, scores);
  };
  return pair.nonzero ? score.template operator()<true>() : score.template operator()<false>();
}

}  // namespace libsched
