// The change log against a model: every difference since a cursor was taken is reported, after
// random changes, forks, commits, reverts and failed changes, including changes that run out of
// memory.
#include "libsched/cluster/change_log.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/base/failing_new_test.hpp"
#include "libsched/ingest/ingest.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::change_log_test {

using Changed = std::map<uint32_t, ChangeKinds>;  // by row; kNoId: no row

// The changes since the cursor; false if everything may have changed.
bool read(const ChangeLog& log, const ChangeLog::Cursor& cursor, Changed* out) {
  return log.for_each_since(cursor, [&](uint32_t row, ChangeKinds k) { (*out)[row] |= k; });
}

TEST_CASE("a new cursor reads everything, one at the end nothing") {
  ChangeLog log;
  Changed got;
  CHECK_FALSE(read(log, {}, &got));
  const ChangeLog::Cursor at = log.cursor();
  CHECK(read(log, at, &got));
  log.append(3, kPodsChanged);
  log.append(3, kLabelsChanged);
  log.append(5, kPodsChanged);
  CHECK(read(log, at, &got));
  CHECK(got == Changed{{3, kPodsChanged | kLabelsChanged}, {5, kPodsChanged}});
  got.clear();
  const ChangeLog::Cursor later = log.cursor();
  log.append(5, kTaintsChanged);  // the entry before the cursor is not extended
  CHECK(read(log, later, &got));
  CHECK(got == Changed{{5, kTaintsChanged}});
}

TEST_CASE("a cursor falls out when the log has wrapped around") {
  ChangeLog log;
  Changed got;
  const ChangeLog::Cursor first = log.cursor();
  const auto row = [](size_t i) { return static_cast<uint32_t>(i % 2); };
  for (size_t i = 0; i < ChangeLog::kSize; ++i) log.append(row(i), kPodsChanged);
  CHECK(read(log, first, &got));
  log.append(row(ChangeLog::kSize), kPodsChanged);
  CHECK_FALSE(read(log, first, &got));
  // Undoing brings no entry back that was overwritten.
  ChangeLog undone;
  const ChangeLog::Cursor old = undone.cursor();
  undone.append(7, kPodsChanged);
  const ChangeLog::Cursor marked = undone.cursor();
  const uint64_t mark = undone.mark();
  for (size_t i = 0; i < ChangeLog::kSize; ++i) undone.append(row(i), kPodsChanged);
  undone.begin_undo(mark);
  undone.end_undo(mark);
  CHECK_FALSE(read(undone, old, &got));
  got.clear();
  CHECK(read(undone, marked, &got));
  CHECK(got.empty());
}

TEST_CASE("undone changes are reported to the cursors that have seen them, and to no others") {
  ChangeLog log;
  const ChangeLog::Cursor before = log.cursor();
  for (const bool seen : {false, true}) {
    const uint64_t mark = log.mark();
    log.append(1, kPodsChanged);
    ChangeLog::Cursor inside;
    if (seen) inside = log.cursor();
    log.append(2, kPodsChanged);
    log.begin_undo(mark);
    log.append(2, kPodsChanged);
    log.append(1, kPodsChanged);
    log.end_undo(mark);
    Changed got;
    CHECK(read(log, before, &got));
    CHECK(got.size() == (seen ? 2 : 0));
    got.clear();
    CHECK(read(log, inside, &got) == seen);
    CHECK(got.size() == (seen ? 2 : 0));
  }
}

TEST_CASE(
    "a copy accepts older cursors of the original, and neither accepts the other's later ones") {
  ChangeLog log;
  const ChangeLog::Cursor old = log.cursor();
  log.append(1, kPodsChanged);
  ChangeLog copy(log), assigned;
  assigned = log;
  log.append(2, kPodsChanged);
  copy.append(3, kPodsChanged);
  Changed got;
  CHECK(read(copy, old, &got));
  CHECK(got == Changed{{1, kPodsChanged}, {3, kPodsChanged}});
  got.clear();
  CHECK(read(assigned, old, &got));
  CHECK(got == Changed{{1, kPodsChanged}});
  CHECK_FALSE(read(copy, log.cursor(), &got));
  CHECK_FALSE(read(log, copy.cursor(), &got));
  CHECK_FALSE(read(assigned, copy.cursor(), &got));
  // A copy inside changes that are undone later: its numbers keep their meaning.
  const uint64_t mark = log.mark();
  log.append(4, kPodsChanged);
  const ChangeLog inside(log);
  log.begin_undo(mark);
  log.append(4, kPodsChanged);
  log.end_undo(mark);
  log.append(5, kPodsChanged);
  CHECK_FALSE(read(inside, log.cursor(), &got));
}

// --- random changes of a cluster ---

// Everything that a query can see of one row, by the kind of change.
using Seen = std::map<ChangeKinds, std::string>;
Seen row_of(const View& v, uint32_t r) {
  Seen seen;
  const View::Row& row = v.row(r);
  if (!row.used) return seen;
  if (const Node* n = v.node(r)) {
    seen[kNodeChanged] = row.name;
    for (const Label& l : n->meta.labels)
      seen[kLabelsChanged] += std::string(l.key) + "=" + std::string(l.value) + ",";
    for (const Taint& t : n->taints) seen[kTaintsChanged] += std::string(t.key) + ",";
    seen[kTaintsChanged] += n->unschedulable ? "closed" : "";
    seen[kAllocatableChanged] = std::to_string(v.columns().allocatable(0, r));
    for (const ContainerImage& image : n->images)
      for (const Str name : image.names)
        if (const Images::Image* found = v.images().find(name))
          found->holders.for_each([&](size_t, const Images::Holder& h) {
            if (h.row == r) seen[kImagesChanged] += std::to_string(h.nodes) + ",";
          });
    seen[kDetailsChanged] = std::string(n->raw);
  }
  // The pods and the places where they count; their order concerns only kPodsChanged.
  std::string domain = v.node(r) == nullptr ? "hidden" : "";
  if (!row.pods.empty()) domain += seen[kLabelsChanged];
  std::map<ChangeKinds, std::set<std::string>> special;
  for (const uint32_t s : row.pods) {
    const View::Slot& slot = v.slot(s);
    const std::string pod = std::string(slot.pod->meta.name) + std::to_string(slot.pod->serial);
    seen[kPodsChanged] += domain + pod + ",";
    if (slot.pod->has_pod_affinity) special[kTermsChanged].insert(domain + pod);
    if (slot.pod->driver_volumes != 0)
      special[kVolumesChanged].insert(v.node(r) == nullptr ? "hidden" + pod : pod);
    if (slot.assumed) special[kAssumedChanged].insert(pod);
  }
  for (const auto& [kind, pods] : special)
    for (const std::string& pod : pods) seen[kind] += pod + ",";
  for (const UsedPorts::Port& p : row.ports) seen[kPodsChanged] += std::to_string(p.port.port) + ";";
  return seen;
}
struct Memory {
  ChangeLog::Cursor cursor;
  std::vector<Seen> rows;
  Seen others;
};
Seen others_of(const View& v) {
  Seen seen;
  for (const uint32_t r : v.order()) seen[kOrderChanged] += std::to_string(r) + ",";
  for (size_t k = 0; k < kStoredKinds; ++k)
    v.objects().for_each_object(static_cast<StoredKind>(k), [&](const Object& o) {
      seen[object_changed(static_cast<StoredKind>(k))] += std::string(o.raw) + ",";
    });
  return seen;
}
Memory remember(const View& v) {
  Memory m{v.log().cursor(), {}, others_of(v)};
  for (uint32_t r = 0; r < v.row_count(); ++r) m.rows.push_back(row_of(v, r));
  return m;
}
// The kinds in which they differ.
ChangeKinds difference(const Seen& a, const Seen& b) {
  ChangeKinds out = 0;
  const auto one_way = [&](const Seen& x, const Seen& y) {
    for (const auto& [kind, text] : x) {
      const auto found = y.find(kind);
      if ((found == y.end() ? "" : found->second) != text) out |= kind;
    }
  };
  one_way(a, b);
  one_way(b, a);
  return out;
}
// Whether the log reports all differences; false if the cursor has fallen out.
bool compare(const View& v, const Memory& m) {
  Changed got;
  if (!read(v.log(), m.cursor, &got)) return false;
  for (uint32_t r = 0; r < v.row_count(); ++r) {
    const ChangeKinds wanted = difference(r < m.rows.size() ? m.rows[r] : Seen(), row_of(v, r));
    REQUIRE_MESSAGE((wanted & ~got[r]) == 0, "row ", r, " differs in ", wanted, ", reported ",
                    got[r]);
  }
  const ChangeKinds wanted = difference(m.others, others_of(v));
  REQUIRE_MESSAGE((wanted & ~got[kNoId]) == 0, "differs in ", wanted, ", reported ", got[kNoId]);
  return true;
}

std::string text_of(std::mt19937& rng) {
  const auto n = [&](unsigned below) { return std::to_string(rng() % below); };
  switch (rng() % 8) {
    case 0:
    case 1:
    case 2:
      return "{apiVersion: v1, kind: Node, metadata: {name: n" + n(6) + ", labels: {a: 'v" + n(2) +
             "', topology.kubernetes.io/zone: 'z" + n(2) +
             "'}}, spec: {unschedulable: " + (rng() % 4 == 0 ? "true" : "false") +
             ", taints: [{key: t" + n(2) +
             ", effect: NoSchedule}]}, status: {allocatable: {cpu: " + n(3) +
             ", pods: 9}, images: [{names: [i" + n(2) + "], sizeBytes: 9}]}}";
    case 3:
      return "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v" + n(2) +
             "}, spec: {storageClassName: c" + n(3) + "}}";
    case 4: return "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: r}}";
    default: {
      const bool volume = rng() % 3 == 0, affinity = rng() % 3 == 0, port = rng() % 3 == 0;
      return "{apiVersion: v1, kind: Pod, metadata: {name: p" + n(9) + ", uid: u" + n(3) +
             "}, spec: {nodeName: n" + n(7) +
             (volume ? ", volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]" : "") +
             (affinity ? ", affinity: {podAntiAffinity: {"
                         "requiredDuringSchedulingIgnoredDuringExecution: "
                         "[{topologyKey: a, labelSelector: {}}]}}"
                       : "") +
             ", containers: [{name: c, ports: [" +
             (port ? "{containerPort: 80, hostPort: 8" + n(3) + "}" : "") + "]}]}}";
    }
  }
}

TEST_CASE("differences are reported: random changes, forks, commits, reverts and failures") {
  size_t compared = 0, fallen = 0, failed = 0;
  for (unsigned seed = 1; seed <= rounds(60); ++seed) {
    CAPTURE(seed);
    std::mt19937 rng(seed);
    Ref<Cluster> cluster = make_ref<Cluster>();
    std::vector<Memory> memories;
    const bool curious = seed % 3 != 0;  // otherwise no cursor is taken inside forks
    const auto remember_now_and_then = [&] {
      if (rng() % 6 != 0 || (!curious && cluster->fork_depth() != 0)) return;
      if (memories.size() > 12) memories.erase(memories.begin() + static_cast<long>(rng() % 12));
      memories.push_back(remember(cluster->view()));
    };
    for (int step = 0; step < 300; ++step) {
      CAPTURE(step);
      switch (rng() % 12) {
        case 0: REQUIRE(cluster->fork().ok()); break;
        case 1: static_cast<void>(cluster->commit()); break;
        case 2:
        case 3: static_cast<void>(cluster->revert()); break;
        case 4: cluster->refresh(); break;
        case 5: {
          if (rng() % 4 != 0) break;
          const Ref<Cluster> copy = cluster->clone();
          for (const Memory& m : memories) compared += compare(copy->view(), m);
          cluster->snapshot();
          if (cluster->fork_depth() == 0) cluster = copy;
          break;
        }
        case 6: {
          const Str name = rng() % 2 == 0 ? Str("p1") : Str("p2");
          if (rng() % 2 == 0) {
            static_cast<void>(cluster->forget("", name));
            break;
          }
          const Result<ObjectSet> set = parse_objects(
              "{apiVersion: v1, kind: Pod, metadata: {name: " + std::string(name) + "}}", {});
          static_cast<void>(cluster->assume(*set->pods[0], "n1"));
          break;
        }
        default: {
          std::string text = text_of(rng);
          for (unsigned i = rng() % 3; i != 0; --i) text += "\n---\n" + text_of(rng);
          const Result<ObjectSet> set = parse_objects(text, {.keep_raw = true});
          if (!set.ok()) break;  // the same object twice
          std::vector<Change> parts = {PutObjects{&*set}};
          if (rng() % 3 == 0) parts.push_back(RemovePod{"", "p" + std::to_string(rng() % 9)});
          if (rng() % 3 == 0) parts.push_back(RemoveNode{"n" + std::to_string(rng() % 6)});
          allocations_left = rng() % 4 == 0 ? static_cast<long>(rng() % 30) : -1;
          try {
            failed += cluster->apply(parts.data(), parts.size()).ok() ? 0 : 1;
          } catch (const std::bad_alloc&) {
            ++failed;
          }
          allocations_left = -1;
        }
      }
      for (const Memory& m : memories) (compare(cluster->view(), m) ? compared : fallen) += 1;
      remember_now_and_then();
    }
  }
  MESSAGE("compared ", compared, ", fallen out ", fallen, ", failed changes ", failed);
  CHECK(compared > rounds(50000));
  CHECK(failed > rounds(1000));
}

TEST_CASE("a what-if that no cursor has read leaves no trace") {
  Ref<Cluster> cluster = make_ref<Cluster>();
  const Result<ObjectSet> set = parse_objects(
      "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: a}}",
      {});
  const Change part = PutObjects{&*set};
  const ChangeLog::Cursor before = cluster->view().log().cursor();
  for (size_t i = 0; i < 2 * ChangeLog::kSize; ++i) {
    REQUIRE(cluster->fork().ok());
    REQUIRE(cluster->apply(&part, 1).ok());
    REQUIRE(cluster->revert().ok());
  }
  Changed got;
  CHECK(read(cluster->view().log(), before, &got));
  CHECK(got.empty());
}

}  // namespace libsched::change_log_test
