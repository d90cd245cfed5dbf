// The declarations of plugins (KeepsAnswers::depends_on) against what they read: answers that the
// change log keeps up to date equal fresh ones after every change, with forks, reverts and copies,
// on the recorded cases of the conformance test. A declaration with a missing kind of change fails.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/plugins/changing_cases_test.hpp"
#include "libsched/plugins/kept_answers_test.hpp"
#include "libsched/run/evaluator.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::depends_on_test {

AskedAt asked_at(const Framework& framework, uint32_t plugin) {
  const auto at = [&](ExtensionPoint p) {
    const std::vector<uint32_t>& list = framework.at(p);
    return std::find(list.begin(), list.end(), plugin) != list.end();
  };
  return {at(ExtensionPoint::kPreFilter), at(ExtensionPoint::kFilter),
          at(ExtensionPoint::kPreScore), at(ExtensionPoint::kScore)};
}

// All plugins that filter or score, each with two pods.
struct Asked {
  std::string name;
  const Plugin* plugin;
  AskedAt at;
  PodRef pod;
  PodRef twin;  // with another name and uid; null if its class would differ
};
std::vector<Asked> asked_of(const Framework& framework, const Case& c, size_t round) {
  std::vector<Asked> out;
  for (uint32_t i = 0; i < framework.plugins().size(); ++i) {
    const Plugin* plugin = framework.plugins()[i].plugin.get();
    const AskedAt at = asked_at(framework, i);
    if (plugin == nullptr || !(at.filter || at.score)) continue;
    for (size_t p = 0; p < std::min<size_t>(2, c.pods.size()); ++p) {
      const PodRef& pod = c.pods[(round + p) % c.pods.size()];
      out.push_back({framework.plugins()[i].name, plugin, at, pod, twin_of(*pod)});
    }
  }
  return out;
}

// Calls f(framework, case, churn) for `factor` times a few cases of every kind: all of them in each
// round, with other changes in the next.
template <typename F>
void for_each_case(size_t factor, F&& f) {
  for (const char* kind : kKinds)
    for (size_t round = 0; round < factor; ++round) {
      const std::vector<Case> cases = read_cases(kind, round, 40);
      for (size_t k = 0; k < cases.size(); ++k) {
        CAPTURE(cases[k].name);
        const FrameworkRef framework = framework_of(cases[k]);
        if (!framework) continue;
        Churn churn(cases[k], cases[(k + 1) % cases.size()],
                    static_cast<unsigned>(round * 1000 + k));
        f(asked_of(*framework, cases[k], round), &churn);
      }
    }
}

TEST_CASE("answers that are kept by what plugins declare equal fresh ones") {
  size_t judged = 0, live = 0, steps = 0, twins = 0;
  for_each_case(factor(), [&](const std::vector<Asked>& asked, Churn* churn) {
    std::vector<KeptAnswers> kept;
    for (const Asked& a : asked) kept.emplace_back(*a.plugin, a.at, a.pod);
    for (int step = 0; step < std::max(8, static_cast<int>(rounds(40))); ++step, ++steps) {
      CAPTURE(step);
      if (step != 0) churn->step();
      churn->cluster().refresh();
      const View& view = churn->cluster().view();
      for (size_t i = 0; i < kept.size(); ++i) {
        if (churn->below(3) == 0) continue;  // sees several changes at once later
        CAPTURE(asked[i].name);
        CAPTURE(asked[i].pod->meta.name);
        kept[i].bring_up_to_date(view);
        const std::vector<uint32_t> some = churn->some_rows();
        REQUIRE(kept[i].difference(view, some) == "");
        // Another pod of the class gets the same answers.
        if (!asked[i].twin) continue;
        ++twins;
        REQUIRE(kept[i].difference(view, *asked[i].twin, some) == "");
      }
    }
    for (const KeptAnswers& k : kept) {
      judged += k.judged();
      live += k.live();
    }
  });
  MESSAGE(steps, " changes; ", judged, " of ", live, " rows judged again");
  CHECK(steps > rounds(1000));
  CHECK(twins > rounds(10000));
  CHECK(judged * (sanitized() ? 2 : 3) < live);  // the first step judges all rows
}

// Removes one bit of a plugin's declaration.
struct Less {
  bool score = false, any = false;
  ChangeKinds bit = 0;

  void operator()(Dependencies* reads) const {
    Reads& of = score ? reads->score : reads->filter;
    (any ? of.any : of.row) &= ~bit;
  }
};
std::vector<Less> all_less(const Dependencies& reads) {
  std::vector<Less> out;
  for (const bool score : {false, true})
    for (const bool any : {false, true})
      for (uint32_t b = 0; b < 32; ++b) {
        const Reads& of = score ? reads.score : reads.filter;
        const Less less{score, any, 1U << b};
        // A new node is judged anyway, as are all nodes if others count.
        if (!any && less.bit == kNodeChanged) continue;
        if (score && of.others) continue;
        if (((any ? of.any : of.row) & less.bit) != 0) out.push_back(less);
      }
  return out;
}

// Nothing runs here but the test above, so sanitizers would find nothing new.
TEST_CASE("a plugin with a kind of change missing in its declaration is found" *
          doctest::skip(sanitized())) {
  std::map<std::string, bool> found;  // by plugin, point and kind of change
  for_each_case(2 * factor(), [&](const std::vector<Asked>& asked, Churn* churn) {
    struct Liar {
      std::string name;
      KeptAnswers kept;
    };
    std::vector<Liar> liars;
    for (const Asked& a : asked)
      for (const Less& less : all_less(a.plugin->depends_on(churn->cluster().view(), *a.pod))) {
        const std::string name = a.name + (less.score ? " score" : " filter") +
                                 (less.any ? " any " : " row ") + std::to_string(less.bit);
        if (!found.try_emplace(name).first->second)
          liars.push_back({name, KeptAnswers(*a.plugin, a.at, a.pod, less)});
      }
    for (int step = 0; step < 60; ++step) {
      if (step != 0) churn->step();
      churn->cluster().refresh();
      const View& view = churn->cluster().view();
      const std::vector<uint32_t> some = churn->some_rows();
      for (Liar& liar : liars) {
        if (found[liar.name]) continue;
        liar.kept.bring_up_to_date(view);
        found[liar.name] = !liar.kept.difference(view, some).empty();
      }
    }
  });
  // A single kind may be rare, but each plugin must be caught at least once.
  std::map<std::string, bool> plugins;
  size_t caught = 0;
  std::string missed;
  for (const auto& [name, yes] : found) {
    caught += yes;
    if (!yes) missed += "; " + name;
    bool& any = plugins[name.substr(0, name.find(' '))];
    any = any || yes;
  }
  MESSAGE(caught, " of ", found.size(), " found out; not", missed);
  CHECK(plugins.size() >= 13);
  for (const auto& [name, any] : plugins) CHECK_MESSAGE(any, name);
  CHECK(caught * 2 > found.size());
}

TEST_CASE("a new plain pod concerns only its node, for any plain pod") {
  const Case c;
  const FrameworkRef framework = framework_of(c);
  Ref<Cluster> cluster = make_ref<Cluster>();
  const auto apply = [&](const std::string& text) {
    const Result<ObjectSet> set = parse_objects(text, {});
    REQUIRE_MESSAGE(set.ok(), set.error().text());
    REQUIRE(cluster->apply(*set).ok());
  };
  apply(
      "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 9}}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: 9}}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: anti}, spec: {nodeName: b, affinity: "
      "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "[{topologyKey: zone, labelSelector: {}}]}}}}\n---\n"
      "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: other}}}");
  const Result<PodRef> pod = parse_pod(
      "{metadata: {name: p, labels: {app: web}}, spec: {tolerations: [{operator: Exists}], "
      "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}}",
      {});
  REQUIRE(pod.ok());
  // Whether a plugin's answers about all nodes, or about this row, may have changed.
  const auto hits = [&](const ChangeLog::Cursor& cursor, bool any) {
    std::set<std::string> out;
    const View& view = cluster->view();
    for (const Framework::Instance& i : framework->plugins()) {
      if ((i.points & (point_bit(ExtensionPoint::kFilter) | point_bit(ExtensionPoint::kScore))) ==
          0)
        continue;
      const Dependencies reads = i.plugin->depends_on(view, **pod);
      REQUIRE(view.log().for_each_since(cursor, [&](uint32_t row, ChangeKinds kinds) {
        for (const Reads& r : {reads.filter, reads.score})
          if (any ? r.others || r.any_hit(kinds) : row != kNoId && r.row_hit(kinds))
            out.insert(i.name);
      }));
    }
    return out;
  };
  using Names = std::set<std::string>;
  ChangeLog::Cursor at = cluster->view().log().cursor();
  apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: q, labels: {app: web}}, spec: {nodeName: a}}");
  cluster->refresh();
  CHECK(hits(at, true) == Names{});
  CHECK(hits(at, false) == Names{"NodeResourcesBalancedAllocation", "NodeResourcesFit"});
  at = cluster->view().log().cursor();
  apply("{apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: 9}}}");
  cluster->refresh();
  CHECK(hits(at, true) == Names{"ImageLocality"});  // the number of nodes
  at = cluster->view().log().cursor();
  apply("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: web}}}");
  CHECK(hits(at, true) == Names{"PodTopologySpread"});
  at = cluster->view().log().cursor();
  REQUIRE(cluster->remove_pod("default", "anti").ok());
  CHECK(hits(at, true) == Names{"InterPodAffinity", "PodTopologySpread"});
}

}  // namespace libsched::depends_on_test
