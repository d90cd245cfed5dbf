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
  const auto owned_by = [](const char* kind, const char* controller, const char* version) {
    return Trial::pod(
        "{}", std::string(
                  "name: p, namespace: default, labels: {a: b}, ownerReferences: [{apiVersion: ") +
                  version + ", kind: " + kind + ", name: o, uid: u, controller: " + controller +
                  "}]");
  };
  const auto object = [](const char* type, const std::string& name, const char* selector) {
    return std::string("---\napiVersion: ") + type + "\nmetadata: {name: " + name +
           ", namespace: default}\nspec: {selector: " + selector + "}\n";
  };
  const char* const kReplicaSet = "apps/v1\nkind: ReplicaSet";
  Trial hard("PodTopologySpread", node_n(), with("DoNotSchedule"));
  CHECK(hard.pre_filter(*Trial::pod("{}")) == "Skip");  // nothing selects it
  const PodRef replica = owned_by("ReplicaSet", "true", "apps/v1");
  CHECK(hard.pre_filter(*replica) == "Skip");  // of no ReplicaSet that is known
  hard.apply(object(kReplicaSet, "o", "{}"));
  CHECK(hard.pre_filter(*replica) == "Skip");
  hard.apply(object(kReplicaSet, "o", "{matchExpressions: [{key: a, operator: What}]}"));
  CHECK(hard.pre_filter(*replica) == "Skip");
  hard.apply(object(kReplicaSet, "o", "{matchLabels: {x: z}}"));
  CHECK(hard.pre_filter(*replica) == kProfile);
  CHECK(hard.pre_filter(*owned_by("ReplicaSet", "true", "extensions/v1beta1")) == "Skip");
  CHECK(hard.pre_filter(*owned_by("ReplicaSet", "false", "apps/v1")) == "Skip");
  CHECK(hard.pre_filter(*owned_by("DaemonSet", "true", "apps/v1")) == "Skip");
  CHECK(hard.pre_filter(*owned_by("StatefulSet", "true", "apps/v1")) == "Skip");
  hard.apply(object("apps/v1\nkind: StatefulSet", "o", "{matchLabels: {x: z}}"));
  CHECK(hard.pre_filter(*owned_by("StatefulSet", "true", "apps/v1")) == kProfile);
  hard.apply(object("v1\nkind: ReplicationController", "o", "{x: z}"));
  CHECK(hard.pre_filter(*owned_by("ReplicationController", "true", "v1")) == kProfile);
  CHECK(hard.pre_filter(*Trial::pod(constraint("ScheduleAnyway"))) ==
        "Skip");  // its own replace the defaults
  const PodRef labelled = Trial::pod("{}", "name: p, namespace: default, labels: {a: b}");
  for (const char* selector : {"null", "{}", "{a: c}"}) {
    CAPTURE(selector);
    hard.apply(object("v1\nkind: Service", "s", selector));
    CHECK(hard.pre_filter(*labelled) == "Skip");
  }
  hard.apply(object("v1\nkind: Service", "t", "{a: b}"));
  CHECK(hard.pre_filter(*labelled) == kProfile);
  Trial soft("PodTopologySpread", node_n(), with("ScheduleAnyway"));
  CHECK(soft.pre_filter(*owned_by("ReplicaSet", "true", "apps/v1")) == "Skip");
}

}  // namespace
}  // namespace libsched
