// VolumeBinding's scores with the feature gate StorageCapacityScoring.
#include "libsched/plugins/volumebinding/volumes_test.hpp"

namespace libsched::capacity_score_test {

using namespace volumes_test;

TrialOptions scoring(const std::string& args = "", const std::string& profile = "") {
  TrialOptions out;
  out.gates = "StorageCapacityScoring=true";
  out.args = args;
  out.profile = profile;
  return out;
}

std::string hosts() { return node("n", "zone: a") + node("m", "zone: b") + node("o", "zone: c"); }

std::string tracked() {
  return storage_class("tracked", "csi") + storage_class("other", "csi") +
         object("storage.k8s.io/v1\nkind: CSIDriver", "name: csi", "spec: {storageCapacity: true}");
}

std::string capacity(const std::string& name, const std::string& zone, const std::string& more,
                     const std::string& of = "tracked") {
  return object(
      "storage.k8s.io/v1\nkind: CSIStorageCapacity", "name: " + name + ", namespace: k",
      "storageClassName: " + of + "\nnodeTopology: {matchLabels: {zone: " + zone + "}}\n" + more);
}

TEST_CASE("VolumeBinding scores with StorageCapacityScoring alone") {
  const std::string world = hosts() + local_class() + volume("v", "40Gi") + bound("b", "w") +
                            volume("w", "1Gi", "", "", "Bound") + claim("c", asks("10Gi", "local"));
  TrialOptions without;
  without.gates = "StorageCapacityScoring=false";
  Trial off("VolumeBinding", world, without);
  Trial on("VolumeBinding", world, scoring());
  for (const std::string& pod : {std::string("{}"), spec(uses("b"))}) {
    CHECK(off.scores(pod) == "Skip");
    CHECK(on.scores(pod) == "m 0/0, n 0/0, o 0/0");
  }
  CHECK(off.scores(spec(uses("c"))) == "Skip");
  CHECK(on.scores(spec(uses("c"))) == "m 75/75, n 75/75, o 75/75");
}

TEST_CASE("up to 1.32 VolumeCapacityPriority scores volumes that exist alone") {
  const std::string world = hosts() + local_class() + tracked() +
                            volume("v", "40Gi", in_zone("a")) + volume("u", "30Gi", in_zone("c")) +
                            capacity("b1", "b", "capacity: 20Gi") +
                            claim("c", asks("10Gi", "local")) + claim("d", asks("10Gi", "tracked"));
  TrialOptions options;
  options.release = Release::k1_32;
  CHECK(Trial("VolumeBinding", world, options).scores(spec(uses("c"))) == "Skip");
  options.gates = "VolumeCapacityPriority=true";
  Trial t("VolumeBinding", world, options);
  CHECK(t.scores(spec(uses("c"))) == "n 25/25, o 33/33");
  CHECK(t.scores(spec(uses("d"))) == "Skip");  // nodes would have to provision it
  CHECK(t.scores("{}") == "Skip");
  options.args = "{shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}";
  CHECK(Trial("VolumeBinding", world, options).scores(spec(uses("c"))) == "n 75/75, o 67/67");
}

TEST_CASE("volumes that exist are scored by their size") {
  const std::string world = hosts() + local_class() + storage_class("wait", "d") +
                            volume("v", "40Gi", in_zone("a")) + volume("w", "10Gi", in_zone("b")) +
                            volume("x", "4Gi", in_zone("b")) + volume("u", "30Gi", in_zone("c")) +
                            volume("z", "15Gi", in_zone("c")) + claim("c", asks("10Gi", "local")) +
                            claim("d", asks("4Gi", "local")) + claim("e", asks("7Gi", "wait"));
  Trial t("VolumeBinding", world, scoring());
  CHECK(t.scores(spec(uses("c"))) == "m 0/0, n 75/75, o 34/34");
  // Claims of a class count together: 14 of 14 and of 45.
  CHECK(t.scores(spec(uses("c") + ", " + uses("d"))) == "m 0/0, o 69/69");
  // A volume that has to be made does not count beside one that exists.
  CHECK(t.scores(spec(uses("c") + ", " + uses("e"))) == "m 0/0, n 75/75, o 34/34");
  Trial shaped("VolumeBinding", world,
               scoring("{shape: [{utilization: 0, score: 0}, {utilization: 50, score: 10}]}"));
  CHECK(shaped.scores(spec(uses("c"))) == "m 100/100, n 50/50, o 100/100");
}

TEST_CASE("volumes that have to be made are scored by the capacity that is known") {
  const std::string world =
      hosts() + tracked() + storage_class("wait", "d") + capacity("a1", "a", "capacity: 100Gi") +
      capacity("b1", "b", "capacity: 20Gi\nmaximumVolumeSize: 16Gi") +
      capacity("c1", "c", "capacity: 11Gi") + capacity("a2", "a", "capacity: 60Gi", "other") +
      capacity("b2", "b", "maximumVolumeSize: 30Gi", "other") +
      claim("c", asks("10Gi", "tracked")) + claim("d", asks("6Gi", "tracked")) +
      claim("e", asks("15Gi", "other")) + claim("f", asks("10Gi", "wait")) +
      claim("g", "storageClassName: tracked") +
      claim("h", asks("10Gi", "tracked"),
            ", annotations: {volume.kubernetes.io/selected-node: 'n'}");
  Trial t("VolumeBinding", world, scoring());
  CHECK(t.scores(spec(uses("c"))) == "m 50/50, n 90/90, o 10/10");
  CHECK(t.scores(spec(uses("h"))) == "n 90/90");
  // The claims of a class share its capacity, and each alone fits into it.
  CHECK(t.scores(spec(uses("c") + ", " + uses("d"))) == "m 20/20, n 84/84, o 0/0");
  // Each class has the same weight: (90 + 75) / 2. The capacity of `other` on m is not told.
  CHECK(t.scores(spec(uses("c") + ", " + uses("e"))) == "m 50/50, n 83/83");
  CHECK(t.scores(spec(uses("e"))) == "m 0/0, n 75/75");
  for (const char* untold : {"f", "g"})
    CHECK(t.scores(spec(uses(untold))) == "m 0/0, n 0/0, o 0/0");
}

TEST_CASE("of several capacities the first that suffices counts") {
  Trial t("VolumeBinding",
          hosts() + tracked() + capacity("c1", "a", "capacity: 5Gi") +
              capacity("c2", "a", "capacity: 20Gi") + capacity("c3", "a", "capacity: 40Gi") +
              claim("c", asks("10Gi", "tracked")) + claim("d", asks("4Gi", "tracked")),
          scoring());
  CHECK(t.scores(spec(uses("c"))) == "n 50/50");
  CHECK(t.scores(spec(uses("d"))) == "n 20/20");
}

TEST_CASE("points that are left out of a profile that scores volumes") {
  const std::string world =
      hosts() + local_class() + volume("v", "40Gi") + claim("c", asks("10Gi", "local"));
  const auto without = [](const std::string& point) {
    return scoring("",
                   "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
                   "DefaultBinder}, {name: VolumeBinding}]}, " +
                       point + ": {disabled: [{name: VolumeBinding}]}}");
  };
  Trial no_pre_score("VolumeBinding", world, without("preScore"));
  CHECK(no_pre_score.scores(spec(uses("c"))) == "m 75/75, n 75/75, o 75/75");
  Trial no_filter("VolumeBinding", world, without("filter"));
  CHECK(no_filter.scores(spec(uses("c"))) == "m 0/0, n 0/0, o 0/0");
  const std::string neither =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, ";
  Trial pre_score("VolumeBinding", world,
                  scoring("", neither + "preScore: {enabled: [{name: VolumeBinding}]}, score: "
                                        "{enabled: [{name: VolumeBinding}]}}"));
  CHECK(pre_score.scores("{}") == "error: running PreScore plugin \"VolumeBinding\": not found");
  Trial score("VolumeBinding", world,
              scoring("", neither + "score: {enabled: [{name: VolumeBinding}]}}"));
  CHECK(score.scores("{}") ==
        "error: running Score plugins: plugin \"VolumeBinding\" failed with: not found");
}

}  // namespace libsched::capacity_score_test
