// A simple model of a cluster: the expected contents of its view. It is made from the API's
// description of single pods and nodes, and follows calls that change clusters (effects.cpp).
#pragma once

#include <libsched.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fuzz {

// The resources that are compared, in this order.
constexpr const char* kResources[] = {"cpu", "memory", "ephemeral-storage", "pods",
                                      "example.com/gpu"};
constexpr size_t kResourceCount = std::size(kResources);
using Amounts = std::vector<int64_t>;  // parallel to kResources

struct NodeFacts {
  std::string name, zone;
  Amounts allocatable;
  bool takes_plain_pods = false;  // neither closed nor tainted
  const void* object = nullptr;
};
struct PodFacts {
  std::string ns, name, key, node_name;  // key: "namespace/name"; spec.nodeName
  Amounts requests;
  bool plain = false;      // only requests resources
  bool repels = true;      // may have anti-affinity
  bool ended = false;      // Succeeded or Failed
  bool nominated = false;  // waits for room on a node
  bool assumed = false;
  bool unsure = false;  // an assumed pod may have been confirmed
};
NodeFacts facts_of(const libsched_node* node);
PodFacts facts_of(const libsched_pod* pod);
std::string key_of(std::string_view ns, std::string_view name);

struct State {
  std::map<std::string, NodeFacts> nodes;
  std::vector<std::string> order;  // by insertion
  std::map<std::string, PodFacts> pods;
  std::map<std::string, std::string> at;               // pod -> node
  std::map<std::string, std::vector<std::string>> on;  // node -> pods, in their order
  std::set<std::string> objects;                       // "kind/namespace/name"
  std::set<std::string> nominated;                     // pods without a node that the cluster keeps
  bool nominated_unsure = false;                       // there may be others

  void put_node(const NodeFacts& node);
  void remove_node(const std::string& name);
  void put_pod(PodFacts pod, const std::string& node);  // removed and added again
  void remove_pod(const std::string& key);
  // Whether the node takes a plain pod, by resources and spec.unschedulable alone.
  bool fits(const PodFacts& pod, const std::string& node) const;
};

// A part of a list of changes.
struct Part {
  uint32_t how = LIBSCHED_PUT_APPLY;
  bool document = false;  // may hold objects other than nodes and pods
  std::vector<NodeFacts> nodes;
  std::vector<std::pair<PodFacts, std::string>> pods;  // with their nodes; "": none
  std::string kind = {}, ns = {}, name = {};           // of the removed object
};
// The result of applying a part to a state: kOk, kRefused, or unknown to the model.
enum class Outcome : uint8_t { kOk, kRefused, kUnknown };
Outcome follow(const Part& part, State& state);

struct Cluster {
  State now;
  std::vector<std::pair<State, uint64_t>> forks;  // with the view's version
  uint64_t changes = 0;                           // finished calls that changed it
  int changing = 0;                               // running calls that change it
  bool by_insertion = false;
  bool frozen = false;     // a snapshot
  bool recounted = false;  // an evaluator may count pods anew, as its release or gates want
  std::unordered_map<uint64_t, std::string> contents;  // by version

  // Fails if the view shows anything else.
  void check(const libsched_view* view, const char* when);
  // Adopts the view's contents after a change that the model does not follow. `cluster` tells where
  // pods of missing nodes wait; without it they stayed.
  void read(const libsched_view* view, const libsched_cluster* cluster = nullptr);
  // A copy for another handle.
  std::shared_ptr<Cluster> copy(bool snapshot) const;
};

// The objects of the dictionary, as (kind, namespace, name).
struct ObjectName {
  const char *kind, *ns, *name;
};
extern const std::vector<ObjectName> kObjectNames;

}  // namespace fuzz
