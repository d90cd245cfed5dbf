// InterPodAffinity: own terms, terms of running pods that concern a new one, and terms that do not
// parse.
#include "libsched/plugins/trial.hpp"

namespace libsched {
namespace {

std::string term(const std::string& more) { return "{topologyKey: zone, " + more + "}"; }
std::string required(const char* kind, const std::string& terms) {
  return std::string("{affinity: {") + kind +
         ": {requiredDuringSchedulingIgnoredDuringExecution: [" + terms + "]}}}";
}
std::string needs(const std::string& why) {
  return "error: pod \"default/p\" needs plugin \"InterPodAffinity\" (" + why +
         "), which this version of libsched does not have yet";
}
const std::string kOwn = needs("it has required pod affinity or anti-affinity");
const char* const kWeb = "labelSelector: {matchLabels: {app: web}}";

TEST_CASE("own required terms need the plugin, preferred ones do not") {
  Trial t("InterPodAffinity", node_n());
  CHECK(t.pre_filter(*Trial::pod("{}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{affinity: {podAffinity: {}, podAntiAffinity: {}}}")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod(required("podAffinity", ""))) == "Skip");
  CHECK(t.pre_filter(*Trial::pod(required("podAffinity", term(kWeb)))) == kOwn);
  CHECK(t.pre_filter(*Trial::pod(required("podAntiAffinity", term(kWeb)))) == kOwn);
  CHECK(t.pre_filter(*Trial::pod(
            "{affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
            "[{weight: 1, podAffinityTerm: " +
            term(kWeb) + "}]}}}")) == "Skip");
}

TEST_CASE("terms that do not parse are upstream's status") {
  Trial t("InterPodAffinity", node_n());
  const std::string bad = term("labelSelector: {matchExpressions: [{key: a, operator: Near}]}");
  const std::string worse = term("namespaceSelector: {matchExpressions: [{key: a, operator: In}]}");
  const std::string near = "\"Near\" is not a valid label selector operator";
  const std::string empty =
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
  const char* uau = "UnschedulableAndUnresolvable: parsing pod: ";
  CHECK(t.pre_filter(*Trial::pod(required("podAffinity", term(kWeb) + ", " + bad))) ==
        uau + ("requiredAffinityTerms: " + near));
  CHECK(t.pre_filter(*Trial::pod(required("podAntiAffinity", worse))) ==
        uau + ("requiredAntiAffinityTerms: " + empty));
  CHECK(t.pre_filter(*Trial::pod(
            "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + bad +
            "]}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
            "podAffinityTerm: " +
            worse + "}]}}}")) == std::string(uau) + "[requiredAffinityTerms: " + near +
                                     ", preferredAntiAffinityTerms: " + empty + "]");
}

// A running pod with one required anti-affinity term.
std::string running(const std::string& the_term, const char* ns = "default",
                    const char* node = "'n'") {
  return std::string("---\nkind: Pod\nmetadata: {name: guard, namespace: ") + ns +
         "}\nspec:\n  nodeName: " + node +
         "\n  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" +
         the_term + "]}}\n";
}

TEST_CASE("required anti-affinity of running pods") {
  const std::string nodes =
      "kind: Node\nmetadata: {name: 'n', labels: {zone: a}}\n---\nkind: Node\nmetadata: {name: "
      "nozone}\n"
      "---\nkind: Namespace\nmetadata: {name: default, labels: {team: blue}}\n";
  const auto said = [&](const std::string& guard) {
    return Trial("InterPodAffinity", nodes + guard)
        .pre_filter(*Trial::pod("{}", "name: p, namespace: default, labels: {app: web}"));
  };
  const auto concerns = [](const char* ns) {
    return needs(std::string("required anti-affinity of pod \"") + ns + "/guard\" concerns it");
  };
  CHECK(said(running(term(kWeb))) == concerns("default"));
  CHECK(said(running(term("labelSelector: {}"))) == concerns("default"));
  CHECK(said(running(term("labelSelector: {matchLabels: {app: db}}"))) == "Skip");
  CHECK(said(running("{topologyKey: zone}")) == "Skip");  // no selector selects nothing
  // Where it runs must have the key, and be there.
  CHECK(said(running(term(kWeb), "default", "nozone")) == "Skip");
  CHECK(said(running(term(kWeb), "default", "unknown")) == "Skip");
  // Namespaces: its own, those it lists, those it selects.
  CHECK(said(running(term(kWeb), "other")) == "Skip");
  CHECK(said(running(term(std::string(kWeb) + ", namespaces: [default]"), "other")) ==
        concerns("other"));
  CHECK(said(running(term(std::string(kWeb) + ", namespaces: [other]"), "default")) == "Skip");
  CHECK(said(running(term(std::string(kWeb) + ", namespaceSelector: {}"), "other")) ==
        concerns("other"));
  CHECK(said(running(term(std::string(kWeb) + ", namespaceSelector: {matchLabels: {team: blue}}"),
                     "other")) == concerns("other"));
  CHECK(said(running(term(std::string(kWeb) + ", namespaceSelector: {matchLabels: {team: red}}"),
                     "default")) == "Skip");
  // Upstream drops all terms of a running pod if one does not parse.
  CHECK(said(running(term(kWeb) + ", " +
                     term("labelSelector: {matchExpressions: [{key: a, operator: Near}]}"))) ==
        "Skip");
}

TEST_CASE("a running pod stops concerning others when it goes, and again when that is undone") {
  Trial t("InterPodAffinity", "kind: Node\nmetadata: {name: 'n', labels: {zone: a}}\n" +
                                  running(term("labelSelector: {}")));
  const PodRef pod = Trial::pod("{}");
  CHECK(t.pre_filter(*pod) != "Skip");
  t.cluster().fork();
  REQUIRE(t.cluster().remove_pod("default", "guard").ok());
  CHECK(t.pre_filter(*pod) == "Skip");
  REQUIRE(t.cluster().revert().ok());
  CHECK(t.pre_filter(*pod) != "Skip");
}

}  // namespace
}  // namespace libsched
