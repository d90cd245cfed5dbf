// Pod specs: containers, ports, tolerations, names. Amounts and affinity have files of their own.
#include <unordered_set>

#include "libsched/base/hash.hpp"
#include "libsched/ingest/field_issues.hpp"

namespace libsched {
namespace {

using Names = std::unordered_set<std::string, StrHash>;

void check_port_number(FieldIssues& issues, const FieldPath& path, int32_t port) {
  if (port < 1 || port > 65535) {
    issues.invalid(path, port, "must be between 1 and 65535, inclusive");
  }
}

void check_ports(FieldIssues& issues, const FieldPath& container, const Container& c,
                 bool host_network, Names& host_ports) {
  const FieldPath path(container, "ports");
  for (size_t i = 0; i < c.ports.size(); ++i) {
    const ContainerPort& p = c.ports[i];
    const FieldPath here(path, i);
    const FieldPath host(here, "hostPort");
    if (p.container_port == 0) {
      issues.required(FieldPath(here, "containerPort"));
    } else {
      check_port_number(issues, FieldPath(here, "containerPort"), p.container_port);
    }
    if (!p.protocol.empty() && p.protocol != "TCP" && p.protocol != "UDP" && p.protocol != "SCTP") {
      issues.unsupported(FieldPath(here, "protocol"), p.protocol, R"("SCTP", "TCP", "UDP")");
    }
    if (p.host_port == 0) continue;
    check_port_number(issues, host, p.host_port);
    if (host_network && p.host_port != p.container_port) {
      issues.invalid(host, p.host_port, "must match `containerPort` when `hostNetwork` is true");
    }
    std::string id(p.protocol.empty() ? Str("TCP") : p.protocol);
    id.append("/").append(p.host_ip).append("/").append(std::to_string(p.host_port));
    if (!host_ports.insert(id).second) issues.duplicate(host, id);
  }
}

void check_containers(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  Names names, host_ports;
  const auto check = [&](const FieldPath& path, const Container& c, bool host, Names& taken) {
    const FieldPath name(path, "name");
    if (c.name.empty()) {
      issues.required(name);
    } else {
      issues.dns_label(name, c.name);
    }
    if (!names.insert(std::string(c.name)).second) issues.duplicate(name, c.name);
    if (c.image.empty()) issues.required(FieldPath(path, "image"));
    check_ports(issues, path, c, host, taken);
    check_resources(issues, FieldPath(path, "resources"), c.requests, c.limits, {});
  };
  const FieldPath containers(spec, "containers");
  if (pod.containers.empty()) issues.required(containers);
  for (size_t i = 0; i < pod.containers.size(); ++i) {
    check(FieldPath(containers, i), pod.containers[i], pod.host_network, host_ports);
  }
  const FieldPath init_containers(spec, "initContainers");
  for (size_t i = 0; i < pod.init_containers.size(); ++i) {
    Names own_ports;  // init containers run one after the other
    check(FieldPath(init_containers, i), pod.init_containers[i], /*host=*/false, own_ports);
  }
}

void check_tolerations(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  const FieldPath path(spec, "tolerations");
  for (size_t i = 0; i < pod.tolerations.size(); ++i) {
    const Toleration& t = pod.tolerations[i];
    const FieldPath here(path, i);
    const FieldPath op(here, "operator");
    if (!t.key.empty()) issues.label_name(FieldPath(here, "key"), t.key);
    if (t.key.empty() && t.op != TolerationOp::kExists) {
      constexpr Str kTexts[] = {"Equal", "Exists", "Lt", "Gt"};
      const Str text = t.op == TolerationOp::kOther ? t.op_text : kTexts[static_cast<size_t>(t.op)];
      issues.invalid(op, text,
                     "operator must be Exists when `key` is empty, which means \"match all values "
                     "and all keys\"");
    }
    switch (t.op) {
      case TolerationOp::kEqual: issues.label_value(op, t.value); break;
      case TolerationOp::kExists:
        if (!t.value.empty()) {
          issues.invalid(op, t.value, "value must be empty when `operator` is 'Exists'");
        }
        break;
      case TolerationOp::kLt:
      case TolerationOp::kGt:
        if (!parse_int64(t.value)) {
          issues.invalid(FieldPath(here, "value"), t.value, "must be a valid decimal integer");
        }
        break;
      case TolerationOp::kOther: issues.unsupported(op, t.op_text, R"("Equal", "Exists")");
    }
    issues.taint_effect(FieldPath(here, "effect"), t.effect, t.effect_text);
  }
}

void check_gates(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  const FieldPath path(spec, "schedulingGates");
  Names seen;
  for (size_t i = 0; i < pod.scheduling_gates.size(); ++i) {
    const FieldPath here(path, i);
    issues.label_name(here, pod.scheduling_gates[i]);
    if (!seen.insert(std::string(pod.scheduling_gates[i])).second) {
      issues.duplicate(here, pod.scheduling_gates[i]);
    }
  }
}

void check_volumes(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  const FieldPath path(spec, "volumes");
  Names seen;
  for (size_t i = 0; i < pod.volumes.size(); ++i) {
    const Volume& v = pod.volumes[i];
    const FieldPath here(path, i);
    const FieldPath name(here, "name");
    if (v.name.empty()) {
      issues.required(name);
    } else {
      issues.dns_label(name, v.name);
    }
    if (!seen.insert(std::string(v.name)).second) issues.duplicate(name, v.name);
    if (v.kind == VolumeKind::kPersistentVolumeClaim && v.id.empty()) {
      const FieldPath source(here, "persistentVolumeClaim");
      issues.required(FieldPath(source, "claimName"));
    }
  }
}

void check_resource_claims(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  const FieldPath path(spec, "resourceClaims");
  Names names;
  for (size_t i = 0; i < pod.resource_claims.size(); ++i) {
    const PodResourceClaim& claim = pod.resource_claims[i];
    const FieldPath here(path, i);
    const FieldPath name(here, "name");
    if (claim.name.empty()) {
      issues.required(name);
    } else if (!names.insert(std::string(claim.name)).second) {
      issues.duplicate(name, claim.name);
    } else {
      issues.dns_label(name, claim.name);
    }
    if (!claim.claim_name.empty() && !claim.template_name.empty()) {
      issues.invalid(here, claim.name,
                     "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                     "specified");
    } else if (claim.claim_name.empty() && claim.template_name.empty()) {
      issues.invalid(here, claim.name,
                     "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
  }
}

}  // namespace

void check_pod_spec(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod) {
  check_volumes(issues, spec, pod);
  check_resource_claims(issues, spec, pod);
  check_containers(issues, spec, pod);
  if (pod.resources_present) {
    check_resources(issues, FieldPath(spec, "resources"), pod.pod_requests, pod.pod_limits,
                    {.pod_level = true});
  }
  issues.labels(FieldPath(spec, "nodeSelector"), pod.node_selector);
  check_affinity(issues, spec, pod);
  check_gates(issues, spec, pod);
  check_spread(issues, spec, pod);
  if (!pod.node_name.empty()) issues.dns_subdomain(FieldPath(spec, "nodeName"), pod.node_name);
  check_tolerations(issues, spec, pod);
  if (!pod.priority_class_name.empty()) {
    issues.dns_subdomain(FieldPath(spec, "priorityClassName"), pod.priority_class_name);
  }
  issues.preemption_policy(FieldPath(spec, "preemptionPolicy"), pod.preemption_policy);
  check_resources(issues, FieldPath(spec, "overhead"), {}, pod.overhead, {});
}

}  // namespace libsched
