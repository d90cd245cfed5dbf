// live_pod_document(): about 3 KB, of which a scheduler reads a tenth. Names, ids, times and
// numbers differ from pod to pod; replicas of one workload share labels, images and the like.
#include <array>

#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kReplicas = 10;

// A text of hexadecimal digits that depends on `seed` alone.
std::string hex(uint64_t seed, size_t digits) {
  std::string out;
  for (uint64_t x = seed * 2 + 1; out.size() < digits; ++x) {
    uint64_t mixed = x * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    out += "0123456789abcdef"[mixed * 0xbf58476d1ce4e5b9u >> 60];
  }
  return out;
}

std::string uid(uint64_t seed) {
  const std::string h = hex(seed, 32);
  return h.substr(0, 8) + "-" + h.substr(8, 4) + "-" + h.substr(12, 4) + "-" + h.substr(16, 4) +
         "-" + h.substr(20);
}

// The template: $X stands for a value of this pod.
constexpr std::string_view kTemplate =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"$W-$H-$S","generateName":"$W-$H-",)"
    R"("namespace":"$N","uid":"$U","resourceVersion":"$V","creationTimestamp":"2026-03-0$DT0$D:1$D:2$DZ",)"
    R"("labels":{"app":"$W","app.kubernetes.io/component":"server","app.kubernetes.io/version":"1.$D.0",)"
    R"("pod-template-hash":"$H"},"annotations":{"checksum/config":"$C","prometheus.io/port":"9090"},)"
    R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"$W-$H","uid":"$O",)"
    R"("controller":true,"blockOwnerDeletion":true}],"managedFields":[{"manager":"kubelet",)"
    R"("operation":"Update","apiVersion":"v1","time":"2026-03-0$DT0$D:1$D:3$DZ","fieldsType":"FieldsV1",)"
    R"("fieldsV1":{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}}},)"
    R"("f:phase":{},"f:podIP":{}}},"subresource":"status"}]},"spec":{"volumes":[{"name":"config",)"
    R"("configMap":{"name":"$W-config","defaultMode":420}},{"name":"cache","emptyDir":{}}],)"
    R"("containers":[{"name":"server","image":"registry.example.com/team/$W:v1.$D.0","args":["--listen=:8080"],)"
    R"("ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[{"name":"LOG_LEVEL","value":"info"},)"
    R"({"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}}],)"
    R"("resources":{"limits":{"memory":"$MMi"},"requests":{"cpu":"$Pm","memory":"$MMi"}},)"
    R"("volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/$W"},{"name":"cache","mountPath":"/var/cache"}],)"
    R"("livenessProbe":{"httpGet":{"path":"/healthz","port":8080},"periodSeconds":10},)"
    R"("terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"},)"
    R"({"name":"proxy","image":"registry.example.com/mesh/proxy:v2.$D","resources":{"requests":{"cpu":"10m","memory":"40Mi"}},)"
    R"("imagePullPolicy":"IfNotPresent","securityContext":{"runAsUser":1337}}],"restartPolicy":"Always",)"
    R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"$W",)"
    R"("nodeName":"$K","securityContext":{},"schedulerName":"default-scheduler","tolerations":)"
    R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
    R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],)"
    R"("priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Running",)"
    R"("conditions":[{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-0$DT0$D:1$D:4$DZ"},)"
    R"({"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-03-0$DT0$D:1$D:2$DZ"}],)"
    R"("hostIP":"10.0.$D.1$D","podIP":"10.2$D.4.1$D","startTime":"2026-03-0$DT0$D:1$D:2$DZ","containerStatuses":)"
    R"([{"name":"server","state":{"running":{"startedAt":"2026-03-0$DT0$D:1$D:3$DZ"}},"ready":true,"restartCount":0,)"
    R"("image":"registry.example.com/team/$W:v1.$D.0","containerID":"containerd://$I","started":true},)"
    R"({"name":"proxy","state":{"running":{"startedAt":"2026-03-0$DT0$D:1$D:3$DZ"}},"ready":true,"restartCount":0,)"
    R"("image":"registry.example.com/mesh/proxy:v2.$D","started":true}],"qosClass":"Burstable"}})";

}  // namespace

std::string live_pod_document(size_t index, size_t nodes) {
  const size_t workload = index / kReplicas;
  std::array<std::string, 26> value;
  const auto set = [&value](char key, std::string text) { value[key - 'A'] = std::move(text); };
  char node[32];
  std::snprintf(node, sizeof node, "node-%05zu", index * 7919 % nodes);
  set('C', hex(workload + 3, 64));
  set('D', std::to_string(1 + workload % 8));
  set('H', hex(workload, 10));
  set('I', hex(index, 64));
  set('K', node);
  set('M', std::to_string(64 * (1 + workload % 30)));
  set('N', "team-" + std::to_string(workload % 50));
  set('O', uid(workload));
  set('P', std::to_string(50 * (1 + workload % 20)));
  set('S', hex(index, 5) + std::to_string(index));
  set('U', uid(index));
  set('V', std::to_string(1000000 + index));
  set('W', "service-" + std::to_string(workload % 400));
  std::string out;
  out.reserve(kTemplate.size() + 512);
  for (size_t i = 0; i < kTemplate.size(); ++i) {
    if (kTemplate[i] != '$') {
      out += kTemplate[i];
    } else {
      out += value[kTemplate[++i] - 'A'];
    }
  }
  return out;
}

}  // namespace libsched_bench
