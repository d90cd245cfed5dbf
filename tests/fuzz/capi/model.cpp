// The model of a cluster, and how it is compared with a view.
#include "model.hpp"

#include <algorithm>
#include <string_view>

#include "trace.hpp"

namespace fuzz {
namespace {

std::string string_of(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }
libsched_str str(std::string_view s) { return {s.data(), s.size()}; }

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return "[" + out + "]";
}

template <typename A, typename B>
void same(const A& shown, const B& modelled, const std::string& what, const char* when) {
  if (shown == modelled) return;
  const auto text = [](const auto& v) {
    if constexpr (requires { std::to_string(v); }) {
      return std::to_string(v);
    } else if constexpr (requires { listed(v); }) {
      return listed(v);
    } else {
      return std::string(v);
    }
  };
  fail(std::string(when) + ": " + what + " is " + text(shown) + ", by the model " + text(modelled));
}

// STATE: the object exists, but its document was not kept.
bool has(const libsched_view* view, const ObjectName& o) {
  libsched_str out;
  const libsched_rc rc =
      libsched_view_object_raw(view, str(o.kind), str(o.ns), str(o.name), &out, nullptr);
  return rc == LIBSCHED_OK || rc == LIBSCHED_ERR_STATE;
}

// Everything that is equal if versions are equal.
std::string content(const State& state) {
  std::string out;
  for (const auto& [name, node] : state.nodes) {
    out += name + "@" + node.zone;
    for (const int64_t a : node.allocatable) out += " " + std::to_string(a);
  }
  for (const auto& [node, pods] : state.on) {
    out += "\n" + node + listed(pods);
    for (const std::string& key : pods)
      for (const int64_t a : state.pods.at(key).requests) out += " " + std::to_string(a);
  }
  for (const std::string& o : state.objects) out += "\n" + o;
  return out;
}

// Whether a pod waits for a node of that name: in a copy of the cluster that has the node.
bool waits_for(const libsched_cluster* cluster, const PodFacts& pod, const std::string& name) {
  libsched_cluster* copy = nullptr;
  libsched_node *any = nullptr, *node = nullptr;
  uint32_t row = 0;
  const bool waits =
      libsched_node_parse(
          LIBSCHED_STR("{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}"),
          nullptr, &any, nullptr) == LIBSCHED_OK &&
      libsched_node_copy(any, str(name), {nullptr, 0}, &node, nullptr) == LIBSCHED_OK &&
      libsched_cluster_clone(cluster, &copy, nullptr) == LIBSCHED_OK &&
      libsched_cluster_update_node(copy, node, nullptr) == LIBSCHED_OK &&
      libsched_view_find_pod(libsched_cluster_view(copy), str(pod.ns), str(pod.name), &row) !=
          nullptr &&
      row == libsched_view_find_node(libsched_cluster_view(copy), str(name));
  libsched_node_unref(any);
  libsched_node_unref(node);
  libsched_cluster_unref(copy);
  return waits;
}

}  // namespace

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

NodeFacts facts_of(const libsched_node* node) {
  NodeFacts f;
  f.object = node;
  f.name = string_of(libsched_node_name(node));
  f.zone = string_of(libsched_node_zone(node));
  for (const char* r : kResources) f.allocatable.push_back(libsched_node_allocatable(node, str(r)));
  f.takes_plain_pods = !libsched_node_unschedulable(node);
  libsched_str effect;
  for (size_t i = 0; libsched_node_taint(node, i, nullptr, nullptr, &effect); ++i)
    if (string_of(effect) != "PreferNoSchedule") f.takes_plain_pods = false;
  return f;
}

PodFacts facts_of(const libsched_pod* pod) {
  PodFacts f;
  f.ns = string_of(libsched_pod_namespace(pod));
  f.name = string_of(libsched_pod_name(pod));
  f.key = key_of(f.ns, f.name);
  f.node_name = string_of(libsched_pod_node_name(pod));
  for (const char* r : kResources) f.requests.push_back(libsched_pod_request(pod, str(r)));
  f.requests[3] = 1;  // every pod is one of "pods"
  // A DaemonSet's pod, which has tolerations, is for one node.
  f.plain = libsched_pod_label(pod, LIBSCHED_STR("plain"), nullptr) &&
            libsched_pod_toleration_count(pod) == 0;
  f.repels = !f.plain && !libsched_pod_label(pod, LIBSCHED_STR("gentle"), nullptr);
  const std::string phase = string_of(libsched_pod_phase(pod));
  f.ended = phase == "Succeeded" || phase == "Failed";
  f.nominated =
      !f.ended && f.node_name.empty() && !string_of(libsched_pod_nominated_node_name(pod)).empty();
  return f;
}

Outcome follow(const Part& part, State& state) {
  const uint32_t mode = part.how & 0xff;
  const bool as_told = mode == LIBSCHED_PUT_UPDATE || mode == LIBSCHED_PUT_NEW;
  if (part.kind == "Node") {
    if (state.nodes.count(part.name) == 0) return Outcome::kRefused;
    state.remove_node(part.name);
  } else if (part.kind == "Pod") {
    const std::string key = key_of(part.ns, part.name);
    if (state.nominated.erase(key) == 0 && state.pods.count(key) == 0)
      return state.nominated_unsure ? Outcome::kUnknown : Outcome::kRefused;
    state.remove_pod(key);
  } else if (!part.kind.empty()) {
    state.objects.erase(part.kind + "/" + part.ns + "/" + part.name);
    return Outcome::kUnknown;  // some objects are unknown to the model
  }
  for (const NodeFacts& node : part.nodes) {
    const bool there = state.nodes.count(node.name) != 0;
    if (there && mode == LIBSCHED_PUT_NEW) return Outcome::kRefused;
    if (!there || mode != LIBSCHED_PUT_MISSING) state.put_node(node);
  }
  for (const auto& [pod, node] : part.pods) {
    const bool there = state.pods.count(pod.key) != 0;
    if (there && mode == LIBSCHED_PUT_MISSING) continue;
    if (as_told ? node.empty() : node.empty() || pod.ended) {
      if (as_told) return Outcome::kRefused;
      state.remove_pod(pod.key);
      if (mode == LIBSCHED_PUT_MISSING && state.nominated.count(pod.key) != 0) continue;
      state.nominated.erase(pod.key);
      if (pod.nominated) state.nominated.insert(pod.key);
      continue;
    }
    if (there && mode == LIBSCHED_PUT_NEW) return Outcome::kRefused;
    state.put_pod(pod, node);
  }
  return part.document && mode == LIBSCHED_PUT_NEW ? Outcome::kUnknown : Outcome::kOk;
}

void State::put_node(const NodeFacts& node) {
  if (nodes.count(node.name) == 0) order.push_back(node.name);
  nodes[node.name] = node;
}

void State::remove_node(const std::string& name) {
  nodes.erase(name);
  std::erase(order, name);
}

void State::put_pod(PodFacts pod, const std::string& node) {
  const std::string key = pod.key;
  remove_pod(key);
  nominated.erase(key);
  pods[key] = std::move(pod);
  at[key] = node;
  on[node].push_back(key);
}

void State::remove_pod(const std::string& key) {
  const auto found = at.find(key);
  if (found == at.end()) return;
  std::vector<std::string>& there = on[found->second];
  // The last pod takes its place, as upstream does.
  *std::find(there.begin(), there.end(), key) = there.back();
  there.pop_back();
  if (there.empty()) on.erase(found->second);
  at.erase(found);
  pods.erase(key);
}

bool State::fits(const PodFacts& pod, const std::string& node) const {
  const NodeFacts& n = nodes.at(node);
  if (!n.takes_plain_pods) return false;
  if (!pod.node_name.empty() && pod.node_name != node) return false;
  std::vector<uint64_t> left(n.allocatable.begin(), n.allocatable.end());
  if (const auto found = on.find(node); found != on.end())
    for (const std::string& key : found->second)
      for (size_t r = 0; r < kResourceCount; ++r)
        left[r] -= static_cast<uint64_t>(pods.at(key).requests[r]);
  for (size_t r = 0; r < kResourceCount; ++r)
    if (pod.requests[r] > 0 && pod.requests[r] > static_cast<int64_t>(left[r])) return false;
  return true;
}

void Cluster::check(const libsched_view* view, const char* when) {
  same(libsched_view_node_count(view), now.nodes.size(), "the number of nodes", when);
  same(libsched_view_pod_count(view), now.pods.size(), "the number of pods", when);
  const size_t rows = libsched_view_row_count(view);
  std::set<uint32_t> taken;
  for (const auto& [name, node] : now.nodes) {
    const uint32_t row = libsched_view_find_node(view, str(name));
    if (row >= rows) fail(std::string(when) + ": node " + name + " has no row");
    taken.insert(row);
    const libsched_node* shown = libsched_view_node(view, row);
    same(string_of(libsched_node_name(shown)), name, "the node of the row of " + name, when);
    if (node.object != nullptr && shown != node.object)
      fail(std::string(when) + ": node " + name + " is another version");
    std::vector<std::string> pods;
    for (size_t i = 0; i < libsched_view_node_pod_count(view, row); ++i) {
      const libsched_pod* pod = libsched_view_node_pod(view, row, i);
      pods.push_back(
          key_of(string_of(libsched_pod_namespace(pod)), string_of(libsched_pod_name(pod))));
    }
    const auto on = now.on.find(name);
    same(pods, on == now.on.end() ? std::vector<std::string>{} : on->second, "the pods of " + name,
         when);
    for (size_t r = 0; r < kResourceCount; ++r) {
      same(libsched_view_allocatable(view, row, str(kResources[r])), node.allocatable[r],
           name + "'s " + kResources[r], when);
      uint64_t used = 0;  // wraps as upstream's sums do
      for (const std::string& key : pods)
        used += static_cast<uint64_t>(now.pods.at(key).requests[r]);
      if (recounted) continue;
      same(libsched_view_requested(view, row, str(kResources[r])), static_cast<int64_t>(used),
           std::string("what pods ask for of ") + name + "'s " + kResources[r], when);
    }
  }
  same(taken.size(), now.nodes.size(), "the number of different rows", when);
  for (const auto& [key, node] : now.at) {
    uint32_t row = 0;
    const PodFacts& facts = now.pods.at(key);
    const libsched_pod* pod = libsched_view_find_pod(view, str(facts.ns), str(facts.name), &row);
    if (pod == nullptr) fail(std::string(when) + ": pod " + key + " is not found");
    if (now.nodes.count(node) != 0)
      same(row, libsched_view_find_node(view, str(node)), "the row of " + key, when);
  }
  for (const ObjectName& o : kObjectNames) {
    const bool there = has(view, o);
    const std::string key = std::string(o.kind) + "/" + o.ns + "/" + o.name;
    same(there, now.objects.count(key) != 0, key, when);
  }
  const std::string all = content(now);
  const auto [known, added] = contents.emplace(libsched_view_version(view), all);
  if (known->second != all)
    fail(std::string(when) + ": version " + std::to_string(known->first) +
         " had other contents:\n" + known->second + "\nnow:\n" + all);
}

void Cluster::read(const libsched_view* view, const libsched_cluster* cluster) {
  State fresh;
  const size_t row_count = libsched_view_row_count(view);
  for (uint32_t row = 0; row < row_count; ++row) {
    const libsched_node* node = libsched_view_node(view, row);
    if (node != nullptr) fresh.put_node(facts_of(node));
  }
  for (uint32_t row = 0; row < row_count; ++row)
    for (size_t i = 0; i < libsched_view_node_pod_count(view, row); ++i) {
      PodFacts pod = facts_of(libsched_view_node_pod(view, row, i));
      const libsched_node* node = libsched_view_node(view, row);
      const auto before = now.at.find(pod.key);
      const auto known = now.pods.find(pod.key);
      if (known != now.pods.end()) pod.assumed = pod.unsure = known->second.assumed;
      // A row without a node has no name: the pod stayed there unless its node name says otherwise.
      const bool stayed = known != now.pods.end() && known->second.node_name == pod.node_name &&
                          now.nodes.count(before->second) == 0 &&
                          (node != nullptr || before->second == pod.node_name ||
                           cluster == nullptr || waits_for(cluster, pod, before->second));
      const std::string name = node != nullptr ? string_of(libsched_node_name(node))
                               : stayed        ? before->second
                                               : pod.node_name;
      fresh.put_pod(std::move(pod), name);
    }
  for (const ObjectName& o : kObjectNames) {
    if (has(view, o)) fresh.objects.insert(std::string(o.kind) + "/" + o.ns + "/" + o.name);
  }
  std::vector<std::string> order;  // the old order of the remaining ones
  for (const std::string& n : now.order)
    if (fresh.nodes.count(n) != 0) order.push_back(n);
  for (const std::string& n : fresh.order)
    if (std::find(order.begin(), order.end(), n) == order.end()) order.push_back(n);
  fresh.order = std::move(order);
  // A view does not list them.
  fresh.nominated_unsure = true;
  now = std::move(fresh);
}

std::shared_ptr<Cluster> Cluster::copy(bool snapshot) const {
  auto out = std::make_shared<Cluster>();
  out->now = now;
  out->by_insertion = by_insertion;
  out->recounted = recounted;
  out->frozen = snapshot;
  return out;
}

}  // namespace fuzz
