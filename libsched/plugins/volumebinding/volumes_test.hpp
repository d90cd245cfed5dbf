// Objects with storage, as YAML documents, for the tests of VolumeBinding.
#pragma once

#include <string>

#include "libsched/plugins/trial_test.hpp"

namespace libsched::volumes_test {

inline std::string object(const std::string& type, const std::string& meta,
                          const std::string& rest) {
  return "---\napiVersion: " + type + "\nmetadata: {" + meta + "}\n" + rest + "\n";
}

inline std::string node(const std::string& name, const std::string& labels) {
  return "---\nkind: Node\nmetadata: {name: '" + name + "', labels: {" + labels + "}}\n";
}

inline std::string claim(const std::string& name, const std::string& spec,
                         const std::string& meta = "", const std::string& status = "Pending") {
  return object(
      "v1\nkind: PersistentVolumeClaim",
      "name: " + name + ", namespace: default, uid: u-" + name + meta,
      "spec: {accessModes: [ReadWriteOnce], " + spec + "}\nstatus: {phase: " + status + "}");
}

inline std::string asks(const std::string& size, const std::string& storage_class) {
  return "storageClassName: " + storage_class + ", resources: {requests: {storage: " + size + "}}";
}

inline std::string bound(const std::string& name, const std::string& volume) {
  return claim(name, "volumeName: " + volume,
               ", annotations: {pv.kubernetes.io/bind-completed: 'yes'}", "Bound");
}

inline std::string storage_class(const std::string& name, const std::string& provisioner,
                                 const std::string& mode = "WaitForFirstConsumer",
                                 const std::string& more = "") {
  return object("storage.k8s.io/v1\nkind: StorageClass", "name: " + name,
                "provisioner: " + provisioner + "\n" +
                    (mode.empty() ? "" : "volumeBindingMode: " + mode + "\n") + more);
}

inline std::string local_class() { return storage_class("local", "kubernetes.io/no-provisioner"); }

inline std::string in_zone(const std::string& zone) {
  return "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: "
         "In, values: [" +
         zone + "]}]}]}}";
}

inline std::string volume(const std::string& name, const std::string& size,
                          const std::string& more = "", const std::string& meta = "",
                          const std::string& phase = "Available") {
  return object("v1\nkind: PersistentVolume", "name: " + name + meta,
                "spec: {accessModes: [ReadWriteOnce, ReadOnlyMany], storageClassName: local, "
                "capacity: {storage: " +
                    size + "}" + (more.empty() ? "" : ", " + more) + "}\nstatus: {phase: " + phase +
                    "}");
}

inline std::string uses(const std::string& claim) {
  return "{name: v-" + claim + ", persistentVolumeClaim: {claimName: " + claim + "}}";
}
inline std::string spec(const std::string& volumes) { return "{volumes: [" + volumes + "]}"; }

}  // namespace libsched::volumes_test
