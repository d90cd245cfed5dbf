// WriterQueue: the order of messages, and messages that are out of date.
#include "libsched/scheduler/writer_queue.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "libsched/ingest/ingest.hpp"

namespace libsched::writer_queue_test {

PodRef pod(const std::string& name, const std::string& uid = "u") {
  const Result<PodRef> parsed =
      parse_pod("metadata: {name: " + name + ", namespace: d, uid: " + uid + "}", {});
  REQUIRE(parsed.ok());
  return *parsed;
}

struct World {
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<WriterQueue> queue = make_ref<WriterQueue>();
  World() {
    const Result<ObjectSet> nodes = parse_objects(
        "apiVersion: v1\nkind: Node\nmetadata: {name: 'n'}\n---\napiVersion: v1\nkind: "
        "Node\nmetadata: {name: m}\n",
        {});
    REQUIRE(cluster->apply(*nodes).ok());
  }
  // "applied dropped".
  std::string apply() {
    const Result<WriterQueue::Counts> done = queue->apply(*cluster);
    if (!done.ok()) return done.error().text();
    return std::to_string(done->applied) + " " + std::to_string(done->dropped);
  }
  // "node" or "node?" while it is assumed.
  std::string place(const std::string& name) const {
    const View& v = cluster->view();
    const uint32_t slot = v.find_pod("d", name);
    if (slot == kNoId) return "-";
    return v.row(v.slot(slot).row).name + (v.slot(slot).assumed ? "?" : "");
  }
};

struct Unreserves final : Unreserving {
  int times = 0;
  std::string seen;
  const World& world;
  explicit Unreserves(const World& w) : world(w) {}
  void unreserve(Cluster&) override {
    ++times;
    seen = world.place("p");
  }
};

TEST_CASE("messages to the writer take effect in order, once it applies them") {
  World w;
  const PodRef p = pod("p"), q = pod("q", "v");
  w.queue->assume(p, "n");
  w.queue->assume(q, "m");
  w.queue->confirm(p, "n");
  const auto told = make_ref<Unreserves>(w);
  w.queue->forget(q, {});
  w.queue->assume(q, "n");
  CHECK(w.queue->pending() == 5);
  CHECK(w.place("p") == "-");
  CHECK(w.apply() == "5 0");
  CHECK(w.queue->pending() == 0);
  CHECK(w.place("p") == "n");
  CHECK(w.place("q") == "n?");
  CHECK(w.apply() == "0 0");
}

TEST_CASE("a message whose pod is gone or newer is dropped and counted") {
  World w;
  const PodRef p = pod("p");
  const auto told = make_ref<Unreserves>(w);
  SUBCASE("gone") {
    w.queue->confirm(p, "n");
    w.queue->forget(p, told);
    CHECK(w.apply() == "0 2");
    CHECK(w.place("p") == "-");
    CHECK(told->times == 1);  // regardless of the pod
  }
  SUBCASE("the API server has spoken") {
    REQUIRE(w.cluster->assume(*p, "n").ok());
    REQUIRE(w.cluster->update_pod(p, "m").ok());
    w.queue->assume(p, "n");
    w.queue->confirm(p, "n");
    w.queue->forget(p, {});
    CHECK(w.apply() == "0 3");
    CHECK(w.place("p") == "m");
  }
  SUBCASE("another pod of that name") {
    REQUIRE(w.cluster->assume(*pod("p", "other"), "m").ok());
    w.queue->confirm(p, "n");
    w.queue->forget(p, {});
    CHECK(w.apply() == "0 2");
    CHECK(w.place("p") == "m?");
  }
  SUBCASE("neither") {
    REQUIRE(w.cluster->assume(*p, "n").ok());
    w.queue->forget(p, told);
    CHECK(w.apply() == "1 0");
    CHECK(w.place("p") == "-");
    CHECK(told->seen == "n?");  // Unreserve comes first
  }
}

TEST_CASE("messages wait while plugins are running on the cluster") {
  World w;
  w.queue->assume(pod("p"), "n");
  {
    const Cluster::Judging judging(w.cluster.get());
    CHECK(w.queue->apply(*w.cluster).error().rc == Rc::kMisuse);
  }
  CHECK(w.queue->pending() == 1);
  CHECK(w.apply() == "1 0");
}

TEST_CASE("several threads send while the writer applies") {
  World w;
  constexpr int kThreads = 3, kEach = 50;
  std::atomic<int> left = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = "p" + std::to_string(t) + "-" + std::to_string(i);
        const Result<PodRef> p =
            parse_pod("metadata: {name: " + name + ", namespace: d, uid: " + name + "}", {});
        w.queue->assume(*p, "n");
        if (i % 2 == 0) {
          w.queue->confirm(*p, "n");
        } else {
          w.queue->forget(*p, {});
        }
      }
      --left;
    });
  size_t applied = 0, dropped = 0;
  for (bool more = true; more;) {
    more = left != 0;
    const Result<WriterQueue::Counts> done = w.queue->apply(*w.cluster);
    REQUIRE(done.ok());
    applied += done->applied;
    dropped += done->dropped;
  }
  for (std::thread& t : threads) t.join();
  CHECK(applied == 2 * kThreads * kEach);
  CHECK(dropped == 0);
  CHECK(w.cluster->view().pod_count() == kThreads * kEach / 2);
}

}  // namespace libsched::writer_queue_test
