// Documents: creating, patching and removing objects, and binding claims.
#include "documents.hpp"

#include <algorithm>
#include <ctime>
#include <mutex>

#include "libsched/base/quote.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::cycles {
namespace {

std::string timestamp(int64_t ns) {
  const std::time_t seconds = static_cast<std::time_t>(ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Error not_found(const std::string& kind, const std::string& key) {
  std::string resource;
  for (const char c : kind)
    resource += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  resource += resource.ends_with('s') ? "es" : "s";
  for (const char* k :
       {"StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment"})
    if (kind == k) resource += ".storage.k8s.io";
  if (kind == "PodDisruptionBudget") resource += ".policy";
  for (const char* k : {"PriorityClass", "PodGroup", "CompositePodGroup"})
    if (kind == k) resource += ".scheduling.k8s.io";
  return {Rc::kNotFound, resource + " " + go_quote(split_key(key).second) + " not found"};
}

// The changes that a pod has got since its document was written.
void bring_up_to_date(Json& document, const Pod& pod) {
  Json& status = document["status"];
  if (!status.is_object()) status = Json::object();
  if (!pod.spec.node_name.empty()) document["spec"]["nodeName"] = pod.spec.node_name;
  if (!pod.status.phase.empty()) status["phase"] = pod.status.phase;
  status.erase("nominatedNodeName");
  if (!pod.status.nominated_node_name.empty())
    status["nominatedNodeName"] = pod.status.nominated_node_name;
  status.erase("conditions");
  for (const PodCondition& c : pod.status.conditions)
    status["conditions"].push_back(
        {{"type", c.type}, {"status", c.status}, {"reason", c.reason}, {"message", c.message}});
  if (pod.meta.terminating())
    document["metadata"]["deletionTimestamp"] = timestamp(pod.meta.deleted.ns);
}

}  // namespace

bool cluster_scoped(const std::string& kind) {
  for (const char* k :
       {"Node", "Namespace", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver",
        "VolumeAttachment", "PriorityClass", "DeviceClass", "ResourceSlice", "DeviceTaintRule"})
    if (kind == k) return true;
  return false;
}

std::pair<std::string, std::string> split_key(const std::string& key) {
  const size_t slash = key.find('/');
  if (slash == std::string::npos) return {"", key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

Json* Documents::find(const std::string& kind, const std::string& key) {
  const auto it = by_kind_[kind].find(key);
  return it == by_kind_[kind].end() ? nullptr : &it->second;
}

Result<void> Documents::put(const Json& object, bool is_new) {
  const std::string kind = object.at("kind").get<std::string>();
  Result<ObjectSet> set = parse_objects(object.dump(), {});
  if (!set.ok()) return std::move(set.error());
  if (is_new) {
    LIBSCHED_TRY(server_->create(*set));
  } else {
    for (const PodRef& p : set->pods) LIBSCHED_TRY(server_->update(p));
    for (const NodeRef& n : set->nodes) LIBSCHED_TRY(server_->update(n));
    for (const NamespaceRef& n : set->namespaces)
      LIBSCHED_TRY(server_->update(StoredKind::kNamespace, n));
    for (const PriorityClassRef& c : set->priority_classes)
      LIBSCHED_TRY(server_->update(StoredKind::kPriorityClass, c));
    for (const StoredObject& o : set->stored) LIBSCHED_TRY(server_->update(o.kind, o.object));
  }
  const Json& meta = object.at("metadata");
  const std::string ns = member<std::string>(meta, "namespace", "");
  by_kind_[kind][(ns.empty() ? "" : ns + "/") + meta.at("name").get<std::string>()] = object;
  return {};
}

Result<void> Documents::create(Json object) {
  const std::lock_guard lock(mutex_);
  const std::string kind = object.at("kind").get<std::string>();
  Json& meta = object["metadata"];
  if (!cluster_scoped(kind) && member<std::string>(meta, "namespace", "").empty())
    meta["namespace"] = "default";
  const std::string ns = cluster_scoped(kind) ? "" : meta["namespace"].get<std::string>();
  const bool named = !member<std::string>(meta, "uid", "").empty();
  std::string uid = kind + "/" + (ns.empty() ? "" : ns + "/") + meta["name"].get<std::string>();
  if (kind == "Pod") {
    ++created_;
    uid += "#" + std::to_string(created_);
    Json& status = object["status"];
    if (!status.is_object()) status = Json::object();
    if (status.find("startTime") == status.end())
      status["startTime"] = timestamp(start_ + (created_ - 3600) * int64_t{1'000'000'000});
  }
  if (!named) meta["uid"] = uid;
  return put(object, true);
}

Result<void> Documents::patch(const std::string& kind, const std::string& key, const Json& patch) {
  const std::lock_guard lock(mutex_);
  const Json* const known = find(kind, key);
  const auto [ns, name] = split_key(key);
  const PodRef pod = kind == "Pod" ? server_->pod(ns, name) : PodRef();
  if (known == nullptr || (kind == "Pod" && !pod)) return not_found(kind, key);
  Json document = *known;
  if (pod) bring_up_to_date(document, *pod);
  document.merge_patch(patch);
  return replace(document);
}

Result<void> Documents::remove(const std::string& kind, const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto [ns, name] = split_key(key);
  if (kind == "Pod") return server_->remove_pod(ns, name);
  if (find(kind, key) == nullptr) return not_found(kind, key);
  by_kind_[kind].erase(key);
  if (kind == "Node") return server_->remove_node(name);
  for (size_t k = 0; k < kStoredKinds; ++k)
    if (stored_kind_name(static_cast<StoredKind>(k)) == kind)
      return server_->remove_object(static_cast<StoredKind>(k), ns, name);
  return not_found(kind, key);
}

Result<void> Documents::assign(const std::string& key, const std::string& node) {
  const auto [ns, name] = split_key(key);
  const PodRef pod = server_->pod(ns, name);
  if (pod && !pod->spec.node_name.empty()) return Error{Rc::kExists, "bound before"};
  return server_->assign(ns, name, node);
}

void Documents::updated(StoredKind kind, const ObjectMeta& meta, Str patch) {
  const std::lock_guard lock(mutex_);
  const std::string key = meta.ns.empty() ? std::string(meta.name) : key_of(meta);
  by_kind_[std::string(stored_kind_name(kind))][key].merge_patch(Json::parse(patch));
}

Result<void> Documents::bind_claims() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, claim] : by_kind_["PersistentVolumeClaim"]) keys.push_back(key);
  std::stable_sort(keys.begin(), keys.end(), [](const std::string& a, const std::string& b) {
    return split_key(a).second < split_key(b).second;
  });
  const std::map<std::string, Json> volumes = by_kind_["PersistentVolume"];
  for (const std::string& key : keys) {
    Json claim = by_kind_["PersistentVolumeClaim"][key];
    if (!member<std::string>(claim["spec"], "volumeName", "").empty()) continue;
    const auto [ns, name] = split_key(key);
    Json volume;
    for (const auto& [volume_name, v] : volumes) {
      const Json ref = member(v.at("spec"), "claimRef", Json::object());
      if (member<std::string>(ref, "namespace", "") == ns &&
          member<std::string>(ref, "name", "") == name)
        volume = v;
    }
    const Json annotations = member(claim["metadata"], "annotations", Json::object());
    if (volume.is_null() &&
        member<std::string>(annotations, "volume.kubernetes.io/selected-node", "").empty())
      continue;
    if (volume.is_null()) {
      const Json& spec = claim["spec"];
      const Json requests = member(member(spec, "resources", Json::object()), "requests", Json());
      volume = {{"apiVersion", "v1"},
                {"kind", "PersistentVolume"},
                {"metadata",
                 {{"name", "made-for-" + name}, {"uid", "PersistentVolume/made-for-" + name}}},
                {"spec",
                 {{"capacity", requests},
                  {"accessModes", member(spec, "accessModes", Json::array())},
                  {"storageClassName", member<std::string>(spec, "storageClassName", "")},
                  {"claimRef",
                   {{"namespace", ns}, {"name", name}, {"uid", claim["metadata"].at("uid")}}}}},
                {"status", {{"phase", "Bound"}}}};
      LIBSCHED_TRY(put(volume, true));
    } else {
      volume["status"]["phase"] = "Bound";
      LIBSCHED_TRY(replace(volume));
    }
    claim["spec"]["volumeName"] = volume["metadata"]["name"];
    claim["status"]["phase"] = "Bound";
    claim["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes";
    LIBSCHED_TRY(replace(claim));
  }
  return {};
}

}  // namespace libsched::cycles
