// The first of the best among the feasible nodes in upstream's heap, against a walk through the
// heap, while totals and the feasible nodes change one by one or all at once, and while whole
// domains open and close.
#include "libsched/kept/placed_totals.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "libsched/framework/scoring.hpp"
#include "libsched/run/fake_plugin_test.hpp"

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
  void require_equal(PlacedTotals* placed, const NodePlaces& places) const {
    const auto count = static_cast<size_t>(std::count(feasible.begin(), feasible.end(), true));
    REQUIRE(placed->feasible() == count);
    if (count == 0) return;
    const PlacedTotals::Best want = best(), found = placed->best(places);
    REQUIRE(found.total == want.total);
    REQUIRE(found.place == want.place);
  }
};

// Nodes from 0 to `nodes`.
NodePlaces places_of(size_t nodes) {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  for (size_t i = 0; i < nodes; ++i)
    REQUIRE(cluster->update_node(fake_node("n" + std::to_string(i), "{}")).ok());
  cluster->refresh();
  NodePlaces places;
  places.follow(cluster->view());
  CHECK(places.as_rows());
  return places;
}

TEST_CASE("the first of the best by levels equals a walk through the heap") {
  std::mt19937 rng(3);
  for (const size_t nodes : {1, 2, 3, 63, 64, 65, 127, 200, 1000, 1500}) {
    CAPTURE(nodes);
    const NodePlaces places = places_of(nodes);
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
      model.require_equal(&totals, places);
    }
  }
}

TEST_CASE("the first of the best where domains open and close") {
  std::mt19937 rng(4);
  const auto below = [&](size_t n) { return rng() % n; };
  PlacedTotals totals;  // the same for all, as a class keeps it when nodes come
  for (const size_t nodes : {5, 64, 150, 700, 1300, 4200}) {
    CAPTURE(nodes);
    const NodePlaces places = places_of(nodes);
    const size_t domains = 1 + below(12);
    const bool blocks = below(2) == 0;  // or in turn
    const auto domain = [&](size_t p) { return blocks ? p * domains / nodes : p % domains; };
    // Domains differ in their totals, so that the best of all nodes is far above that of the open
    // ones; or all are alike.
    const size_t step = nodes % 3 == 0 ? 0 : 1 + below(9), spread = 1 + below(6);
    const auto some_total = [&](size_t p) {
      return static_cast<int32_t>(domain(p) * step + below(spread)) - 3;
    };
    totals.begin(places);
    Model model{std::vector<int32_t>(nodes), std::vector<bool>(nodes)};
    std::vector<bool> open(domains), closed(nodes);  // closed: nodes by themselves
    for (size_t p = 0; p < nodes; ++p) model.totals[p] = totals.edit_totals()[p] = some_total(p);
    totals.touch_all();
    for (int round = 0; round < 300; ++round) {
      if (below(20) == 0) {
        open.assign(domains, true);  // as when each has as many pods
        if (below(2) == 0) closed.assign(nodes, false);
      }
      if (below(4) != 0) {
        const size_t d = below(domains);
        open[d] = !open[d];
      }
      for (size_t n = below(6); n != 0; --n) {
        const size_t p = below(nodes);
        model.totals[p] = some_total(p);
        totals.set_total(static_cast<uint32_t>(p), model.totals[p]);
        closed[p] = below(3) == 0;
      }
      for (size_t p = 0; p < nodes; ++p) model.feasible[p] = open[domain(p)] && !closed[p];
      totals.take(model.bits().data());
      for (size_t n = below(12); n != 0; --n) {
        const size_t p = below(nodes);
        model.feasible[p] = !model.feasible[p];
        totals.flip(static_cast<uint32_t>(p));
      }
      model.require_equal(&totals, places);
    }
  }
}

}  // namespace libsched::placed_totals_test
