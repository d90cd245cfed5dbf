// A model of catalogs and simulated clusters: which contents there are, which nodes and pods are
// made of them, and what forks bring back. Verdicts are compared with those of an evaluator on a
// cluster of the same contents.
#pragma once

#include <libsched.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "choices.hpp"

namespace fuzz {

// What a number in a call of a catalog or of a simulated cluster names.
enum class Ids : uint8_t { kPodRef, kNodeRef, kPod, kNode, kAnyRef };

// Numbers that calls have returned lately, of any catalog or cluster: those of others are stale, or
// name something else, which both must be handled.
class KnownIds {
 public:
  void note(Ids kind, uint64_t id);
  uint64_t pick(Choices& choose, Ids kind) const;

 private:
  std::array<std::vector<uint64_t>, 4> latest_;
};

using PodObject = std::shared_ptr<const libsched_pod>;
using NodeObject = std::shared_ptr<const libsched_node>;
using ObjectsObject = std::shared_ptr<const libsched_objects>;
PodObject share(libsched_pod* pod);  // takes the reference
NodeObject share(libsched_node* node);

// The contents that a catalog has; a null object's content is not known.
struct CatalogModel {
  bool shared = false;  // with other threads, whose calls are not known
  std::map<uint64_t, PodObject> pods;
  std::map<uint64_t, NodeObject> nodes;
};

struct SimNode {
  uint64_t id = 0, ref = 0;
  std::string name;
  std::vector<std::pair<uint64_t, uint64_t>> pods;  // (id, content), in their order
  bool operator==(const SimNode&) const = default;
};
// An object that was put, or removed.
struct ObjectStep {
  ObjectsObject put;
  std::string kind, ns, name;
};
struct SimState {
  std::vector<SimNode> nodes;
  std::vector<ObjectStep> objects;  // from the beginning on

  SimNode* node(uint64_t id);
  bool has_name(const std::string& name) const;
  size_t pod_count() const;
};

struct SimModel {
  std::shared_ptr<CatalogModel> catalog;
  bool plain = false;  // upstream's default profile, only in-tree plugins
  SimState now;
  std::vector<SimState> forks;

  // Fails if the sim shows anything else. The order of a node's pods is adopted unless `exactly`.
  void check(const libsched_sim* sim, const char* when, bool exactly = false);
  // Adopts what the sim shows after a change that the model does not follow.
  void read(const libsched_sim* sim);
};

// The nodes that a sim shows, read through the API.
std::vector<SimNode> nodes_of(const libsched_sim* sim);

// A cluster with an evaluator and the contents of a state; null if a content is not known.
class Mirror {
 public:
  static std::unique_ptr<Mirror> of(const SimModel& model);
  ~Mirror();
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  struct Verdict {
    bool known = false;  // false: the evaluator gives no verdict
    uint8_t stage = 0;
    int8_t code = 0;
    std::string plugin;  // or the plugins that narrowed the nodes
    std::vector<std::string> reasons;
  };
  Verdict judge(const libsched_pod* pod, const std::string& node);
  // Puts a pod of this content there.
  bool put(const libsched_pod* pod, const std::string& node);

 private:
  Mirror() = default;
  bool fill(const SimModel& model);

  libsched_cluster* cluster_ = nullptr;
  libsched_framework* framework_ = nullptr;
  libsched_evaluator* evaluator_ = nullptr;
  libsched_cycle_state* state_ = nullptr;
  libsched_prefilter_result* result_ = nullptr;
  libsched_status* status_ = nullptr;
  const libsched_pod* prepared_ = nullptr;  // for which PreFilter has run
  Verdict pre_filter_;
  uint64_t next_ = 0;
};

}  // namespace fuzz
