// Containers: image, resources, ports, claims and the fields that make an init container a sidecar.
#include "libsched/ingest/object_builder.hpp"

namespace libsched {
namespace {

constexpr KeyTable kContainer("name", "image", "command", "args", "workingDir", "ports", "envFrom",
                              "env", "resources", "resizePolicy", "restartPolicy",
                              "restartPolicyRules", "volumeMounts", "volumeDevices",
                              "livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
                              "terminationMessagePath", "terminationMessagePolicy",
                              "imagePullPolicy", "securityContext", "stdin", "stdinOnce", "tty");
constexpr KeyTable kResources("limits", "requests", "claims");
constexpr KeyTable kClaim("name", "request");
constexpr KeyTable kPort("name", "hostPort", "containerPort", "protocol", "hostIP");
constexpr KeyTable kRule("action", "exitCodes");
constexpr KeyTable kMount("name", "readOnly", "recursiveReadOnly", "mountPath", "subPath",
                          "mountPropagation", "subPathExpr", "bindMountOptions");

}  // namespace

bool ObjectBuilder::container(Container& c) {
  return object(kContainer, [&](int field) {
    switch (field) {
      case kContainer["name"]: return string(c.name);
      case kContainer["image"]: return string(c.image);
      case kContainer["ports"]:
        return list(c.ports, [&](ContainerPort& p) { return container_port(p); });
      case kContainer["resources"]: return container_resources(c.requests, c.limits, c.claims);
      case kContainer["restartPolicy"]: {
        Str policy;
        if (!string(policy)) return false;
        c.always_restarts = policy == "Always";
        return true;
      }
      case kContainer["restartPolicyRules"]: return restart_rules(c.restarts_all_containers);
      case kContainer["volumeMounts"]: return volume_mounts();
      default: return skip();
    }
  });
}

bool ObjectBuilder::container_port(ContainerPort& port) {
  return object(kPort, [&](int field) {
    switch (field) {
      case kPort["hostPort"]: return int32(port.host_port);
      case kPort["containerPort"]: return int32(port.container_port);
      case kPort["protocol"]: return string(port.protocol);
      case kPort["hostIP"]: return string(port.host_ip);
      default: return skip();
    }
  });
}

bool ObjectBuilder::container_resources(ResourceList& requests, ResourceList& limits,
                                        Span<Str>& claims, bool* has_requests) {
  return object(kResources, [&](int field) {
    switch (field) {
      case kResources["requests"]:
        if (has_requests != nullptr) *has_requests = !reader_.is_null();
        return resource_list(requests);
      case kResources["limits"]: return resource_list(limits);
      case kResources["claims"]:
        return list(claims, [&](Str& name) {
          return object(kClaim, [&](int f) { return f == kClaim["name"] ? string(name) : skip(); });
        });
      default: return skip();
    }
  });
}

// Nearly all mounts have no options: only those that may have some are read.
bool ObjectBuilder::volume_mounts() {
  const JsonReader::Mark mark = reader_.mark();
  const size_t begin = reader_.offset();
  if (!skip()) return false;
  const Str text = reader_.text().substr(begin, reader_.end_of_last() - begin);
  if (text.find("bindMountOptions") == Str::npos && text.find('\\') == Str::npos) return true;
  reader_.rewind(mark);
  Span<Str> mounts;
  return list(mounts, [&](Str&) {
    return object(kMount, [&](int field) {
      if (field != kMount["bindMountOptions"]) return skip();
      Span<Str> options;
      if (!string_list(options)) return false;
      mount_options_ |= !options.empty();
      return true;
    });
  });
}

bool ObjectBuilder::restart_rules(bool& restarts_all) {
  Span<Str> actions;
  const bool ok = list(actions, [&](Str& action) {
    return object(kRule, [&](int f) { return f == kRule["action"] ? string(action) : skip(); });
  });
  for (const Str action : actions) restarts_all |= action == "RestartAllContainers";
  return ok;
}

}  // namespace libsched
