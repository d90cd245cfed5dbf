// Pods as documents.
#include "libsched/ingest/write/parts.hpp"
#include "libsched/ingest/write/write.hpp"

namespace libsched {
namespace {

constexpr Str kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr Str kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void write_resources_if(JsonText& json, bool present, ResourceList requests, ResourceList limits,
                        Span<Str> claims = {}) {
  if (!present && requests.empty() && limits.empty() && claims.empty()) return;
  json.object("resources", [&] {
    json.amounts_if("requests", requests);
    json.amounts_if("limits", limits);
    json.list_if("claims", claims,
                 [&](Str name) { json.object([&] { json.field("name", name); }); });
  });
}

void write_containers_if(JsonText& json, Str name, Span<Container> containers,
                         bool mount_options = false) {
  json.objects_if(name, containers, [&](const Container& c) {
    json.field("name", c.name);
    json.field_if("image", c.image);
    write_resources_if(json, false, c.requests, c.limits, c.claims);
    json.objects_if("ports", c.ports, [&](const ContainerPort& p) {
      json.number_if("containerPort", p.container_port);
      json.number_if("hostPort", p.host_port);
      json.field_if("hostIP", p.host_ip);
      json.field_if("protocol", p.protocol);
    });
    if (c.always_restarts) json.field("restartPolicy", "Always");
    if (c.restarts_all_containers) {
      json.key("restartPolicyRules");
      json.raw("[{\"action\":\"RestartAllContainers\"}]");
    }
    if (mount_options) {
      json.key("volumeMounts");
      json.raw("[{\"bindMountOptions\":[\"noexec\"]}]");
    }
  });
}

// A source that is an object with one text and perhaps readOnly.
struct SourceNames {
  VolumeKind kind;
  Str source, id;
};
constexpr SourceNames kSources[] = {
    {VolumeKind::kPersistentVolumeClaim, "persistentVolumeClaim", "claimName"},
    {VolumeKind::kGcePersistentDisk, "gcePersistentDisk", "pdName"},
    {VolumeKind::kAwsElasticBlockStore, "awsElasticBlockStore", "volumeID"},
    {VolumeKind::kRbd, "rbd", "image"},
    {VolumeKind::kIscsi, "iscsi", "iqn"},
    {VolumeKind::kAzureDisk, "azureDisk", "diskURI"},
    {VolumeKind::kAzureFile, "azureFile", "shareName"},
    {VolumeKind::kCinder, "cinder", "volumeID"},
    {VolumeKind::kVsphere, "vsphereVolume", "volumePath"},
    {VolumeKind::kPortworx, "portworxVolume", "volumeID"},
    {VolumeKind::kCsi, "csi", "driver"},
    {VolumeKind::kImage, "image", "reference"},
};

// Only claims, ConfigMaps and secrets have no document of their own.
void write_volume(JsonText& json, const Volume& v) {
  if (!v.json.empty()) return json.raw(v.json);
  json.object([&] {
    json.field("name", v.name);
    if (v.config_or_secret) json.object("configMap", [] {});
    if (v.empty_dir) json.object("emptyDir", [] {});
    for (const SourceNames& names : kSources) {
      if (v.kind != names.kind) continue;
      json.object(names.source, [&] {
        json.field(names.id, v.id);
        json.true_if("readOnly", v.read_only);
        json.field_if("pool", v.pool);
        json.strings_if("monitors", v.monitors);
        json.field_if("secretName", v.secret_name);
        json.field_if("kind", v.disk_kind);
      });
    }
    if (v.kind == VolumeKind::kEphemeral)
      json.object("ephemeral", [&] {
        json.object("volumeClaimTemplate", [&] {
          json.object("spec", [&] { json.field_if("storageClassName", v.storage_class); });
        });
      });
  });
}

void write_term(JsonText& json, const PodAffinityTerm& t) {
  write_label_selector(json, "labelSelector", t.selector);
  json.strings_if("namespaces", t.namespaces);
  json.field("topologyKey", t.topology_key);
  write_label_selector(json, "namespaceSelector", t.namespace_selector);
  json.strings_if("matchLabelKeys", t.match_label_keys);
  json.strings_if("mismatchLabelKeys", t.mismatch_label_keys);
}

void write_pod_affinity_if(JsonText& json, Str name, const PodAffinity& affinity) {
  if (!affinity.present) return;
  json.object(name, [&] {
    json.objects_if(kRequired, affinity.required,
                    [&](const PodAffinityTerm& t) { write_term(json, t); });
    json.objects_if(kPreferred, affinity.preferred, [&](const PodAffinityTerm& t) {
      json.number_if("weight", int64_t{t.weight});
      json.object("podAffinityTerm", [&] { write_term(json, t); });
    });
  });
}

void write_affinity_if(JsonText& json, const PodSpec& spec) {
  if (!spec.affinity_present) return;
  json.object("affinity", [&] {
    if (const NodeAffinity& n = spec.node_affinity; n.present)
      json.object("nodeAffinity", [&] {
        write_node_selector(json, kRequired, n.required);
        if (!n.preferred_present && n.preferred.empty()) return;
        json.objects(kPreferred, n.preferred, [&](const PreferredSchedulingTerm& t) {
          json.number_if("weight", int64_t{t.weight});
          json.object("preference", [&] { write_node_selector_term(json, t.preference); });
        });
      });
    write_pod_affinity_if(json, "podAffinity", spec.pod_affinity);
    write_pod_affinity_if(json, "podAntiAffinity", spec.pod_anti_affinity);
  });
}

void write_rules(JsonText& json, const PodSpec& spec) {
  write_tolerations_if(json, spec.tolerations);
  json.objects_if("topologySpreadConstraints", spec.spread, [&](const TopologySpreadConstraint& c) {
    json.number_if("maxSkew", int64_t{c.max_skew});
    json.field("topologyKey", c.topology_key);
    json.field("whenUnsatisfiable", c.when_unsatisfiable);
    write_label_selector(json, "labelSelector", c.selector);
    json.number_if("minDomains", c.min_domains);
    json.field_if("nodeAffinityPolicy", c.node_affinity_policy);
    json.field_if("nodeTaintsPolicy", c.node_taints_policy);
    json.strings_if("matchLabelKeys", c.match_label_keys);
  });
  json.list_if("schedulingGates", spec.scheduling_gates,
               [&](Str name) { json.object([&] { json.field("name", name); }); });
  json.objects_if("resourceClaims", spec.resource_claims, [&](const PodResourceClaim& c) {
    json.field("name", c.name);
    if (c.has_claim_name) json.field("resourceClaimName", c.claim_name);
    if (c.has_template_name) json.field("resourceClaimTemplateName", c.template_name);
  });
}

void write_spec(JsonText& json, const PodSpec& spec, Str node_name) {
  json.field_if("nodeName", node_name);
  json.field_if("schedulerName", spec.scheduler_name);
  json.field_if("priorityClassName", spec.priority_class_name);
  json.field_if("preemptionPolicy", spec.preemption_policy);
  json.field_if("runtimeClassName", spec.runtime_class);
  json.number_if("priority", spec.priority);
  if (spec.node_selector_present || !spec.node_selector.empty())
    json.labels("nodeSelector", spec.node_selector);
  write_affinity_if(json, spec);
  write_rules(json, spec);
  write_containers_if(json, "initContainers", spec.init_containers);
  write_containers_if(json, "containers", spec.containers, spec.bind_mount_options);
  json.list_if("volumes", spec.volumes, [&](const Volume& v) { write_volume(json, v); });
  json.amounts_if("overhead", spec.overhead);
  write_resources_if(json, spec.resources_present, spec.pod_requests, spec.pod_limits);
  json.true_if("hostNetwork", spec.host_network);
  if (spec.host_users) {
    json.boolean("hostUsers", *spec.host_users);
  }
  if (!spec.scheduling_group.empty())
    json.object("schedulingGroup", [&] { json.field("podGroupName", spec.scheduling_group); });
}

void write_status_resources_if(JsonText& json, bool present, bool has_requests,
                               ResourceList requests) {
  if (!present) return;
  json.object("resources", [&] {
    if (has_requests) json.amounts("requests", requests);
  });
}

void write_container_statuses_if(JsonText& json, Str name, Span<ContainerStatus> statuses) {
  json.objects_if(name, statuses, [&](const ContainerStatus& s) {
    json.field("name", s.name);
    write_status_resources_if(json, s.has_resources, s.has_requests, s.requests);
    if (s.has_allocated) json.amounts("allocatedResources", s.allocated);
  });
}

void write_status(JsonText& json, const PodStatus& status) {
  json.field_if("phase", status.phase);
  json.field_if("nominatedNodeName", status.nominated_node_name);
  write_time_if(json, "startTime", status.start_time);
  json.objects_if("conditions", status.conditions, [&](const PodCondition& c) {
    json.field("type", c.type);
    json.field("status", c.status);
    json.field_if("reason", c.reason);
    json.field_if("message", c.message);
  });
  write_container_statuses_if(json, "containerStatuses", status.containers);
  write_container_statuses_if(json, "initContainerStatuses", status.init_containers);
  write_status_resources_if(json, status.has_resources, status.has_requests, status.pod_requests);
  if (status.has_allocated) json.amounts("allocatedResources", status.pod_allocated);
  json.objects_if("resourceClaimStatuses", status.resource_claims,
                  [&](const ResourceClaimStatus& s) {
                    json.field("name", s.name);
                    if (s.has_claim_name) json.field("resourceClaimName", s.claim_name);
                  });
  if (status.extended_claim_hash != 0)
    json.object("extendedResourceClaimStatus",
                [&] { json.field("resourceClaimName", status.extended_resource_claim); });
  // Amounts of all containers stand for those of each.
  json.objects_if("nodeAllocatableResourceClaimStatuses", status.allocatable_claims,
                  [&](const AllocatableClaim& c) {
                    json.field("resourceClaimName", c.claim);
                    json.amounts_if("resources", c.resources);
                    json.list_if("mapping", c.mapped, [&](const NamedQuantity& q) {
                      json.object([&] {
                        json.field("name", q.name);
                        json.field("quantity", q.quantity.to_string());
                      });
                    });
                  });
}

}  // namespace

void write_pod(JsonText& json, const Pod& pod, Str node_name) {
  json.object([&] {
    write_head(json, "v1", "Pod", pod.meta, pod.mirror ? "kubernetes.io/config.mirror" : "");
    json.object("spec", [&] { write_spec(json, pod.spec, node_name); });
    json.object("status", [&] { write_status(json, pod.status); });
  });
}

}  // namespace libsched
