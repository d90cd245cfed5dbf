// Fragmentation: how much of each resource a cluster has, uses, and has free but cannot give to the
// pods of a workload.
//
// As in "Beware of Fragmentation" (USENIX ATC '23): the free amount of a node counts as fragmented
// for a pod that the node cannot take, or that does not request the resource. The fragmented amount
// is the mean over the workload's pods. A node takes a pod if each requested amount is free, one
// more pod is allowed, and its labels and taints admit the pod. Amounts are kept per node; what is
// free of a single card of a node is unknown here.
//
// update() costs the changed rows times the shapes (distinct pods of the workload). Sums are exact
// integers, so they do not depend on the order of changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/cluster/state.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

class Fragmentation {
 public:
  // A pod and how often it occurs; pods of one class (objects/pod_class) are counted together.
  struct Shape {
    PodRef pod;
    uint64_t count = 1;
  };
  struct Amount {
    std::string resource;
    // Over all nodes, in upstream's units (cpu: thousandths). `used`: requested by pods on nodes.
    int64_t allocatable = 0, used = 0;
    // What is allocatable and not used; an overcommitted node has nothing free.
    int64_t free = 0;
    double fragmented = 0;  // of `free`

    // The shares, 0 of nothing.
    double utilisation() const { return share(static_cast<double>(used), allocatable); }
    double fragmentation() const { return share(fragmented, free); }

   private:
    static double share(double part, int64_t whole) {
      return whole == 0 ? 0 : part / static_cast<double>(whole);
    }
  };

  // `comparison_operators`: the feature gate TaintTolerationComparisonOperators.
  Fragmentation(Span<Shape> shapes, bool comparison_operators);

  // Brings the amounts up to date with the view, always that of the same cluster.
  void update(const View& view);
  // cpu, memory, then all other resources that nodes offer or the workload requests, by name;
  // `pods` is left out.
  const std::vector<Amount>& amounts() const { return amounts_; }
  size_t shape_count() const { return templates_.size(); }

 private:
  struct Request {
    uint32_t resource = 0;  // in amounts_
    int64_t value = 0;
  };
  struct Kind {  // a shape
    int64_t milli_cpu = 0, memory = 0;
    uint64_t count = 0;
    uint32_t first_other = 0, others = 0;  // in others_
    uint32_t nodes = 0;                    // in admitted_
  };
  // Of one row and resource.
  struct Part {
    int64_t allocatable = 0, used = 0, free = 0;
    uint64_t takers = 0;  // pods of the workload that the row takes and that request it
  };
  __extension__ using Wide = __int128;

  uint32_t resource_of(Str name);
  void rebuild(const View& view);
  void find_resources(const View& view);
  void find_admitted(const View& view);
  void judge(const View& view, uint32_t row);
  void leave(uint32_t row);
  void publish();

  std::vector<Shape> templates_;  // one of each shape
  std::vector<Kind> shapes_;      // by cpu
  std::vector<Request> others_;
  std::vector<PodRef> constrained_;        // admitted_[i + 1] is the set of nodes of [i]
  std::vector<std::vector<uint64_t>> admitted_;  // [0]: of pods without constraints
  size_t without_cpu_ = 0;                 // the first so many shapes
  uint64_t total_ = 0;                     // pods
  bool comparison_operators_;

  std::vector<Amount> amounts_;
  std::vector<uint32_t> columns_;  // of each resource; kNoId: no node has it
  std::vector<Part> parts_;        // by row and resource
  std::vector<uint64_t> takers_;   // scratch, by resource
  struct Sum {
    Wide allocatable = 0, used = 0, free = 0;
    Wide fragmented = 0;  // times total_
  };
  std::vector<Sum> sums_;
  ChangeLog::Cursor cursor_;
  uint64_t epoch_ = 0;  // of the columns
  size_t rows_ = 0;
  bool built_ = false;
};

}  // namespace libsched
