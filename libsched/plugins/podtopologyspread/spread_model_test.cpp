// PodTopologySpread on clusters of many words of rows and many domains, before and after changes:
// verdicts and raw scores against walking all nodes and pods with maps, as upstream does.
#include <cmath>
#include <map>
#include <random>

#include "libsched/plugins/podtopologyspread/go_log.hpp"
#include "libsched/plugins/podtopologyspread/row_kernels.hpp"
#include "libsched/plugins/trial_test.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::spread_model_test {

const Str kHost = "kubernetes.io/hostname";

bool counted(const Pod& existing, const Pod& pod, const TopologySpreadConstraint& c) {
  return existing.meta.ns == pod.meta.ns && !existing.meta.terminating() && c.selector.present &&
         !c.selector.empty() && selector_matches(c.selector, existing.meta.labels);
}

struct Naive {
  const View& view;
  const Pod& pod;
  std::vector<const TopologySpreadConstraint*> list;

  Naive(const View& v, const Pod& p, Str when) : view(v), pod(p) {
    for (const TopologySpreadConstraint& c : p.spec.spread)
      if (c.when_unsatisfiable == when) list.push_back(&c);
  }
  static const Label* label(const Node& n, const TopologySpreadConstraint& c) {
    return find_label(n.meta.labels, c.topology_key);
  }
  bool has_all(const Node& n) const {
    return std::all_of(list.begin(), list.end(), [&](auto* c) { return label(n, *c) != nullptr; });
  }
  int64_t on_row(uint32_t r, const TopologySpreadConstraint& c) const {
    int64_t n = 0;
    for (const uint32_t s : view.row(r).pods) n += counted(*view.slot(s).pod, pod, c) ? 1 : 0;
    return n;
  }
  // Nodes are eligible by the pod's nodeSelector and, if required, without taints.
  std::map<std::string, int64_t> domains(const TopologySpreadConstraint& c) const {
    std::map<std::string, int64_t> out;
    view.live().for_each([&](size_t row) {
      const Node& n = *view.node(static_cast<uint32_t>(row));
      if (!has_all(n)) return;
      for (const Label& l : pod.spec.node_selector) {
        const Label* have = find_label(n.meta.labels, l.key);
        if (have == nullptr || have->value != l.value) return;
      }
      if (c.node_taints_policy == "Honor" && !n.taints.empty()) return;
      out[std::string(label(n, c)->value)] += on_row(static_cast<uint32_t>(row), c);
    });
    return out;
  }

  std::map<uint32_t, Code> verdicts() const {
    std::map<uint32_t, Code> out;
    view.live().for_each([&](size_t row) { out[static_cast<uint32_t>(row)] = Code::kSuccess; });
    for (const TopologySpreadConstraint* c : list) {
      std::map<std::string, int64_t> d = domains(*c);
      int64_t min = INT32_MAX;
      for (const auto& [value, n] : d) min = std::min(min, n);
      if (static_cast<int64_t>(d.size()) < c->min_domains.value_or(1)) min = 0;
      const int64_t self =
          c->selector.present && selector_matches(c->selector, pod.meta.labels) ? 1 : 0;
      for (auto& [row, code] : out) {
        if (code != Code::kSuccess) continue;
        const Label* l = label(*view.node(row), *c);
        if (l == nullptr) {
          code = Code::kUnschedulableAndUnresolvable;
        } else if (d[std::string(l->value)] + self - min > c->max_skew) {
          code = Code::kUnschedulable;
        }
      }
    }
    return out;
  }

  std::map<uint32_t, int64_t> scores(const std::vector<uint32_t>& feasible) const {
    std::map<uint32_t, double> sums;
    size_t scored = 0;
    for (const uint32_t r : feasible) scored += has_all(*view.node(r)) ? 1 : 0;
    for (const TopologySpreadConstraint* c : list) {
      std::map<std::string, int64_t> known, all = domains(*c);
      for (const uint32_t r : feasible)
        if (has_all(*view.node(r))) known[std::string(label(*view.node(r), *c)->value)] = 0;
      for (auto& [value, n] : known) n = all[value];
      const bool host = c->topology_key == kHost;
      const double weight = go_log(static_cast<double>((host ? scored : known.size()) + 2));
      for (const uint32_t r : feasible) {
        if (!has_all(*view.node(r))) continue;
        const int64_t n =
            host ? on_row(r, *c) : known[std::string(label(*view.node(r), *c)->value)];
        sums[r] += static_cast<double>(n) * weight + static_cast<double>(c->max_skew - 1);
      }
    }
    std::map<uint32_t, int64_t> out;
    for (const uint32_t r : feasible) out[r] = static_cast<int64_t>(std::round(sums[r]));
    return out;
  }
};

void compare(Trial& t, const Pod& pod) {
  const View& view = t.cluster().view();
  Result<Ref<const Decision>> d = t.evaluator().check(pod, "", true, true);
  REQUIRE_MESSAGE(d.ok(), d.error().text());
  const Decision& got = **d;
  const std::map<uint32_t, Code> verdicts = Naive(view, pod, "DoNotSchedule").verdicts();
  REQUIRE(got.node_count == verdicts.size());
  std::vector<uint32_t> feasible;
  for (size_t i = 0; i < got.node_count; ++i) {
    const uint32_t row = view.find_node(got.node(i));
    CHECK(got.status(i).code == verdicts.at(row));
    if (verdicts.at(row) == Code::kSuccess) feasible.push_back(row);
  }
  const Naive soft(view, pod, "ScheduleAnyway");
  if (feasible.empty() || soft.list.empty()) return;
  const std::map<uint32_t, int64_t> scores = soft.scores(feasible);
  REQUIRE(got.scores.columns.size() == 1);
  const ScoreTable::Column& column = got.scores.columns[0];
  int64_t min = INT64_MAX, max = 0;
  for (const auto& [row, s] : scores) {
    if (!soft.has_all(*view.node(row))) continue;
    min = std::min(min, s);
    max = std::max(max, s);
  }
  for (size_t i = 0; i < column.raw.size(); ++i) {
    const uint32_t row = view.find_node(got.node(got.scores.rows[i]));
    const int64_t s = scores.at(row);
    CHECK(column.raw[i] == s);
    const int64_t normalized = !soft.has_all(*view.node(row)) ? 0
                               : max == 0                     ? 100
                                                              : 100 * (max + min - s) / max;
    CHECK(column.normalized[i] == normalized);
  }
}

void run(uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](uint32_t n) { return random() % n; };
  const uint32_t nodes = 1 + pick(seed % 3 == 0 ? 300 : 20);
  const auto node = [&](uint32_t i) {
    std::string labels;
    if (pick(12) != 0) labels += std::string(kHost) + ": n" + std::to_string(i) + ", ";
    if (pick(8) != 0) labels += "zone: z" + std::to_string(pick(3)) + ", ";
    if (pick(8) != 0) labels += "rack: r" + std::to_string(pick(100)) + ", ";
    labels += "disk: d" + std::to_string(pick(2));
    return "---\nkind: Node\nmetadata: {name: n" + std::to_string(i) + ", labels: {" + labels +
           "}}\nspec: {taints: [" + (pick(4) == 0 ? "{key: k, effect: NoSchedule}" : "") + "]}\n";
  };
  const auto pod = [&](uint32_t i) {
    return "---\nkind: Pod\nmetadata: {name: e" + std::to_string(i) +
           ", namespace: " + (pick(4) == 0 ? "other" : "default") + ", labels: {app: a" +
           std::to_string(pick(3)) + "}}\nspec: {nodeName: n" + std::to_string(pick(nodes + 2)) +
           "}\n";
  };
  std::string objects;
  for (uint32_t i = 0; i < nodes; ++i) objects += node(i);
  for (uint32_t i = 0; i < nodes * 3; ++i) objects += pod(i);
  Trial t("PodTopologySpread", objects);
  std::vector<PodRef> pods;
  for (int i = 0; i < 6; ++i) {
    std::string constraints;
    const std::string keys[] = {std::string(kHost), "zone", "rack"};
    for (uint32_t k = 0; k <= pick(4); ++k) {
      constraints += constraints.empty() ? "{" : ", {";
      constraints += "maxSkew: " + std::to_string(1 + pick(4)) + ", topologyKey: " + keys[pick(3)] +
                     ", whenUnsatisfiable: " + (pick(2) == 0 ? "DoNotSchedule" : "ScheduleAnyway");
      if (pick(10) != 0)
        constraints += ", labelSelector: {matchLabels: {" +
                       (pick(10) == 0 ? "" : "app: a" + std::to_string(pick(3))) + "}}";
      if (pick(4) == 0) constraints += ", minDomains: " + std::to_string(1 + pick(6));
      if (pick(4) == 0) constraints += ", nodeTaintsPolicy: Honor";
      constraints += "}";
    }
    pods.push_back(Trial::pod("{topologySpreadConstraints: [" + constraints + "]" +
                                  (pick(4) == 0 ? ", nodeSelector: {disk: d0}" : "") + "}",
                              "name: p, namespace: default, labels: {app: a0}"));
  }
  for (const PodRef& p : pods) compare(t, *p);
  for (int change = 0; change < 4; ++change) {
    t.apply(pick(3) == 0 ? node(pick(nodes + 2)) : pod(pick(nodes * 4)));
    for (const PodRef& p : pods) compare(t, *p);
  }
}

TEST_CASE("spreading agrees with counting by maps") {
  for (uint32_t seed = 1; seed <= rounds(60); ++seed) {
    CAPTURE(seed);
    run(seed);
  }
}

TEST_CASE("rounding is Go's math.Round, also a word of rows at once") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const double x = static_cast<double>(static_cast<int64_t>(random() % 2000001) - 1000000) /
                     static_cast<double>(1 << random() % 12);
    CHECK(round_half_away(x) == static_cast<int64_t>(std::round(x)));
  }
  CHECK(round_half_away(0.49999999999999994) == 0);
  CHECK(round_half_away(-2.5) == -3);
  for (int i = 0; i < 5000; ++i) {
    double x[64];
    int64_t rounded[64];
    const double scale = i % 4 == 0 ? 1e6 : 1;
    for (double& v : x)
      v = scale * (static_cast<double>(static_cast<int64_t>(random() % 20001) - 10000) / 8);
    if (i % 3 == 0) x[i % 64] = 0.49999999999999994;
    if (i % 3 == 1) x[i % 64] = std::nextafter(3.5, 0);
    round_rows(x, rounded);
    for (size_t r = 0; r < 64; ++r) CHECK(rounded[r] == static_cast<int64_t>(std::round(x[r])));
    int64_t min = 5, max = 6;
    const uint64_t rows = i % 2 == 0 ? ~uint64_t{0} : random() & random();
    range_of_rows(rounded, rows, &min, &max);
    int64_t low = 5, high = 6;
    for (size_t r = 0; r < 64; ++r) {
      if ((rows >> r & 1) == 0) continue;
      low = std::min(low, rounded[r]);
      high = std::max(high, rounded[r]);
    }
    CHECK(min == low);
    CHECK(max == high);
  }
  for (int i = 0; i < 2000; ++i) {
    int32_t counts[64];
    uint64_t expected = 0;
    const int32_t limit = i % 3 == 0 ? INT32_MAX : static_cast<int32_t>(random() % 5) - 1;
    for (size_t r = 0; r < 64; ++r) {
      counts[r] = static_cast<int32_t>(random() % 5) * (i % 2 == 0 ? 1 : 400000000);
      expected |= static_cast<uint64_t>(counts[r] > limit) << r;
    }
    CHECK(rows_above(counts, limit) == expected);
  }
}

}  // namespace libsched::spread_model_test
