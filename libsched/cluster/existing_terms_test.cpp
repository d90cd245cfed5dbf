// ExistingTerms: random changes with nested forks against walking all pods, and reclaiming.
#include "libsched/cluster/existing_terms.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <tuple>

#include "libsched/cluster/cluster.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::existing_terms_test {

using Kind = ExistingTerms::Kind;
// Kind, topology key, weight: count per row.
using Found = std::map<std::tuple<Kind, std::string, int32_t>, std::map<uint32_t, int32_t>>;

Str word(Arena& arena, std::mt19937& random, std::initializer_list<const char*> words) {
  return arena.copy(Str(words.begin()[random() % words.size()]));
}

Labels labels(Arena& arena, std::mt19937& random) {
  std::vector<Label> list;
  if (random() % 3 != 0) list.push_back(make_label("app", word(arena, random, {"a", "b", "c"})));
  if (random() % 3 == 0) list.push_back(make_label("tier", word(arena, random, {"x", "y"})));
  return arena.copy(list);
}

LabelSelector selector(Arena& arena, std::mt19937& random) {
  LabelSelector s;
  s.present = random() % 8 != 0;
  if (!s.present) return s;
  if (random() % 3 != 0) s.match_labels = labels(arena, random);
  if (random() % 3 == 0) {
    Requirement r;
    r.key = word(arena, random, {"app", "tier"});
    r.key_hash = hash_str(r.key);
    r.op = static_cast<SelectorOp>(random() % 4);
    if (random() % 12 == 0) r.op = SelectorOp::kUnknown;  // does not parse
    if (r.op == SelectorOp::kIn || r.op == SelectorOp::kNotIn) {
      r.values = arena.copy(std::vector<Str>{word(arena, random, {"a", "x"}), "b"});
      r.values_present = true;
    }
    s.match_expressions = arena.copy(std::vector<Requirement>{r});
  }
  return s;
}

Span<PodAffinityTerm> terms(Arena& arena, std::mt19937& random, bool weights) {
  std::vector<PodAffinityTerm> list(random() % 3);
  for (PodAffinityTerm& t : list) {
    t.selector = selector(arena, random);
    t.topology_key = word(arena, random, {"zone", "host"});
    if (random() % 3 == 0) t.namespaces = arena.copy(std::vector<Str>{"x"});
    if (random() % 3 == 0) t.namespace_selector = selector(arena, random);
    if (weights) t.weight = static_cast<int32_t>(random() % 3);
  }
  return arena.copy(list);
}

PodRef make_pod(const std::string& name, std::mt19937& random) {
  Ref<Pod> p = make_ref<Pod>();
  Arena& arena = p->arena;
  p->meta.name = p->meta.uid = arena.copy(name);
  p->meta.ns = word(arena, random, {"x", "y"});
  p->meta.key_hash = object_key_hash(p->meta.ns, p->meta.name);
  p->meta.labels = labels(arena, random);
  if (random() % 4 != 0) {
    PodSpec& spec = p->spec;
    spec.affinity_present = spec.pod_affinity.present = spec.pod_anti_affinity.present = true;
    spec.pod_affinity.required = terms(arena, random, false);
    spec.pod_affinity.preferred = terms(arena, random, true);
    spec.pod_anti_affinity.required = terms(arena, random, false);
    spec.pod_anti_affinity.preferred = terms(arena, random, true);
  }
  derive_pod(*p);
  return p;
}

// As upstream does: every term of every pod.
void look_at(const Pod& owner, uint32_t row, Span<PodAffinityTerm> list, Kind kind, int32_t sign,
             const Pod& pod, Labels ns_labels, Found* found) {
  for (const PodAffinityTerm& t : list)
    for (const LabelSelector* s : {&t.selector, &t.namespace_selector})
      if (s->present && !label_selector_error(*s).empty()) return;
  for (const PodAffinityTerm& t : list) {
    std::vector<Str> names(t.namespaces.begin(), t.namespaces.end());
    if (names.empty() && !t.namespace_selector.present) names = {owner.meta.ns};
    if (std::find(names.begin(), names.end(), pod.meta.ns) == names.end() &&
        !selector_matches(t.namespace_selector, ns_labels))
      continue;
    if (!selector_matches(t.selector, pod.meta.labels)) continue;
    ++(*found)[{kind, std::string(t.topology_key), sign * t.weight}][row];
  }
}

void check(const View& view, std::mt19937& random) {
  const ExistingTerms& existing = view.existing_terms();
  for (int i = 0; i < 3; ++i) {
    const PodRef pod = make_pod("incoming", random);
    Arena arena;
    const Labels ns_labels = labels(arena, random);
    Found expected, found;
    for (uint32_t s = 0; s < view.slot_count(); ++s) {
      if (!view.slot(s).pod) continue;
      const Pod& p = *view.slot(s).pod;
      const uint32_t row = view.slot(s).row;
      const auto look = [&](Span<PodAffinityTerm> list, Kind kind, int32_t sign) {
        look_at(p, row, list, kind, sign, *pod, ns_labels, &expected);
      };
      look(p.spec.pod_affinity.required, Kind::kRequired, 1);
      look(p.spec.pod_affinity.preferred, Kind::kPreferred, 1);
      look(p.spec.pod_anti_affinity.required, Kind::kRequiredAnti, 1);
      look(p.spec.pod_anti_affinity.preferred, Kind::kPreferred, -1);
    }
    const auto take = [&](const ExistingTerms::Term& t) {
      t.rows.for_each([&](uint32_t row, int32_t count) {
        found[{t.kind, std::string(existing.topology_key(t.key)), t.weight}][row] += count;
      });
    };
    existing.for_each_anti(*pod, ns_labels, take);
    existing.for_each_scored(*pod, ns_labels, [&](const ExistingTerms::Term& t) {
      CHECK_FALSE(existing.none_scored());
      take(t);
    });
    CHECK(found == expected);
  }
}

// The ids of the required anti-affinity terms that select each of these pods.
std::vector<std::vector<uint32_t>> selecting(const ExistingTerms& existing,
                                             const std::vector<PodRef>& pods) {
  std::vector<std::vector<uint32_t>> out;
  for (const PodRef& pod : pods)
    existing.for_each_anti(
        *pod, {}, [&, &list = out.emplace_back()](const ExistingTerms::Term&, uint32_t id) {
          list.push_back(id);
        });
  return out;
}

void run_sequence(uint32_t seed, int steps, size_t* kept) {
  std::mt19937 random(seed);
  const auto pick = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Ref<Cluster> cluster = make_ref<Cluster>();
  std::vector<PodRef> templates;
  for (int i = 0; i < 8; ++i) templates.push_back(make_pod("template", random));
  uint64_t present = 0;
  std::vector<std::vector<uint32_t>> selected;
  for (int step = 0; step < steps; ++step) {
    const std::string node = "n" + std::to_string(pick(pick(2) == 0 ? 4 : 400));
    const std::string name = "p" + std::to_string(pick(300));
    switch (pick(8)) {
      case 0: static_cast<void>(cluster->remove_pod(pick(2) == 0 ? "x" : "y", name)); break;
      case 1: REQUIRE(cluster->fork().ok()); break;
      case 2:
        if (cluster->fork_depth() == 0) break;
        CHECK((pick(3) == 0 ? cluster->commit() : cluster->revert()).ok());
        break;
      case 3: CHECK(cluster->update_pod(make_pod(name, random), node).ok()); break;
      default: {
        const Pod& t = *templates[pick(8)];
        CHECK(cluster->update_pod(copy_pod(t, name, pick(2) == 0 ? "x" : "y", name, node), node)
                  .ok());
      }
    }
    // Of copies of one template only the first that comes or the last that goes makes a difference.
    const ExistingTerms& existing = cluster->view().existing_terms();
    const auto now = selecting(existing, templates);
    if (step != 0 && existing.present() == present) {
      CHECK(now == selected);
      ++*kept;
    }
    present = existing.present();
    selected = now;
    if (pick(8) == 0) check(cluster->view(), random);
    if (pick(40) != 0) continue;
    const SnapshotRef snapshot = cluster->snapshot();
    CHECK(cluster->update_pod(make_pod("later", random), node).ok());
    check(snapshot->view(), random);
    check(cluster->view(), random);
  }
}

TEST_CASE("existing terms: random changes with nested forks agree with walking all pods") {
  size_t kept = 0;
  for (uint32_t seed = 1; seed <= rounds(200); ++seed) {
    CAPTURE(seed);
    run_sequence(seed, 60, &kept);
  }
  for (uint32_t seed = 1; seed <= rounds(3); ++seed) {
    CAPTURE(seed);
    run_sequence(9000 + seed, 1500, &kept);
  }
  CHECK(kept > 100);
}

TEST_CASE("existing terms: row counts turn dense and back") {
  RowCounts counts;
  std::map<uint32_t, int32_t> expected;
  std::mt19937 random(7);
  const auto agree = [&] {
    std::map<uint32_t, int32_t> have;
    counts.for_each([&](uint32_t r, int32_t n) { have[r] = n; });
    CHECK(have == expected);
    CHECK(counts.rows() == expected.size());
    CHECK(counts.empty() == expected.empty());
  };
  for (int round = 0; round < 6; ++round) {
    const uint32_t range = round % 2 == 0 ? 300 : 4000;
    for (int i = 0; i < 2000; ++i) {
      const uint32_t row = static_cast<uint32_t>(random() % range);
      const int32_t delta = static_cast<int32_t>(random() % 5) - 2;
      if (delta == 0) continue;
      counts.reserve(row, 4096);
      counts.add(row, delta);
      if ((expected[row] += delta) == 0) expected.erase(row);
      if (i % 100 == 0) agree();
    }
    while (!expected.empty()) {
      const auto [row, n] = *expected.begin();
      counts.add(row, -n);
      expected.erase(expected.begin());
      if (counts.sparse_again()) counts.trim();
      if (expected.size() % 50 == 0) agree();
    }
    agree();
  }
}

TEST_CASE("existing terms: those of removed pods are reclaimed") {
  ExistingTerms existing;
  Label app;
  for (uint32_t i = 0; i < 20000; ++i) {
    Ref<Pod> p = make_ref<Pod>();
    p->meta.ns = "x";
    app = make_label("app", p->arena.copy(std::to_string(i)));
    std::vector<PodAffinityTerm> list(1);
    list[0].selector.present = true;
    list[0].selector.match_labels = p->arena.copy(std::vector<Label>{app});
    list[0].topology_key = p->arena.copy("key-" + std::to_string(i));
    p->spec.affinity_present = p->spec.pod_anti_affinity.present = true;
    p->spec.pod_anti_affinity.required = p->arena.copy(list);
    p->meta.labels = list[0].selector.match_labels;
    derive_pod(*p);
    p->class_id = i % 2 == 0 ? i + 1 : 0;
    const auto found = [&] {
      int terms = 0;
      existing.for_each_anti(*p, {}, [&](const ExistingTerms::Term&) { ++terms; });
      return terms;
    };
    // By its number it has its own profile again, though that was reclaimed.
    for (int time = 0; time < 3; ++time) {
      existing.prepare_attach(0, *p, 5, 64);
      existing.attach_pod(0, *p, 5);
      CHECK(found() == 1);
      existing.detach_pod(0, *p, 5);
      if (time != 1) existing.collect(0);
      CHECK(found() == 0);
    }
  }
  CHECK(existing.size() <= 1100);
  CHECK(existing.key_count() <= 1100);
}

}  // namespace libsched::existing_terms_test
