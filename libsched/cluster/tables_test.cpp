// Tables: random changes with nested forks compared with counting anew, copies, threads, eviction.
#include <doctest/doctest.h>

#include <array>
#include <map>
#include <random>
#include <string>
#include <thread>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "libsched/cluster/cluster.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::tables_test {

using Map = std::map<std::string, std::string>;

Labels copy_labels(Arena& arena, const Map& labels) {
  std::vector<Label> list;
  for (const auto& [k, v] : labels) list.push_back(make_label(arena.copy(k), arena.copy(v)));
  return arena.copy(list);
}

NodeRef make_node(const std::string& name, const Map& labels) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->meta.uid = n->arena.copy(name);
  n->meta.key_hash = object_key_hash("", n->meta.name);
  n->meta.labels = copy_labels(n->arena, labels);
  derive_node(*n);
  return n;
}

PodRef make_pod(const std::string& name, const char* ns, const Map& labels, bool terminating) {
  Ref<Pod> p = make_ref<Pod>();
  p->meta.name = p->meta.uid = p->arena.copy(name);
  p->meta.ns = ns;
  p->meta.key_hash = object_key_hash(p->meta.ns, p->meta.name);
  p->meta.labels = copy_labels(p->arena, labels);
  p->meta.deleted.present = terminating;
  derive_pod(*p);
  return p;
}

Requirement requirement(Str key, SelectorOp op, Span<Str> values = {}) {
  Requirement r;
  r.key = key;
  r.op = op;
  r.values = values;
  r.key_hash = hash_str(key);
  return r;
}

const Str kAB[] = {"a", "b"};
const Str kBA[] = {"b", "a", "b"};
const Label kAppA = make_label("app", "a");

// The keys that the tests query.
std::vector<CountKey> some_keys() {
  std::vector<CountKey> keys(6);
  keys[0].terms.resize(1);
  keys[0].terms[0].namespaces = {"x"};
  keys[0].terms[0].add(kAppA);
  keys[0].terms[0].skip_terminating = true;
  keys[1].terms = keys[0].terms;
  keys[1].terms[0].skip_terminating = false;
  keys[1].terms[0].any_namespace = true;
  keys[2].terms.resize(1);
  keys[2].terms[0].namespaces = {"y", "x"};
  keys[2].terms[0].requirements = {requirement("app", SelectorOp::kNotIn, kAB)};
  keys[3].terms = {keys[1].terms[0], keys[2].terms[0]};
  keys[3].terms[1].requirements = {requirement("tier", SelectorOp::kExists)};
  keys[4].terms.resize(1);
  keys[4].terms[0].any_namespace = true;  // every pod
  keys[5].terms.resize(1);
  keys[5].terms[0].any_namespace = true;
  keys[5].terms[0].requirements = {requirement("tier", SelectorOp::kDoesNotExist),
                                   requirement("app", SelectorOp::kIn, kAB)};
  return keys;
}

std::vector<int32_t> values(const Mirrored<int32_t, 64>& from) {
  std::vector<int32_t> out;
  from.for_each([&](size_t, int32_t v) { out.push_back(v); });
  return out;
}

void check_counts(const View& view, const CountKey& key, const CountsRef& counts) {
  const CountRule rule(key);
  std::vector<int32_t> expected(view.columns().capacity());
  int64_t total = 0;
  for (uint32_t s = 0; s < view.slot_count(); ++s) {
    if (!view.slot(s).pod || !rule.counts(*view.slot(s).pod)) continue;
    ++expected[view.slot(s).row];
    ++total;
  }
  CHECK(values(counts->rows) == expected);
  CHECK(counts->total == total);
}

void check_sums(const View& view, const CountsRef& counts, Str key,
                const std::vector<uint64_t>& eligible) {
  const TopologyRef column = view.tables().topology(view, key);
  const SumsRef sums = view.tables().sums(counts, column, eligible);
  std::map<Str, std::pair<int32_t, int32_t>> expected;  // value: pods, rows
  std::map<Str, int32_t> numbers;
  uint32_t labelled = 0;
  for (uint32_t r = 0; r < view.row_count(); ++r) {
    const Node* node = view.row(r).used ? view.node(r) : nullptr;
    const Label* l = node == nullptr ? nullptr : find_label(node->meta.labels, key);
    CHECK((column->domain[r] != TopologyColumn::kNone) == (l != nullptr));
    CHECK(column->labelled.test(r) == (l != nullptr));
    if (l == nullptr) continue;
    ++labelled;
    CHECK(numbers.try_emplace(l->value, column->domain[r]).first->second == column->domain[r]);
    const auto& d = column->domains[static_cast<size_t>(column->domain[r])];
    CHECK(view.labels().pair(d.pair).value == l->value);
    if ((eligible[r / 64] >> (r % 64) & 1) == 0) continue;
    expected[l->value].first += counts->rows[r];
    ++expected[l->value].second;
  }
  CHECK(column->in_use == numbers.size());
  CHECK(column->labelled_rows == labelled);
  CHECK(sums->stamp == column->stamp);
  CHECK(sums->domains == expected.size());
  int32_t min = DomainSums::kNoDomain;
  for (const auto& [value, e] : expected) {
    const size_t d = static_cast<size_t>(numbers.at(value));
    CHECK(sums->sum[d] == e.first);
    CHECK((*sums->rows)[d] == e.second);
    min = std::min(min, e.first);
  }
  CHECK(sums->min == min);
  uint32_t at_min = 0;
  for (const auto& [value, e] : expected) at_min += e.first == min ? 1 : 0;
  CHECK(sums->at_min == at_min);
}

void check_some(const View& view, const std::vector<CountKey>& keys, std::mt19937& random) {
  std::vector<uint64_t> eligible(view.word_count());
  for (const CountKey& key : keys) {
    if (random() % 2 == 0) continue;
    const CountsRef counts = view.tables().counts(view, key);
    check_counts(view, key, counts);
    for (const char* topology : {"zone", "host"}) {
      for (uint64_t& w : eligible) w = random() % 3 == 0 ? 0x5a5a : ~uint64_t{0};
      check_sums(view, counts, topology, eligible);
    }
  }
}

// Values that a query has returned, and how to ask for them by current().
struct Earlier {
  size_t key;
  std::string topology;
  std::vector<uint64_t> eligible;
  Tables::Known known;
};

Earlier ask(const View& view, const std::vector<CountKey>& keys, std::mt19937& random) {
  Earlier out{random() % keys.size(), random() % 2 == 0 ? "zone" : "host", {}, {}};
  for (size_t w = 0; w < view.word_count(); ++w)
    out.eligible.push_back(random() % 3 == 0 ? 0x5a5a : ~uint64_t{0});
  const CountsRef counts = view.tables().counts(view, keys[out.key]);
  const TopologyRef topology = view.tables().topology(view, out.topology);
  out.known = {counts->place, counts->serial,
               view.tables().sums(counts, topology, out.eligible)->serial};
  return out;
}

// Returns what was still known: of the counts and of the sums.
std::pair<bool, bool> check_again(const View& view, const std::vector<CountKey>& keys,
                                  const Earlier& earlier) {
  const Tables::Known known[] = {{}, earlier.known};
  Tables::Values values[2];
  if (!view.tables().current(known, values)) return {false, false};
  CHECK_FALSE(values[0].counts);
  CHECK_FALSE(values[0].sums);
  check_counts(view, keys[earlier.key], values[1].counts);
  if (!values[1].sums) return {true, false};
  const TopologyRef topology = view.tables().topology(view, earlier.topology);
  CHECK(values[1].sums->stamp == topology->stamp);
  CHECK(view.tables().sums(values[1].counts, topology, earlier.eligible).shares(values[1].sums));
  return {true, true};
}

void run_sequence(uint32_t seed, int steps, std::array<size_t, 3>* found) {
  std::mt19937 random(seed);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  const std::vector<CountKey> keys = some_keys();
  Ref<Cluster> cluster = make_ref<Cluster>();
  if (pick(4) == 0) cluster->view().tables().set_limit(static_cast<size_t>(pick(20000)));
  CountsRef held;  // returned values do not change
  std::vector<int32_t> held_rows;
  std::vector<Earlier> earlier;
  const int first = pick(steps);  // nothing is counted before this step
  for (int step = 0; step < steps; ++step) {
    const std::string node = "n" + std::to_string(pick(90));
    const std::string name = "p" + std::to_string(pick(60));
    switch (pick(9)) {
      case 0:
      case 1: {
        Map labels = {{"host", node}};
        if (pick(4) != 0) labels["zone"] = std::string(static_cast<size_t>(pick(3)), 'z');
        CHECK(cluster->update_node(make_node(node, labels)).ok());
        break;
      }
      case 2: static_cast<void>(cluster->remove_node(node)); break;  // its pods stay
      case 3: static_cast<void>(cluster->remove_pod(pick(2) == 0 ? "x" : "y", name)); break;
      case 4: REQUIRE(cluster->fork().ok()); break;
      case 5:
        if (cluster->fork_depth() == 0) break;
        CHECK((pick(3) == 0 ? cluster->commit() : cluster->revert()).ok());
        break;
      default: {
        Map labels;
        if (pick(3) != 0) labels["app"] = std::string(1, static_cast<char>('a' + pick(3)));
        if (pick(3) == 0) labels["tier"] = "t";
        const PodRef p = make_pod(name, pick(2) == 0 ? "x" : "y", labels, pick(5) == 0);
        CHECK(cluster->update_pod(p, node).ok());
      }
    }
    if (step < first) continue;
    if (pick(3) == 0) check_some(cluster->view(), keys, random);
    if (held) CHECK(values(held->rows) == held_rows);
    for (const Earlier& e : earlier) {
      const auto [counts, sums] = check_again(cluster->view(), keys, e);
      ++(*found)[counts ? 1 + (sums ? 1 : 0) : 0];
    }
    if (earlier.size() > 6) earlier.erase(earlier.begin());
    if (pick(2) == 0) earlier.push_back(ask(cluster->view(), keys, random));
    if (pick(4) == 0) {
      held = cluster->view().tables().counts(cluster->view(), keys[4]);
      held_rows = values(held->rows);
    }
    if (pick(10) == 0) {
      const SnapshotRef snapshot = cluster->snapshot();
      const PodRef p = make_pod("later", "x", {{"app", "a"}}, false);
      CHECK(cluster->update_pod(p, node).ok());
      check_some(snapshot->view(), keys, random);
      check_some(cluster->view(), keys, random);
    }
  }
}

TEST_CASE("tables: random changes with nested forks agree with counting anew") {
  // How often current() knew nothing, the counts alone, and the sums, too.
  std::array<size_t, 3> found{};
  for (uint32_t seed = 1; seed <= rounds(400); ++seed) {
    CAPTURE(seed);
    run_sequence(seed, 60, &found);
  }
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    run_sequence(9000 + seed, 1000, &found);
  }
  for (const size_t n : found) CHECK(n > 20);
}

TEST_CASE("tables: equal rules have equal texts, others not") {
  const std::vector<CountKey> keys = some_keys();
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < keys.size(); ++j) CHECK((keys[i].text() == keys[j].text()) == (i == j));
  CountKey a = keys[5], b = keys[3];
  std::swap(a.terms[0].requirements[0], a.terms[0].requirements[1]);
  a.terms[0].requirements.push_back(requirement("app", SelectorOp::kIn, kBA));
  CHECK(a.text() == keys[5].text());
  std::swap(b.terms[0], b.terms[1]);
  b.terms.push_back(b.terms[0]);
  CHECK(b.text() == keys[3].text());
}

TEST_CASE("tables: values above the limit are dropped, and made again on demand") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 100; ++i)
    REQUIRE(cluster->update_node(make_node("n" + std::to_string(i), {{"zone", "z"}})).ok());
  const View& view = cluster->view();
  const Tables& tables = view.tables();
  tables.set_limit(20000);
  for (int i = 0; i < 200; ++i) {
    const std::string value = std::to_string(i);
    REQUIRE(cluster->update_pod(make_pod(value, "x", {{"app", value}}, false), "n5").ok());
    const Label l = make_label("app", value);
    CountKey key;
    key.terms.resize(1);
    key.terms[0].namespaces = {"x"};
    key.terms[0].add(l);
    const CountsRef counts = tables.counts(view, key);
    CHECK(counts->total == 1);
    CHECK(tables.counts(view, key).shares(counts));
    CHECK(tables.bytes() <= 20000);
  }
  CHECK(tables.count_tables() > 3);
  CHECK(tables.count_tables() < 30);
  tables.set_limit(0);
  CHECK(tables.count_tables() == 0);
  const std::vector<CountKey> keys = some_keys();
  CHECK(tables.counts(view, keys[4])->total == 200);
}

#ifdef __GLIBC__
TEST_CASE("tables: bytes() is about what the kept values take") {
  if (sanitized()) return;  // memory is managed otherwise
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 10; ++i)
    REQUIRE(cluster->update_node(make_node("n" + std::to_string(i), {{"zone", "z"}})).ok());
  const View& view = cluster->view();
  const Tables& tables = view.tables();
  const TopologyRef zones = tables.topology(view, "zone");
  const uint64_t all = 1023;
  for (const bool with_sums : {false, true}) {
    const size_t counted = tables.bytes(), taken = mallinfo2().uordblks;
    for (int i = 0; i < 5000; ++i) {
      const std::string value =
          "a-value-of-usual-length-" + std::to_string(i) + (with_sums ? "s" : "");
      const Label l = make_label("app.kubernetes.io/name", value);
      CountKey key;
      key.terms.resize(1);
      key.terms[0].namespaces = {"default"};
      key.terms[0].add(l);
      const CountsRef counts = tables.counts(view, key);
      if (with_sums) static_cast<void>(tables.sums(counts, zones, {&all, 1}));
    }
    const auto more_counted = static_cast<double>(tables.bytes() - counted);
    const auto more_taken = static_cast<double>(mallinfo2().uordblks - taken);
    CAPTURE(more_counted);
    CAPTURE(more_taken);
    CHECK(more_counted > 0.8 * more_taken);
    CHECK(more_counted < 1.25 * more_taken);
  }
}
#endif

TEST_CASE("tables: sums are kept as long as the same rows are queried") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 10; ++i)
    REQUIRE(cluster->update_node(make_node("n" + std::to_string(i), {{"zone", "z"}})).ok());
  const View& view = cluster->view();
  const Tables& tables = view.tables();
  const std::vector<CountKey> keys = some_keys();
  const std::vector<uint64_t> all = {~uint64_t{0}}, few = {7};
  const auto ask = [&](const std::vector<uint64_t>& rows) {
    return tables.sums(tables.counts(view, keys[4]), tables.topology(view, "zone"), rows);
  };
  const SumsRef first = ask(all);
  CHECK(ask(all).shares(first));
  CHECK_FALSE(ask(few).shares(first));
  CHECK(ask(all).shares(first));
  REQUIRE(cluster->update_pod(make_pod("p", "x", {}, false), "n5").ok());
  CHECK(ask(all)->sum[0] == 1);
  CHECK(ask(few)->sum[0] == 0);
  CHECK(first->sum[0] == 0);
}

TEST_CASE("tables: a snapshot has what the cluster keeps, and shares what has not changed since") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 10; ++i)
    REQUIRE(cluster->update_node(make_node("n" + std::to_string(i), {{"zone", "z"}})).ok());
  const std::vector<CountKey> keys = some_keys();
  const std::vector<uint64_t> all = {~uint64_t{0}};
  const auto ask = [&](const View& view) {
    const Tables& tables = view.tables();
    return tables.sums(tables.counts(view, keys[1]), tables.topology(view, "zone"), all);
  };
  ask(cluster->view());
  const size_t bytes = cluster->view().tables().bytes();
  const SnapshotRef before = cluster->snapshot();
  REQUIRE(cluster->update_pod(make_pod("other", "x", {}, false), "n5").ok());
  const SnapshotRef same = cluster->snapshot();
  REQUIRE(cluster->update_pod(make_pod("p", "x", {{"app", "a"}}, false), "n5").ok());
  const SnapshotRef after = cluster->snapshot();
  const SumsRef first = ask(before->view());
  CHECK(ask(before->view()).shares(first));
  CHECK(ask(same->view())->sum.run(0) == first->sum.run(0));
  CHECK(ask(after->view())->sum.run(0) != first->sum.run(0));
  CHECK(first->sum[0] == 0);
  CHECK(ask(after->view())->sum[0] == 1);
  // Asking made nothing that was not there.
  CHECK(before->view().tables().bytes() == bytes);
  CHECK(after->view().tables().bytes() == bytes);
}

TEST_CASE("tables: a pod is judged only by the tables that its labels may concern") {
  Ref<Cluster> c = make_ref<Cluster>();
  REQUIRE(c->update_node(make_node("n", {{"zone", "a"}})).ok());
  const Tables& tables = c->view().tables();
  const auto judged = [&](const Map& labels, const char* ns) {
    const PodRef p = make_pod("p", ns, labels, false);
    const uint64_t before = tables.judged();
    REQUIRE(c->fork().ok());
    REQUIRE(c->update_pod(p, "n").ok());
    const uint64_t n = tables.judged() - before;
    for (const CountKey& key : some_keys())
      check_counts(c->view(), key, tables.counts(c->view(), key));
    REQUIRE(c->revert().ok());
    return n;
  };
  for (const CountKey& key : some_keys()) tables.counts(c->view(), key);
  std::vector<std::string> values;
  for (int i = 0; i < 5000; ++i) values.push_back("v" + std::to_string(i));
  for (const std::string& v : values) {
    for (const SelectorOp op : {SelectorOp::kIn, SelectorOp::kExists}) {
      CountKey key;
      key.terms.resize(1);
      key.terms[0].namespaces = {"x"};
      const Str value = v;
      key.terms[0].requirements = {
          requirement("all", SelectorOp::kExists),
          op == SelectorOp::kIn ? requirement("app", op, {&value, 1}) : requirement(value, op)};
      tables.counts(c->view(), key);
    }
    CountKey of_namespace;
    of_namespace.terms.resize(1);
    of_namespace.terms[0].namespaces = {v};
    tables.counts(c->view(), of_namespace);
  }
  REQUIRE(tables.count_tables() == 15'006);
  CHECK(judged({{"app", "v7"}, {"all", ""}}, "x") < 10);
  CHECK(judged({{"app", "v7"}, {"v9", ""}, {"all", ""}}, "v3") < 10);
  CHECK(judged({{"app", "a"}}, "y") < 10);
}

TEST_CASE("tables: the bytes are those of the kept values after any changes") {
  Ref<Cluster> c = make_ref<Cluster>();
  std::mt19937 random(3);
  const auto name = [&](int n) { return std::to_string(random() % static_cast<uint32_t>(n)); };
  for (int i = 0; i < 3000; ++i) {
    const Tables& tables = c->view().tables();
    if (i % 3 == 0)
      REQUIRE(c->update_node(make_node("n" + name(300), {{"k" + name(9), name(50)}})).ok());
    if (i % 5 == 0) {
      const std::string gone = "n" + name(300);
      if (c->view().find_node(gone) != kNoId) REQUIRE(c->remove_node(gone).ok());
    }
    CountKey key;
    key.terms.resize(1);
    key.terms[0].any_namespace = true;
    const std::string value = name(40);
    const Label label = make_label("app", value);
    key.terms[0].add(label);
    const CountsRef counts = tables.counts(c->view(), key);
    const TopologyRef topology = tables.topology(c->view(), "k" + name(9));
    std::vector<uint64_t> rows(c->view().word_count(), random() % 2 == 0 ? ~uint64_t{0} : 1);
    tables.sums(counts, topology, rows);
    if (i % 500 == 499) tables.set_limit(Tables::kDefaultLimit / (i % 1000 == 999 ? 1 : 2000));
    if (i % 100 != 0) continue;
    // A copy that is asked to drop values drops all of them.
    const Ref<Cluster> copy = c->clone();
    copy->view().tables().set_limit(0);
    CHECK(copy->view().tables().bytes() == 0);
    CHECK(copy->view().tables().count_tables() == 0);
  }
}

TEST_CASE("tables: label sets of removed pods are reclaimed") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  REQUIRE(cluster->update_node(make_node("n", {})).ok());
  const std::vector<CountKey> keys = some_keys();
  PodLabelSets sets;
  for (uint32_t i = 0; i < 20000; ++i) {
    bool fresh = false;
    sets.add(0, *make_pod("p", "x", {{"i", std::to_string(i)}}, false), &fresh);
    CHECK(fresh);
    sets.remove(0);
    sets.collect();
  }
  CHECK(sets.size() <= 1100);
}

TEST_CASE("tables: threads query one snapshot while the cluster changes") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  for (int i = 0; i < 200; ++i)
    REQUIRE(cluster
                ->update_node(make_node("n" + std::to_string(i),
                                        {{"host", std::to_string(i)},
                                         {"zone", std::string(1, static_cast<char>('a' + i % 3))}}))
                .ok());
  const std::vector<CountKey> keys = some_keys();
  const auto change = [&](int i) {
    const PodRef p = make_pod("p" + std::to_string(i % 300), "x",
                              {{"app", std::string(1, static_cast<char>('a' + i % 2))}}, false);
    return cluster->update_pod(p, "n" + std::to_string(i * 7 % 200)).ok();
  };
  for (int i = 0; i < 300; ++i) REQUIRE(change(i));
  static_cast<void>(cluster->view().tables().counts(cluster->view(), keys[0]));
  SnapshotRef snapshot = cluster->snapshot();
  const std::vector<uint64_t> all(snapshot->view().word_count(), ~uint64_t{0});
  const auto ask = [&keys, &all](const SnapshotRef& s, int64_t* sum) {
    const View& view = s->view();
    for (int round = 0; round < 20; ++round)
      for (const CountKey& key : keys)
        for (const char* topology : {"zone", "host"}) {
          const CountsRef counts = view.tables().counts(view, key);
          const SumsRef sums =
              view.tables().sums(counts, view.tables().topology(view, topology), all);
          const Tables::Known known[] = {{counts->place, counts->serial, sums->serial}};
          Tables::Values again;
          if (!view.tables().current(known, &again) || !again.counts.shares(counts) ||
              !again.sums.shares(sums))
            ++*sum;
          sums->sum.for_each([&](size_t, int32_t n) { *sum += n; });
          *sum -= counts->total;
        }
  };
  int64_t differ[2] = {0, 0};
  {
    std::thread one(ask, snapshot, &differ[0]);
    std::thread two(ask, snapshot, &differ[1]);
    snapshot = nullptr;
    for (int i = 0; i < 300; ++i) {
      if (i % 50 == 0) snapshot = cluster->snapshot();
      CHECK(change(i * 3));
      CHECK(cluster->view().tables().counts(cluster->view(), keys[0])->total >= 0);
    }
    one.join();
    two.join();
  }
  CHECK(differ[0] == 0);
  CHECK(differ[1] == 0);
  std::mt19937 random(1);
  check_some(cluster->view(), keys, random);
}

}  // namespace libsched::tables_test
