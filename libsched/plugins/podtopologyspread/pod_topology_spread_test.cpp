// PodTopologySpread: which constraints need the plugin, own ones and those of the profile.
#include "libsched/plugins/trial.hpp"

namespace libsched {
namespace {

std::string constraint(const char* when) {
  return std::string(
             "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ") +
         when + "}]}";
}
std::string needs(const std::string& why) {
  return "error: pod \"default/p\" needs plugin \"PodTopologySpread\" (" + why +
         "), which this version of libsched does not have yet";
}
const std::string kOwn = needs("it has DoNotSchedule topology spread constraints");
const std::string kProfile = needs("the profile has DoNotSchedule default constraints");

TEST_CASE("only DoNotSchedule constraints concern Filter") {
  Trial t("PodTopologySpread", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{topologySpreadConstraints: []}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod(constraint("ScheduleAnyway"))) == "Skip");
  CHECK(t.filter(constraint("ScheduleAnyway")) == "Success");
  CHECK(t.pre_filter(*Trial::pod(constraint("DoNotSchedule"))) == kOwn);
}

TEST_CASE("default constraints apply to pods of a service or a controller") {
  const auto with = [](const char* when) {
    TrialOptions options;
    options.args = std::string(
                       "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: "
                       "zone, whenUnsatisfiable: ") +
                   when + "}]}";
    return options;
  };
  const auto owned_by = [](const char* kind, const char* controller) {
    return Trial::pod(
        "{}",
        std::string("name: p, namespace: default, ownerReferences: [{apiVersion: apps/v1, kind: ") +
            kind + ", name: o, uid: u, controller: " + controller + "}]");
  };
  Trial hard("PodTopologySpread", node_n(), with("DoNotSchedule"));
  CHECK(hard.pre_filter(*Trial::pod("{}")) == "Skip");  // nothing selects it
  CHECK(hard.pre_filter(*owned_by("ReplicaSet", "true")) == kProfile);
  CHECK(hard.pre_filter(*owned_by("StatefulSet", "true")) == kProfile);
  CHECK(hard.pre_filter(*owned_by("ReplicationController", "true")) == kProfile);
  CHECK(hard.pre_filter(*owned_by("ReplicaSet", "false")) == "Skip");
  CHECK(hard.pre_filter(*owned_by("DaemonSet", "true")) == "Skip");
  CHECK(hard.pre_filter(*Trial::pod(constraint("ScheduleAnyway"))) ==
        "Skip");  // its own replace the defaults
  hard.apply("---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\n");
  CHECK(hard.pre_filter(*Trial::pod("{}")) == kProfile);
  Trial soft("PodTopologySpread", node_n(), with("ScheduleAnyway"));
  CHECK(soft.pre_filter(*owned_by("ReplicaSet", "true")) == "Skip");
}

}  // namespace
}  // namespace libsched
