// The model of catalogs and simulated clusters, and the cluster that mirrors one.
#include "sim_model.hpp"

#include <algorithm>
#include <string_view>

#include "trace.hpp"

namespace fuzz {
namespace {

std::string string_of(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }
libsched_str str(std::string_view s) { return {s.data(), s.size()}; }

std::string shown(const std::vector<SimNode>& nodes) {
  std::string out;
  for (const SimNode& n : nodes) {
    out += "\n  " + n.name.substr(0, 40) + " " + std::to_string(n.id) + " like " +
           std::to_string(n.ref) + ":";
    for (const auto& [id, ref] : n.pods)
      out += " " + std::to_string(id) + "(" + std::to_string(ref) + ")";
  }
  return out;
}

std::vector<SimNode> sorted(std::vector<SimNode> nodes) {
  for (SimNode& n : nodes) std::sort(n.pods.begin(), n.pods.end());
  return nodes;
}

Mirror::Verdict verdict_of(uint8_t stage, const libsched_status* status) {
  Mirror::Verdict out{true,
                      stage,
                      static_cast<int8_t>(libsched_status_code(status)),
                      string_of(libsched_status_plugin(status)),
                      {}};
  for (size_t i = 0; i < libsched_status_reason_count(status); ++i)
    out.reasons.push_back(string_of(libsched_status_reason(status, i)));
  return out;
}

}  // namespace

void KnownIds::note(Ids kind, uint64_t id) {
  std::vector<uint64_t>& list = latest_[static_cast<size_t>(kind)];
  if (id == 0) return;
  std::erase(list, id);  // it becomes the latest one
  if (list.size() >= 40) list.erase(list.begin());
  list.push_back(id);
}

uint64_t KnownIds::pick(Choices& choose, Ids kind) const {
  if (kind == Ids::kAnyRef) kind = choose.one_in(2) ? Ids::kPodRef : Ids::kNodeRef;
  switch (choose.below(40)) {
    case 0: return 0;
    case 1: return choose.next();
    case 2: return choose.below(8);
    case 3: kind = static_cast<Ids>(choose.below(4)); break;
    default: break;
  }
  const std::vector<uint64_t>& list = latest_[static_cast<size_t>(kind)];
  if (list.empty()) return choose.below(3);
  // The latest ones are those that are most likely there.
  const size_t among = choose.one_in(3) ? list.size() : std::min<size_t>(list.size(), 8);
  return list[list.size() - 1 - choose.below(among)];
}

PodObject share(libsched_pod* pod) {
  return {pod, [](auto* p) { libsched_pod_unref(p); }};
}
NodeObject share(libsched_node* node) {
  return {node, [](auto* n) { libsched_node_unref(n); }};
}

SimNode* SimState::node(uint64_t id) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const SimNode& n) { return n.id == id; });
  return found == nodes.end() ? nullptr : &*found;
}

bool SimState::has_name(const std::string& name) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const SimNode& n) { return n.name == name; });
}

size_t SimState::pod_count() const {
  size_t count = 0;
  for (const SimNode& n : nodes) count += n.pods.size();
  return count;
}

std::vector<SimNode> nodes_of(const libsched_sim* sim) {
  std::vector<SimNode> out;
  std::vector<uint64_t> ids(libsched_sim_node_count(sim));
  size_t count = 0;
  if (libsched_sim_nodes(sim, ids.data(), ids.size(), &count, nullptr) != LIBSCHED_OK ||
      count != ids.size())
    fail("a sim does not list its nodes");
  for (size_t i = 0; i < ids.size(); ++i) {
    SimNode node{ids[i],
                 libsched_sim_node_ref(sim, ids[i]),
                 string_of(libsched_sim_node_name(sim, ids[i])),
                 {}};
    if (libsched_sim_position(sim, ids[i]) != i) fail("a node of a sim is not at its position");
    if (libsched_sim_find_node(sim, str(node.name)) != ids[i])
      fail("a node of a sim is not found by its name");
    if ((ids[i] & UINT32_MAX) >= libsched_sim_node_limit(sim)) fail("a node beyond the limit");
    libsched_sim_pods_on(sim, ids[i], nullptr, 0, &count, nullptr);
    std::vector<uint64_t> pods(count);
    if (libsched_sim_pods_on(sim, ids[i], pods.data(), pods.size(), &count, nullptr) != LIBSCHED_OK)
      fail("a sim does not list the pods of a node");
    for (const uint64_t pod : pods) {
      if (libsched_sim_pod_node(sim, pod) != ids[i]) fail("a pod of a sim is on another node");
      node.pods.emplace_back(pod, libsched_sim_pod_ref(sim, pod));
    }
    out.push_back(std::move(node));
  }
  return out;
}

void SimModel::check(const libsched_sim* sim, const char* when, bool exactly) {
  std::vector<SimNode> there = nodes_of(sim);
  const bool same = exactly ? there == now.nodes : sorted(there) == sorted(now.nodes);
  if (!same)
    fail(std::string(when) + ": the sim has" + shown(there) + "\nby the model" + shown(now.nodes));
  now.nodes = std::move(there);
  if (libsched_sim_pod_count(sim) != now.pod_count())
    fail(std::string(when) + ": the sim counts other pods than it has");
  if (libsched_sim_fork_depth(sim) != forks.size())
    fail(std::string(when) + ": the sim has another number of forks");
}

void SimModel::read(const libsched_sim* sim) { now.nodes = nodes_of(sim); }

std::unique_ptr<Mirror> Mirror::of(const SimModel& model) {
  std::unique_ptr<Mirror> out(new Mirror);
  if (!out->fill(model)) return nullptr;
  return out;
}

bool Mirror::fill(const SimModel& model) {
  libsched_cluster_options options = LIBSCHED_CLUSTER_OPTIONS_INIT;
  options.node_order = LIBSCHED_ORDER_INSERTION;
  if (libsched_cluster_create(&options, &cluster_, nullptr) != LIBSCHED_OK) return false;
  for (const ObjectStep& step : model.now.objects) {
    if (step.put == nullptr) {
      libsched_cluster_remove_object(cluster_, str(step.kind), str(step.ns), str(step.name),
                                     nullptr);
      continue;
    }
    libsched_changes* changes = nullptr;
    const bool put =
        libsched_changes_create(&changes, nullptr) == LIBSCHED_OK &&
        libsched_changes_put_objects(
            changes, step.put.get(),
            LIBSCHED_PUT_APPLY | LIBSCHED_PUT_NO_NODES | LIBSCHED_PUT_NO_PODS,
            nullptr) == LIBSCHED_OK &&
        libsched_cluster_apply_changes(cluster_, changes, nullptr, nullptr) == LIBSCHED_OK;
    libsched_changes_unref(changes);
    if (!put) return false;
  }
  for (const SimNode& node : model.now.nodes) {
    const auto like = model.catalog->nodes.find(node.ref);
    if (like == model.catalog->nodes.end() || like->second == nullptr) return false;
    libsched_node* made = nullptr;
    if (libsched_node_copy(like->second.get(), str(node.name), LIBSCHED_STR(""), &made, nullptr) !=
        LIBSCHED_OK)
      return false;
    const bool added = libsched_cluster_add_nodes(cluster_, &made, 1, nullptr) == LIBSCHED_OK;
    libsched_node_unref(made);
    if (!added) return false;
  }
  for (const SimNode& node : model.now.nodes)
    for (const auto& [id, ref] : node.pods) {
      const auto like = model.catalog->pods.find(ref);
      if (like == model.catalog->pods.end() || like->second == nullptr ||
          !put(like->second.get(), node.name))
        return false;
    }
  return libsched_framework_create(nullptr, LIBSCHED_ANY_NODE, nullptr, nullptr, &framework_,
                                   nullptr) == LIBSCHED_OK &&
         libsched_evaluator_create(framework_, cluster_, nullptr, &evaluator_, nullptr) ==
             LIBSCHED_OK &&
         libsched_cycle_state_create(&state_, nullptr) == LIBSCHED_OK &&
         libsched_prefilter_result_create(&result_, nullptr) == LIBSCHED_OK &&
         libsched_status_create(&status_, nullptr) == LIBSCHED_OK;
}

Mirror::~Mirror() {
  libsched_status_unref(status_);
  libsched_prefilter_result_unref(result_);
  libsched_cycle_state_unref(state_);
  libsched_evaluator_unref(evaluator_);
  libsched_framework_unref(framework_);
  libsched_cluster_unref(cluster_);
}

bool Mirror::put(const libsched_pod* pod, const std::string& node) {
  prepared_ = nullptr;
  const std::string name = "mirrored-" + std::to_string(next_++);
  libsched_pod* made = nullptr;
  if (libsched_pod_copy(pod, str(name), {nullptr, 0}, str(name), str(node), &made, nullptr) !=
      LIBSCHED_OK)
    return false;
  const libsched_str there = str(node);
  const bool added = libsched_cluster_add_pods(cluster_, &made, &there, 1, nullptr) == LIBSCHED_OK;
  libsched_pod_unref(made);
  return added;
}

Mirror::Verdict Mirror::judge(const libsched_pod* pod, const std::string& node) {
  if (prepared_ != pod) {
    prepared_ = pod;
    pre_filter_ = {};
    if (libsched_run_pre_filter_plugins(evaluator_, state_, pod, result_, status_, nullptr) !=
        LIBSCHED_OK)
      return {};
    pre_filter_ = verdict_of(libsched_status_code(status_) == LIBSCHED_CODE_SUCCESS
                                 ? LIBSCHED_STAGE_PASSED
                                 : LIBSCHED_STAGE_PREFILTER_REJECTED,
                             status_);
  }
  if (!pre_filter_.known || pre_filter_.stage != LIBSCHED_STAGE_PASSED) return pre_filter_;
  if (!libsched_prefilter_result_all_nodes(result_)) {
    bool left = false;
    for (size_t i = 0; i < libsched_prefilter_result_node_count(result_); ++i)
      left = left || string_of(libsched_prefilter_result_node(result_, i)) == node;
    if (!left) {
      Verdict out{true, LIBSCHED_STAGE_PREFILTER_EXCLUDED, 0, "", {}};
      for (size_t i = 0; i < libsched_prefilter_result_plugin_count(result_); ++i)
        out.plugin += string_of(libsched_prefilter_result_plugin(result_, i)) + " ";
      return out;
    }
  }
  if (libsched_run_filter_plugins(evaluator_, state_, pod, str(node), nullptr, status_, nullptr) !=
      LIBSCHED_OK)
    return {};
  return verdict_of(libsched_status_code(status_) == LIBSCHED_CODE_SUCCESS
                        ? LIBSCHED_STAGE_PASSED
                        : LIBSCHED_STAGE_FILTER_REJECTED,
                    status_);
}

}  // namespace fuzz
