// PodHeap: the order of Go's container/heap, ties included, and the positions of pods.
#include "libsched/scheduler/queue/pod_heap.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "libsched/scheduler/queue/queue_trial_test.hpp"

namespace libsched::pod_heap_test {

struct ByPriority {
  bool operator()(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
    return a.pod->priority() > b.pod->priority();
  }
};
using Heap = PodHeap<ByPriority>;

QueuedPodRef info(const std::string& name, int priority = 0) {
  return make_ref<QueuedPodInfo>(queue_pod(name, priority), nullptr);
}

std::string drain(Heap& heap) {
  std::string out;
  while (!heap.empty()) out += heap.pop().pod->meta.name;
  return out;
}

TEST_CASE("pods of equal rank come out in container/heap's order") {
  Heap heap(QueueHeap::kActive, {});
  std::vector<QueuedPodRef> pods;
  for (const char* name : {"a", "b", "c", "d", "e"}) heap.push(*pods.emplace_back(info(name)));
  std::string upcoming;
  for (const QueuedPodInfo* p : heap.upcoming([](const QueuedPodInfo&) { return true; }))
    upcoming += p->pod->meta.name;
  CHECK(upcoming == "aedcb");
  CHECK(heap.size() == 5);
  CHECK(drain(heap) == "aedcb");
}

TEST_CASE("upcoming pods end where the predicate says so") {
  Heap heap(QueueHeap::kActive, {});
  std::vector<QueuedPodRef> pods;
  for (int i = 0; i < 9; ++i) heap.push(*pods.emplace_back(info(std::string(1, 'a' + i), i % 5)));
  const auto high = heap.upcoming([](const QueuedPodInfo& p) { return p.pod->priority() > 2; });
  CHECK(high.size() == 3);
  for (const QueuedPodRef& p : pods) CHECK(heap.pods()[p->position] == p.get());
}

TEST_CASE("a pod that leaves, changes its rank or is replaced keeps the heap in order") {
  std::mt19937 random(7);
  Heap heap(QueueHeap::kBackoff, {});
  std::vector<QueuedPodRef> pods;
  for (int step = 0; step < 2000; ++step) {
    const size_t i = pods.empty() ? 0 : random() % pods.size();
    const int priority = static_cast<int>(random() % 50);
    switch (pods.size() < 5 ? 0 : random() % 4) {
      case 0:
        heap.reserve(1);
        heap.push(*pods.emplace_back(info("p", priority)));
        break;
      case 1:
        heap.remove(*pods[i]);
        CHECK(pods[i]->heap == QueueHeap::kNone);
        pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 2:
        pods[i]->pod = queue_pod("p", priority);
        heap.fix(*pods[i]);
        break;
      case 3: {
        const QueuedPodRef other = info("q", priority);
        heap.replace(*pods[i], *other);
        CHECK(pods[i]->heap == QueueHeap::kNone);
        CHECK(other->heap == QueueHeap::kBackoff);
        pods[i] = other;
      }
    }
    REQUIRE(heap.size() == pods.size());
  }
  for (const QueuedPodRef& p : pods) CHECK(heap.pods()[p->position] == p.get());
  int last = 50;
  while (!heap.empty()) {
    const int priority = heap.pop().pod->priority();
    CHECK(priority <= last);
    last = priority;
  }
}

}  // namespace libsched::pod_heap_test
