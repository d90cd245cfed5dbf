// One object with very many of something, and many objects that refer to many others.
#include "forms.hpp"

namespace growth {
namespace {

std::string number(size_t i) { return std::to_string(i); }

// `item` may hold # where its number stands.
std::string numbered(std::string item, size_t i) {
  for (size_t at; (at = item.find('#')) != std::string::npos;) item.replace(at, 1, number(i));
  return item;
}

Form many(const std::string& name, const std::string& begin, const std::string& item,
          const std::string& end, const std::string& separator = ",") {
  return {"one object: " + name, [=](size_t bytes) {
            return repeat(
                bytes, begin, [&](size_t i) { return numbered(item, i); }, separator, end);
          }};
}

Form in_pod(const std::string& name, const std::string& begin, const std::string& item,
            const std::string& end) {
  return many(name, R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)" + begin,
              item, end + "}}");
}

Form in_node(const std::string& name, const std::string& begin, const std::string& item,
             const std::string& end) {
  return many(name, R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},)" + begin, item,
              end + "}");
}

// Half of the text are the references, half their targets.
Form both(const std::string& name, const std::string& begin, const std::string& first,
          const std::string& between, const std::string& second, const std::string& end) {
  return {name, [=](size_t bytes) {
            const auto half = [&](const std::string& item) {
              return repeat(bytes / 2, "", [&](size_t i) { return numbered(item, i); }, ",", "");
            };
            return begin + half(first) + between + half(second) + end;
          }};
}

const std::string kPodBegin = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)";
const std::string kTerm = R"({"labelSelector":{"matchLabels":{"k#":"v"}},"topologyKey":"t#"})";
const std::string kRequired = R"("requiredDuringSchedulingIgnoredDuringExecution":)";

}  // namespace

std::vector<Form> object_forms() {
  return {
      many("labels", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{)",
           R"("k#":"v")", "}}}"),
      many("annotations",
           R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","annotations":{)",
           R"("k#":"v")", "}}}"),
      many("owners",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","ownerReferences":[)",
           R"({"kind":"Job","name":"j#","uid":"u#"})", "]}}"),
      many("unknown fields", R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)",
           R"("f#":1)", "}}"),
      many("unknown fields with escapes",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{)", R"("\u0066#":1)",
           "}}"),
      in_pod("containers", R"("containers":[)",
             R"({"name":"c#","image":"i","resources":{"requests":{"cpu":"1m"}}})", "]"),
      in_pod("containers with a resource each", R"("containers":[)",
             R"({"name":"c#","resources":{"limits":{"a.b/r#":1}}})", "]"),
      in_pod("resources of one container", R"("containers":[{"name":"c","resources":{"requests":{)",
             R"("a.b/r#":1)", "}}}]"),
      in_pod("resources in no order", R"("containers":[{"name":"c","resources":{"limits":{)",
             R"("#.b/r":1)", "}}}]"),
      in_pod("init containers with a resource each", R"("initContainers":[)",
             R"({"name":"c#","resources":{"requests":{"a.b/r#":1}}})", "]"),
      in_pod("sidecars with a resource each", R"("initContainers":[)",
             R"({"name":"c#","restartPolicy":"Always","resources":{"requests":{"a.b/r#":1}}})",
             "]"),
      in_pod("overhead", R"("overhead":{)", R"("a.b/r#":1)", "}"),
      in_pod(
          "resources of the pod",
          R"("containers":[{"name":"c","resources":{"limits":{"cpu":1}}}],"resources":{"limits":{)",
          R"("hugepages-#":1)", "}}"),
      both("one object: containers and their status", kPodBegin + R"("containers":[)",
           R"({"name":"c#"})", R"(]},"status":{"containerStatuses":[)",
           R"({"name":"c#","resources":{"requests":{"cpu":"2m"}}})", "]}}"),
      in_pod("env", R"("containers":[{"name":"c","env":[)", R"({"name":"E#","value":"v"})", "]}]"),
      in_pod("host ports", R"("hostNetwork":true,"containers":[{"name":"c","ports":[)",
             R"({"containerPort":#,"hostPort":#})", "]}]"),
      in_pod("volumes", R"("volumes":[)", R"({"name":"v#","emptyDir":{}})", "]"),
      in_pod("claims", R"("volumes":[)",
             R"({"name":"v#","persistentVolumeClaim":{"claimName":"c#"}})", "]"),
      in_pod("disks", R"("volumes":[)", R"({"name":"v#","gcePersistentDisk":{"pdName":"d#"}})",
             "]"),
      in_pod("tolerations", R"("tolerations":[)", R"({"key":"k#","operator":"Exists"})", "]"),
      in_pod("nodeSelector", R"("nodeSelector":{)", R"("k#":"v")", "}"),
      in_pod("gates", R"("schedulingGates":[)", R"({"name":"g#"})", "]"),
      in_pod("resource claims", R"("resourceClaims":[)",
             R"({"name":"c#","resourceClaimName":"r#"})", "]"),
      in_pod("spread constraints", R"("topologySpreadConstraints":[)",
             R"({"maxSkew":1,"topologyKey":"t#","whenUnsatisfiable":"DoNotSchedule",)"
             R"("labelSelector":{"matchLabels":{"a":"b"}}})",
             "]"),
      in_pod("affinity terms", R"("affinity":{"podAffinity":{)" + kRequired + "[", kTerm, "]}}"),
      in_pod("anti-affinity terms", R"("affinity":{"podAntiAffinity":{)" + kRequired + "[", kTerm,
             "]}}"),
      in_pod("preferred affinity terms",
             R"("affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)",
             R"({"weight":1,"podAffinityTerm":)" + kTerm + "}", "]}}"),
      in_pod("node selector terms",
             R"("affinity":{"nodeAffinity":{)" + kRequired + R"({"nodeSelectorTerms":[)",
             R"({"matchExpressions":[{"key":"k#","operator":"In","values":["a"]}]})", "]}}}"),
      in_pod(
          "values of a requirement",
          R"("affinity":{"nodeAffinity":{)" + kRequired +
              R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In","values":[)",
          R"("v#")", "]}]}]}}}"),
      both("one object: label keys and requirements",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{)", R"("k#":"v")",
           R"(}},"spec":{"affinity":{"podAffinity":{)" + kRequired +
               R"([{"topologyKey":"t","labelSelector":{"matchExpressions":)"
               R"([{"key":"x","operator":"Exists"}]},"matchLabelKeys":[)",
           R"("k#")", "]}]}}}}"),
      both("one object: requirements that were merged before",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"k1":"v"}},)"
           R"("spec":{"affinity":{"podAffinity":{)" +
               kRequired + R"([{"topologyKey":"t","matchLabelKeys":[)",
           R"("k1")", R"(],"labelSelector":{"matchExpressions":[)",
           R"({"key":"x#","operator":"In","values":["v"]})", "]}}]}}}}"),
      many("node labels", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{)",
           R"("k#":"v")", "}}}"),
      in_node("taints", R"("spec":{"taints":[)", R"({"key":"k#","effect":"NoSchedule"})", "]}"),
      in_node("allocatable", R"("status":{"allocatable":{)", R"("a.b/r#":"1")", "}}"),
      in_node("images", R"("status":{"images":[)", R"({"names":["a/b:#","a@sha:#"],"sizeBytes":#})",
              "]}"),
      in_node("conditions", R"("status":{"conditions":[)", R"({"type":"T#","status":"True"})",
              "]}"),
      both("one object: claim templates and volumes",
           R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"s"},"spec":)"
           R"({"volumeClaimTemplates":[)",
           R"({"metadata":{"name":"v#"}})", R"(],"template":{"spec":{"volumes":[)",
           R"({"name":"w#","emptyDir":{}})", "]}}}}"),
      both(
          "pods and their classes", R"({"apiVersion":"v1","kind":"List","items":[)",
          R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"c#"},"value":#})",
          ",",
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p#"},"spec":{"priorityClassName":"c#"}})",
          "]}"),
      both("nodes and pods with labels of their own",
           R"({"apiVersion":"v1","kind":"List","items":[)",
           R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n#","labels":{"h":"n#"}},)"
           R"("spec":{"taints":[{"key":"k#","effect":"NoSchedule"}]},)"
           R"("status":{"allocatable":{"a.b/r#":1},"images":[{"names":["i#"],"sizeBytes":7}]}})",
           ",",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p#","namespace":"ns#",)"
           R"("labels":{"l#":"p#"}},"spec":{"nodeName":"n#","volumes":[{"name":"v",)"
           R"("persistentVolumeClaim":{"claimName":"c#"}}],"containers":[{"name":"c",)"
           R"("resources":{"requests":{"a.b/r#":1}},"ports":[{"hostPort":80}]}]}})",
           "]}"),
      both("nodes and pods with affinity", R"({"apiVersion":"v1","kind":"List","items":[)",
           R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n#","labels":{"h":"n#"}}})", ",",
           R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p#"},"spec":{"nodeName":"n#",)"
           R"("affinity":{"podAntiAffinity":{)" +
               kRequired + "[" + kTerm + "]}}}}",
           "]}"),
      both("claims and volumes", R"({"apiVersion":"v1","kind":"List","items":[)",
           R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v#"},"spec":)"
           R"({"capacity":{"storage":"1Gi"},"csi":{"driver":"d","volumeHandle":"h#"}}})",
           ",",
           R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c#"},)"
           R"("spec":{"volumeName":"v#"}})",
           "]}"),
      both(
          "services and attachments", R"({"apiVersion":"v1","kind":"List","items":[)",
          R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s#"},"spec":)"
          R"({"selector":{"app":"a#"}}})",
          ",",
          R"({"apiVersion":"storage.k8s.io/v1","kind":"VolumeAttachment","metadata":{"name":"a#"},)"
          R"("spec":{"attacher":"d","nodeName":"n","source":{"persistentVolumeName":"v#"}}})",
          "]}"),
  };
}

}  // namespace growth
