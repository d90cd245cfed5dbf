// The dictionary.
#include "documents.hpp"

#include "model.hpp"

namespace fuzz {

const std::vector<ObjectName> kObjectNames = {
    {"PersistentVolumeClaim", "default", "c0"},
    {"PersistentVolumeClaim", "default", "c1"},
    {"PersistentVolume", "", "v0"},
    {"StorageClass", "", "s0"},
    {"CSINode", "", "n0"},
    {"Namespace", "", "other"},
    {"PriorityClass", "", "high"},
    {"PodDisruptionBudget", "default", "b0"},
    {"Service", "default", "w0"},
    {"ReplicaSet", "default", "r0"},
    {"ResourceClaim", "default", "d0"},
    {"DeviceClass", "", "gpu"},
};

namespace {

std::string number(size_t n) { return std::to_string(n); }

// Picks one of several texts; a plain array keeps the dictionary readable.
template <size_t N>
std::string one(Choices& choose, const char* const (&list)[N]) {
  return list[choose.below(N)];
}

std::string node_name(Choices& choose) { return "n" + number(choose.below(7)); }
std::string pod_name(Choices& choose) { return "p" + number(choose.below(11)); }
std::string space(Choices& choose) {
  return one(choose, {"default", "default", "default", "other", "kube-system"});
}
std::string app(Choices& choose) { return one(choose, {"web", "db", "cache"}); }

std::string selector(Choices& choose) {
  return R"({"matchLabels":{"app":")" + app(choose) + R"("}})";
}
std::string topology(Choices& choose) {
  return one(choose, {"topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"});
}

std::string affinity_term(Choices& choose) {
  return R"({"labelSelector":)" + selector(choose) + R"(,"topologyKey":")" + topology(choose) +
         R"("})";
}

// Adds features to a plain pod; `gentle` stays true unless it repels others.
std::string special(Choices& choose, bool& gentle) {
  switch (choose.below(11)) {
    case 0:
      return R"(,"nodeSelector":{"topology.kubernetes.io/zone":"z)" + number(choose.below(4)) +
             R"("})";
    case 1:
      return R"(,"tolerations":[{"key":")" + one(choose, {"dedicated", "", "speed"}) +
             R"(","operator":"Exists"}])";
    case 2:
      gentle = false;
      return R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
             affinity_term(choose) + "]}}";
    case 3:
      return R"(,"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":)" +
             number(1 + choose.below(100)) + R"(,"podAffinityTerm":)" + affinity_term(choose) +
             "}]}}";
    case 4:
      return R"(,"topologySpreadConstraints":[{"maxSkew":)" + number(1 + choose.below(2)) +
             R"(,"topologyKey":")" + topology(choose) + R"(","whenUnsatisfiable":")" +
             one(choose, {"DoNotSchedule", "ScheduleAnyway"}) + R"(","labelSelector":)" +
             selector(choose) + "}]";
    case 5:
      return R"(,"volumes":[{"name":"d","persistentVolumeClaim":{"claimName":"c)" +
             number(choose.below(3)) + R"("}}])";
    case 6: return R"(,"schedulingGates":[{"name":"later"}])";
    case 7: return R"(,"hostNetwork":true)";
    case 8: return R"(,"overhead":{"cpu":"250m"})";
    case 9:
      return R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"speed","operator":")" +
             one(choose, {"Exists", "DoesNotExist"}) + R"("}]}]}}})";
    default: return R"(,"resourceClaims":[{"name":"x","resourceClaimName":"d0"}])";
  }
}

std::string object_document(Choices& choose) {
  switch (choose.below(12)) {
    case 0:
      return R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c)" +
             number(choose.below(2)) +
             R"(","namespace":"default"},"spec":{"storageClassName":"s0","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}})" +
             (choose.one_in(2) ? R"(,"volumeName":"v0")" : "") + "}}";
    case 1:
      return R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v0"},"spec":{"storageClassName":"s0","accessModes":["ReadWriteOnce"],"capacity":{"storage":"2Gi"}}})";
    case 2:
      return R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s0"},"provisioner":"x.example.com","volumeBindingMode":")" +
             one(choose, {"WaitForFirstConsumer", "Immediate"}) + R"("})";
    case 3:
      return R"({"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n0"},"spec":{"drivers":[{"name":"x.example.com","nodeID":"n0","allocatable":{"count":)" +
             number(choose.below(3)) + "}}]}}";
    case 4:
      return R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"other","labels":{"team":"a"}}})";
    case 5:
      return R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":1000})";
    case 6:
      return R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b0","namespace":"default"},"spec":{"selector":)" +
             selector(choose) + R"(},"status":{"disruptionsAllowed":)" + number(choose.below(2)) +
             "}}";
    case 7:
      return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"w0","namespace":"default"},"spec":{"selector":{"app":"web"}}})";
    case 8:
      return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r0","namespace":"default"},"spec":{"replicas":2,"selector":)" +
             selector(choose) +
             R"(,"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c"}]}}}})";
    case 9:
      return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"d0","namespace":"default"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}})";
    case 10:
      return R"({"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"gpu"},"spec":{}})";
    default:
      return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"default"}})";
  }
}

std::string objects_document(Choices& choose) {
  std::string items;
  for (size_t i = choose.below(5); i != 0; --i) {
    const size_t what = choose.below(4);
    items += (items.empty() ? "" : ",") + (what == 0   ? node_document(choose)
                                           : what == 1 ? pod_document(choose, choose.one_in(2))
                                                       : object_document(choose));
  }
  return R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
}

// The same document with an error in it.
std::string spoilt(Choices& choose, std::string text) {
  switch (choose.below(5)) {
    case 0: return text.substr(0, choose.below(text.size() + 1));
    case 1:
      if (!text.empty()) text[choose.below(text.size())] = static_cast<char>(choose.next());
      return text;
    case 2: return text.insert(choose.below(text.size() + 1), 1 + choose.below(300), '[');
    case 3: return text.insert(choose.below(text.size() + 1), "\0", 1);
    default: return text + text;
  }
}

std::string quantity(Choices& choose) {
  return one(choose, {"0", "1", "2", "100m", "500m", "1500m", "3", "1Gi", "64Mi", "7", "9e1",
                      "9223372036854775807", "8Ei", "0.5", "1.0001"});
}

std::string config_document(Choices& choose) {
  return one(
      choose,
      {"", "{}",
       R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"})",
       R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","percentageOfNodesToScore":50,"profiles":[{"schedulerName":"a"},{"schedulerName":"b","plugins":{"score":{"disabled":[{"name":"*"}]}}}]})",
       R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{"schedulerName":"a","plugins":{"multiPoint":{"enabled":[{"name":"Hostile"}]}}}]})",
       R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}]}]})",
       R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration","profiles":[{"plugins":{"filter":{"enabled":[{"name":"NoSuchPlugin"}]}}}]})"});
}

// A pod or node in the flat form with a name alone, perhaps cut off or with another byte.
std::string flat_object(Choices& choose) {
  constexpr std::string_view kRest("\0\0\0\0\0\0\0\x0f\0\0\0\1\2\x09\0\0\0\1\2\3\0\0\0flt", 26);
  std::string out = "LSF\1";
  out += choose.one_in(2) ? '\1' : '\2';
  out += kRest;
  if (choose.one_in(4)) out.resize(out.size() - 1);
  if (choose.one_in(4)) out[out.size() / 2] = '\3';
  return out;
}

std::string plain_name(Choices& choose, Words words) {
  switch (words) {
    case Words::kNode: return node_name(choose);
    case Words::kPod: return pod_name(choose);
    case Words::kNamespace: return space(choose);
    case Words::kObject:
      return one(choose,
                 {"c0", "c1", "v0", "s0", "n0", "other", "high", "b0", "w0", "r0", "d0", "gpu"});
    case Words::kKind:
      return choose.one_in(6) ? one(choose, {"Pod", "Node", "ConfigMap", "pod", "Secret"})
                              : kObjectNames[choose.below(kObjectNames.size())].kind;
    case Words::kUid: return "u-" + pod_name(choose);
    case Words::kResource:
      return one(choose, {"cpu", "memory", "pods", "ephemeral-storage", "example.com/gpu",
                          "hugepages-2Mi", "example.com/none"});
    case Words::kKey:
      return one(choose, {"app", "plain", "topology.kubernetes.io/zone", "kubernetes.io/hostname",
                          "rack", "dedicated", "NoSchedule", "speed", "web", "note", "k0", "k1"});
    case Words::kPlugin:
      return one(choose, {"Hostile", "Hostile0", "Hostile1", "Hostile2", "Thrower",
                          "NodeResourcesFit", "TaintToleration", "VolumeBinding", "Somebody"});
    case Words::kPoint:
      return one(choose, {"preFilter", "filter", "score", "queueSort", "bind", "Filter", ""});
    case Words::kProfile: return one(choose, {"", "", "", "default-scheduler", "a", "b"});
    case Words::kPath:
      return one(choose,
                 {"/nonexistent/file.yaml", "/", "/dev/null", "nonexistent.so", "libm.so.6", ""});
    case Words::kTable:
      return one(choose,
                 {"pods", "series", "resources", "pending", "preemptions", "volumes", "other"});
    case Words::kTrace:
      return one(choose, {"name,cpu_milli,memory_mib\na,1,2\nb,500,1\n",
                          "name,cpu_milli,memory_mib,num_gpu\ng,1,2,1\n", "name,cpu_milli\n",
                          "name,cpu_milli,memory_mib,creation_time,deletion_time\nt,1,1,5,9\n",
                          "name,cpu_milli,memory_mib\na,x,2\n", ""});
    case Words::kExpression:
      return one(choose,
                 {"device.driver == 'app'", "device.attributes['app'].speed == 'web' && true",
                  "device.capacity['app'].speed.compareTo(quantity('1Gi')) >= 0", "1 + 1",
                  "lists.range(100).map(x, x * x).sum()", "nothing", "1 +", "true",
                  "device.attributes['app'].speed[1] == 0"});
    case Words::kPodDocument: return pod_document(choose, choose.one_in(2));
    case Words::kNodeDocument: return node_document(choose);
    case Words::kFlat: return flat_object(choose);
    case Words::kObjectsDocument: return objects_document(choose);
    case Words::kConfigDocument:
      if (!choose.one_in(5)) return config_document(choose);
      return one(  // single profiles, for the option of that name
          choose,
          {R"({"schedulerName":"a"})",
           R"({"plugins":{"queueSort":{"enabled":[{"name":"PrioritySort"}]},"bind":{"enabled":[{"name":"DefaultBinder"}]},"filter":{"enabled":[{"name":"NodeName"},{"name":"Hostile"}]}}})",
           "{}"});
    default: return one(choose, {"", "words", "{\"a\":1}", "[]", "null", "why not", "k0"});
  }
}

}  // namespace

std::string make_text(Choices& choose, Words words) {
  switch (choose.below(24)) {
    case 0: return "";
    case 1: return spoilt(choose, plain_name(choose, words));
    case 2: {
      switch (choose.below(5)) {
        case 0: return std::string("a\0b", 3);
        case 1: return "\xff\xfe\xc3";
        case 2: return std::string(size_t{1} << choose.below(17), 'x');
        case 3: return "\"\\\n\t\x01{";
        default: return plain_name(choose, static_cast<Words>(choose.below(18)));
      }
    }
    default: return plain_name(choose, words);
  }
}

std::string node_document(Choices& choose) {
  const std::string name = node_name(choose);
  std::string out = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
                    R"(","uid":"u-)" + name + R"(","labels":{"kubernetes.io/hostname":")" + name +
                    R"(","topology.kubernetes.io/zone":"z)" + number(choose.below(3)) + "\"";
  if (choose.one_in(4)) out += R"(,"speed":"fast")";
  out += "}";
  if (choose.one_in(6)) out += R"(,"annotations":{"note":"x"})";
  out += R"(},"spec":{"unschedulable":)" + std::string(choose.one_in(6) ? "true" : "false");
  if (choose.one_in(5))
    out += R"(,"taints":[{"key":"dedicated","value":"x","effect":")" +
           one(choose, {"NoSchedule", "NoExecute", "PreferNoSchedule"}) + "\"}]";
  out += R"(},"status":{"allocatable":{"cpu":")" + number(1 + choose.below(8)) + R"(","memory":")" +
         number(1 + choose.below(16)) + R"(Gi","pods":")" + number(1 + choose.below(8)) + "\"";
  if (choose.one_in(3)) out += R"(,"example.com/gpu":")" + quantity(choose) + "\"";
  if (choose.one_in(3)) out += R"(,"ephemeral-storage":")" + quantity(choose) + "\"";
  if (choose.one_in(40)) out += R"(,"example.com/r)" + number(choose.below(100000)) + R"(":"1")";
  out += "}";
  if (choose.one_in(4)) out += R"(,"images":[{"names":["img:1","img@x"],"sizeBytes":90000000}])";
  return out + "}}";
}

std::string pod_document(Choices& choose, bool plain) {
  const std::string name = pod_name(choose);
  bool gentle = true;
  const std::string more = plain ? "" : special(choose, gentle);
  std::string out = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                    R"(","namespace":")" + space(choose) + R"(","uid":"u-)" + name +
                    R"(","labels":{"app":")" + app(choose) + "\"";
  out += plain ? R"(,"plain":"1")" : gentle ? R"(,"gentle":"1")" : "";
  out += "}";
  if (choose.one_in(6)) out += R"(,"annotations":{"note":"y"})";
  if (choose.one_in(8))
    out +=
        R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r0","uid":"u","controller":true}])";
  out += "},\"spec\":{";
  if (choose.one_in(3)) out += R"("nodeName":")" + node_name(choose) + "\",";
  if (choose.one_in(5)) out += "\"priority\":" + number(choose.below(3) * 100) + ",";
  out += R"("containers":[{"name":"c","image":"img:1","resources":{"requests":{"cpu":")" +
         number(choose.below(25) * 100) + R"(m","memory":")" + number(choose.below(4)) + "Gi\"";
  if (choose.one_in(5)) out += R"(,"example.com/gpu":")" + quantity(choose) + "\"";
  if (!plain && choose.one_in(20))
    out += R"(,"example.com/r)" + number(choose.below(100000)) + R"(":"1")";
  out += "}}";
  if (!plain && choose.one_in(3))
    out += R"(,"ports":[{"containerPort":80,"hostPort":)" + number(choose.below(3) * 80) + "}]";
  out += "}]" + more + "}";
  if (choose.one_in(8))
    out += R"(,"status":{"phase":")" + one(choose, {"Running", "Succeeded", "Failed", "Pending"}) +
           R"(","nominatedNodeName":")" + node_name(choose) + "\"}";
  return out + "}";
}

}  // namespace fuzz
