// Limits inside of in-tree plugins: however many parts objects have, the clock is read between
// them, and a call whose time is up ends there. The clock counts its readings, and any reading
// may be the first that is too late: nothing here depends on the speed of the machine.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::limits_test {

constexpr int64_t kDeadline = 1000;

class CountingClock final : public Clock {
 public:
  size_t late_at = SIZE_MAX;  // the first reading that is too late
  mutable size_t readings = 0;

  int64_t now_ns() const override { return ++readings >= late_at ? kDeadline : 0; }
  void wait(Signal&, std::unique_lock<Mutex>&, int64_t) override {}
};

std::string repeat(int n, const std::function<std::string(int)>& item, const char* between = ", ") {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i == 0 ? "" : between) + item(i);
  return out;
}
std::string number(int i) { return std::to_string(i); }
std::string node(const std::string& name, const std::string& labels = "",
                 const std::string& spec = "{}", const std::string& status = "") {
  return "---\nkind: Node\nmetadata: {name: '" + name + "', labels: {" + labels +
         "}}\nspec: " + spec + "\nstatus: {allocatable: {cpu: 64, pods: 2000}" + status + "}\n";
}
std::string on(const std::string& node, const std::string& name, const std::string& meta,
               const std::string& spec) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" + name +
         meta + "}\nspec: {nodeName: '" + node + "', " + spec + "}\n";
}
std::string object(const std::string& type, const std::string& meta, const std::string& rest) {
  return "---\napiVersion: " + type + "\nmetadata: {" + meta + "}\n" + rest + "\n";
}
// A claim that is bound to its own volume.
std::string bound_claim(int i, const std::string& source, const std::string& labels) {
  const std::string n = number(i);
  return object("v1\nkind: PersistentVolume", "name: pv" + n + ", labels: {" + labels + "}",
                "spec: {" + source + "}") +
         object("v1\nkind: PersistentVolumeClaim",
                "name: c" + n +
                    ", namespace: default, annotations: "
                    "{pv.kubernetes.io/bind-completed: 'yes'}",
                "spec: {volumeName: pv" + n + "}\nstatus: {phase: Bound}");
}
std::string uses_claims(int n) {
  return "{volumes: [" +
         repeat(n,
                [](int i) {
                  return "{name: v" + number(i) + ", persistentVolumeClaim: {claimName: c" +
                         number(i) + "}}";
                }) +
         "]}";
}
std::string term(const std::string& label, const std::string& key) {
  return "{topologyKey: " + key + ", labelSelector: {matchLabels: {" + label + "}}}";
}

struct Ending {
  Trial& trial;
  PodRef pod;
  Ref<CountingClock> clock = make_ref<CountingClock>();

  Result<Ref<const Decision>> check(CycleState& state, int64_t deadline) const {
    CheckOptions options;
    options.score = options.post_filter = true;
    options.limits.deadline_ns = deadline;
    return trial.evaluator().check(state, *pod, "", options);
  }
  std::string without_limits(CycleState& state) const {
    const auto done = check(state, 0);
    REQUIRE(done.ok());
    return (*done)->explain_json();
  }
};

// `least`: the minimal number of readings at the end.
void ends_in_time(const std::string& plugin, const std::string& objects, const std::string& pod,
                  size_t least, const TrialOptions& options = {}) {
  CAPTURE(plugin);
  Trial trial(plugin, objects, options);
  Ending e{trial, Trial::pod(pod, "name: p, namespace: default, uid: u-p, labels: {app: web}")};
  CHECK(trial.evaluator().use(make_ref<Services>(e.clock)).ok());
  CycleState fresh;
  const std::string answer = e.without_limits(fresh);
  CHECK(e.clock->readings < 10);  // none of them for a limit
  e.clock->readings = 0;
  CycleState state;
  const auto whole = e.check(state, kDeadline);
  REQUIRE_MESSAGE(whole.ok(), whole.error().text());
  CHECK((*whole)->explain_json() == answer);
  const size_t readings = e.clock->readings;
  CHECK(readings >= least);
  for (const size_t late_at :
       {size_t{1}, size_t{2}, readings / 4, readings / 2, readings * 3 / 4, readings - 1}) {
    if (late_at == 0) continue;
    CAPTURE(late_at);
    e.clock->late_at = late_at;
    e.clock->readings = 0;
    const auto ended = e.check(state, kDeadline);
    REQUIRE_FALSE(ended.ok());
    CHECK(ended.error().rc == Rc::kDeadline);
    // Later code does not check again; preemption also reads the time.
    CHECK(e.clock->readings <= late_at + 2);
    e.clock->late_at = SIZE_MAX;
  }
  // Incomplete results are not used.
  CHECK(e.without_limits(state) == answer);
}

constexpr int kMany = 640;

TEST_CASE("InterPodAffinity reads the clock between its terms") {
  const std::string objects = node("n1", "host: n1") + node("n2", "host: n2") +
                              on("n1", "a", ", labels: {app: web, a: '7'}", "priority: 0");
  const auto many = [](const std::string& field, const std::string& list,
                       const std::function<std::string(int)>& item) {
    return "{affinity: {" + field + ": {" + list + ": [" + repeat(kMany, item) + "]}}}";
  };
  const std::string required = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  ends_in_time("InterPodAffinity", objects,
               many("podAntiAffinity", required,
                    [](int i) { return term("a: '" + number(i) + "'", "host"); }),
               kMany);
  ends_in_time(
      "InterPodAffinity", objects,
      many("podAffinity", required, [](int i) { return term("app: web", "k" + number(i)); }),
      kMany);
  ends_in_time(
      "InterPodAffinity", objects,
      many("podAffinity", preferred,
           [](int i) {
             return "{weight: 3, podAffinityTerm: " + term("a: '" + number(i) + "'", "host") + "}";
           }),
      kMany);
  // Equal terms of other pods count as one term; these differ by the key.
  std::string objects_of_others = node("n1", "host: n1") + node("n2");
  for (int i = 0; i < kMany; ++i)
    objects_of_others += on("n1", "p" + number(i), "",
                            "affinity: {podAntiAffinity: {" + required + ": [" +
                                term("app: web", "k" + number(i)) + "]}}");
  ends_in_time("InterPodAffinity", objects_of_others, "{}", kMany / 64);
}

TEST_CASE("PodTopologySpread reads the clock between its constraints") {
  for (const char* what : {"DoNotSchedule", "ScheduleAnyway"}) {
    std::string labels;
    for (int i = 0; i < kMany; ++i) labels += (i == 0 ? "k" : ", k") + number(i) + ": x";
    ends_in_time("PodTopologySpread",
                 node("n1", labels) + node("n2", labels) +
                     on("n1", "a", ", labels: {app: web}", "priority: 0"),
                 "{topologySpreadConstraints: [" +
                     repeat(kMany,
                            [&](int i) {
                              return "{maxSkew: 9, topologyKey: k" + number(i) +
                                     ", whenUnsatisfiable: " + what +
                                     ", labelSelector: {matchLabels: "
                                     "{app: web}}}";
                            }) +
                     "]}",
                 2 * kMany);
  }
}

TEST_CASE("TaintToleration reads the clock between taints") {
  const auto taints = [](const char* effect) {
    return "{taints: [" +
           repeat(kMany * 4,
                  [&](int i) { return "{key: k" + number(i) + ", effect: " + effect + "}"; }) +
           "]}";
  };
  const std::string tolerations =
      "{tolerations: [" +
      repeat(kMany, [](int i) { return "{key: k" + number(i) + ", operator: Exists}"; }) +
      ", {operator: Exists, effect: NoSchedule}]}";
  ends_in_time("TaintToleration",
               node("n1", "", taints("NoSchedule")) + node("n2", "", taints("PreferNoSchedule")),
               tolerations, 2 * 8 * kMany / 64 - 4);
}

TEST_CASE("plugins read the clock between nodes") {
  const std::string port = "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]";
  const std::string disk = "volumes: [{name: v, awsElasticBlockStore: {volumeID: 'd";
  std::string ports, disks, drivers;
  for (int i = 0; i < kMany; ++i) {
    const std::string n = "n" + number(i);
    ports += node(n) + on(n, "p" + number(i), "", port);
    disks += node(n) + on(n, "p" + number(i), "", disk + number(i) + "'}}]");
    drivers += node(n) + object("storage.k8s.io/v1\nkind: CSINode", "name: " + n,
                                "spec: {drivers: [{name: d, nodeID: i, allocatable: {count: 1}}]}");
  }
  ends_in_time("NodePorts", ports, "{" + port + "}", kMany / 64);
  ends_in_time("VolumeRestrictions", disks, "{" + disk + "7'}}]}", kMany);
  ends_in_time("NodeVolumeLimits",
               drivers + bound_claim(0, "csi: {driver: d, volumeHandle: h}", ""), uses_claims(1),
               kMany / 64);
}

TEST_CASE("plugins read the clock between volumes") {
  std::string claims = node("n1", "topology.kubernetes.io/zone: z") +
                       node("n2", "topology.kubernetes.io/zone: other");
  for (int i = 0; i < kMany; ++i)
    claims += bound_claim(i, "csi: {driver: d, volumeHandle: h" + number(i) + "}",
                          "topology.kubernetes.io/zone: z");
  ends_in_time("VolumeZone", claims, uses_claims(kMany), kMany);
  ends_in_time("VolumeBinding", claims, uses_claims(kMany), kMany);
  ends_in_time("VolumeRestrictions", claims, uses_claims(kMany), kMany / 64);

  // Unbound claims search the volumes of their class; equal ones go on where the last one ended.
  std::string pending = node("n1") + node("n2") +
                        object("storage.k8s.io/v1\nkind: StorageClass", "name: s",
                               "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: "
                               "WaitForFirstConsumer");
  for (int i = 0; i < 64; ++i)
    pending +=
        object("v1\nkind: PersistentVolume", "name: pv" + number(i),
               "spec: {storageClassName: s, accessModes: [ReadWriteOnce], capacity: "
               "{storage: 1Gi}}\nstatus: {phase: Available}") +
        object("v1\nkind: PersistentVolumeClaim", "name: c" + number(i) + ", namespace: default",
               "spec: {storageClassName: s, accessModes: [ReadWriteOnce], resources: "
               "{requests: {storage: 1Gi}}}\nstatus: {phase: Pending}");
  ends_in_time("VolumeBinding", pending, uses_claims(64), 64);
}

TEST_CASE("scoring reads the clock between terms and images") {
  ends_in_time("NodeAffinity", node("n1", "a: b") + node("n2"),
               "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
                   repeat(kMany,
                          [](int) {
                            return "{weight: 1, preference: {matchExpressions: [{key: a, operator: "
                                   "Exists}]}}";
                          }) +
                   "]}}}",
               kMany / 64);
  const std::string images =
      ", images: [" +
      repeat(kMany,
             [](int i) { return "{names: ['i" + number(i) + ":1'], sizeBytes: 99000000}"; }) +
      "]";
  ends_in_time("ImageLocality", node("n1", "", "{}", images) + node("n2"),
               "{containers: [" +
                   repeat(kMany,
                          [](int i) {
                            return "{name: c" + number(i) + ", image: 'i" + number(i) + ":1'}";
                          }) +
                   "]}",
               kMany);
}

TEST_CASE("preemption reads the clock between the pods of a node, and their budgets") {
  std::string objects = node("n1");
  for (int i = 0; i < 200; ++i)
    objects += on("n1", "v" + number(i), ", labels: {app: web}",
                  "priority: 0, containers: [{name: c, resources: {requests: {cpu: 320m}}}]");
  objects += object("policy/v1\nkind: PodDisruptionBudget", "name: b, namespace: default",
                    "spec: {selector: {matchLabels: {app: web}}}\nstatus: {disruptionsAllowed: 3}");
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}, {name: NodeResourcesFit}, {name: DefaultPreemption}]}}";
  ends_in_time("DefaultPreemption", objects,
               "{priority: 9, containers: [{name: c, resources: {requests: {cpu: 9}}}]}", 4 * 200,
               options);
}

}  // namespace libsched::limits_test
