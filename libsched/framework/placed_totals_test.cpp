// The first of the best among the feasible nodes in upstream's heap, against a walk through the
// heap, while totals and the feasible nodes change one by one or all at once.
#include "libsched/framework/placed_totals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "libsched/framework/fake_plugin_test.hpp"
#include "libsched/framework/scoring.hpp"

namespace libsched::placed_totals_test {

struct Model {
  std::vector<int32_t> totals;
  std::vector<bool> feasible;

  PlacedTotals::Best best() const {
    std::vector<uint32_t> list;
    int32_t top = std::numeric_limits<int32_t>::min();
    for (uint32_t p = 0; p < totals.size(); ++p) {
      if (!feasible[p]) continue;
      list.push_back(p);
      top = std::max(top, totals[p]);
    }
    size_t i = 0;
    while (totals[list[i]] != top) i = next_in_heap(i, list.size());
    return {top, list[i]};
  }
  std::vector<uint64_t> bits() const {
    std::vector<uint64_t> out(words_for(totals.size()));
    for (size_t p = 0; p < totals.size(); ++p)
      if (feasible[p]) out[p / 64] |= uint64_t{1} << (p % 64);
    return out;
  }
};

TEST_CASE("the first of the best by levels equals a walk through the heap") {
  std::mt19937 rng(3);
  for (const size_t nodes : {1, 2, 3, 63, 64, 65, 127, 200, 1000, 1500}) {
    CAPTURE(nodes);
    const Ref<Cluster> cluster = make_ref<Cluster>();
    for (size_t i = 0; i < nodes; ++i)
      REQUIRE(cluster->update_node(fake_node("n" + std::to_string(i), "{}")).ok());
    cluster->refresh();
    NodePlaces places;
    places.follow(cluster->view());
    CHECK(places.as_rows());
    PlacedTotals totals;
    totals.begin(places);
    Model model{std::vector<int32_t>(nodes), std::vector<bool>(nodes)};
    for (int round = 0; round < 400; ++round) {
      const int spread = round % 7 == 0 ? 1 : 3 + round % 50;
      switch (rng() % 5) {
        case 0:  // every node, none but some, or any
          for (size_t p = 0; p < nodes; ++p)
            model.feasible[p] = round % 3 == 0 || rng() % (round % 5 == 0 ? 40 : 2) == 0;
          totals.take(model.bits().data());
          break;
        case 1:
          for (size_t p = 0; p < nodes; ++p)
            model.totals[p] = totals.edit_totals()[p] =
                static_cast<int32_t>(rng() % static_cast<unsigned>(spread)) - 1;
          totals.touch_all();
          break;
        default:
          for (int k = 0; k < 3; ++k) {
            const auto place = static_cast<uint32_t>(rng() % nodes);
            const auto total = static_cast<int32_t>(rng() % static_cast<unsigned>(spread));
            model.totals[place] = total;
            totals.set_total(place, total);
            CHECK(totals.total(place) == total);
            if (rng() % 2 == 0) {
              model.feasible[place] = !model.feasible[place];
              totals.flip(place);
            }
          }
      }
      const auto feasible =
          static_cast<size_t>(std::count(model.feasible.begin(), model.feasible.end(), true));
      REQUIRE(totals.feasible() == feasible);
      if (feasible == 0) continue;
      const PlacedTotals::Best want = model.best(), best = totals.best(places);
      REQUIRE(best.total == want.total);
      REQUIRE(best.place == want.place);
    }
  }
}

}  // namespace libsched::placed_totals_test
