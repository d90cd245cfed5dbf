// Pod templates and replica counts of the workload kinds.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::workload_builder_test {

WorkloadRef workload(Str kind, const std::string& spec) {
  const std::string version = kind == "Job" || kind == "CronJob" ? "batch/v1" : "apps/v1";
  Result<ObjectSet> set = parse_objects(
      R"({"apiVersion":")" + version + R"(","kind":")" + std::string(kind) +
          R"(","metadata":{"name":"web","namespace":"x","uid":"u","labels":{"of":"workload"}},"spec":)" +
          spec + "}",
      {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(set->workloads.size() == 1);
  CHECK(set->unknown_fields == 0);
  return set->workloads[0];
}

const std::string kTemplate =
    R"("template":{"metadata":{"name":"ignored","labels":{"app":"web"}},"spec":{"containers":[
       {"name":"c","resources":{"requests":{"cpu":"250m"}}}],"volumes":[{"name":"data","emptyDir":{}},{"name":"v"}]}})";

TEST_CASE("workload: the pod template, named after the workload") {
  for (const Str kind : {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"}) {
    const WorkloadRef w = workload(kind, "{" + kTemplate + "}");
    CHECK(w->kind == kind);
    CHECK(w->meta.name == "web");
    CHECK(w->meta.labels[0].key == "of");
    CHECK(w->replicas == 1);
    CHECK(w->pod->meta.name == "web");
    CHECK(w->pod->meta.ns == "x");
    CHECK(w->pod->meta.uid == "");
    CHECK(w->pod->meta.key_hash == object_key_hash("x", "web"));
    REQUIRE(w->pod->meta.labels.size() == 1);
    CHECK(w->pod->meta.labels[0].value == "web");
    CHECK(w->pod->requests.milli_cpu == 250);
    CHECK(w->pod->spec.scheduler_name == "default-scheduler");
    CHECK(w->pod->spec.volumes.size() == 2);
  }
  const WorkloadRef cron =
      workload("CronJob",
               R"({"schedule":"* * * * *","jobTemplate":{"metadata":{},"spec":{"parallelism":3,)" +
                   kTemplate + "}}}");
  CHECK(cron->pod->requests.milli_cpu == 250);
  CHECK(cron->replicas == 3);
}

TEST_CASE("workload: a ReplicationController is a template and a selector that is stored") {
  const std::string rc =
      R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"rc","uid":"u"},)"
      R"("spec":{"replicas":3,"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},)"
      R"("spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  ParseOptions options;
  options.validate = true;
  const Result<ObjectSet> set = parse_objects(rc, options);
  REQUIRE(set.ok());
  REQUIRE(set->workloads.size() == 1);
  CHECK(set->workloads[0]->kind == "ReplicationController");
  CHECK(set->workloads[0]->replicas == 3);
  CHECK(set->workloads[0]->pod->meta.name == "rc");
  REQUIRE(set->stored.size() == 1);
  CHECK(set->stored[0].kind == StoredKind::kReplicationController);
  CHECK(set->size() == 1);
  CHECK(set->warnings.empty());
  const Result<ObjectSet> bad = parse_objects(
      R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"R_C"},"spec":{}})",
      options);
  REQUIRE(bad.ok());
  std::string paths;
  for (const IngestWarning& w : bad->warnings) paths += w.path + " ";
  CHECK(paths.find("metadata.name ") == 0);  // once
  CHECK(paths.find("metadata.name ", 1) == std::string::npos);
  CHECK(paths.find("spec.selector ") != std::string::npos);
}

TEST_CASE("workload: replica counts") {
  CHECK(workload("Deployment", R"({"replicas":5})")->replicas == 5);
  CHECK(workload("Deployment", R"({"replicas":0,)" + kTemplate + "}")->replicas == 0);
  CHECK(workload("Deployment", R"({"replicas":null})")->replicas == 1);
  CHECK(workload("ReplicaSet", R"({"replicas":2})")->replicas == 2);
  CHECK(workload("Job", R"({"parallelism":4})")->replicas == 4);
  CHECK(workload("Job", R"({"parallelism":4,"completions":3})")->replicas == 3);
  CHECK(workload("Job", R"({"completions":3})")->replicas == 1);
}

TEST_CASE("workload: claim templates become volumes of the first replica") {
  const WorkloadRef w =
      workload("StatefulSet", R"({"volumeClaimTemplates":[{"metadata":{"name":"data"}},
      {"metadata":{"name":"logs"}}],"ordinals":{"start":3},)" +
                                  kTemplate + "}");
  REQUIRE(w->pod->spec.volumes.size() == 3);  // "data" replaces the template's
  CHECK(w->pod->spec.volumes[0].kind == VolumeKind::kPersistentVolumeClaim);
  CHECK(w->pod->spec.volumes[0].name == "data");
  CHECK(w->pod->spec.volumes[0].id == "data-web-3");
  CHECK(w->pod->spec.volumes[1].id == "logs-web-3");
  CHECK(w->pod->spec.volumes[2].name == "v");
  CHECK(w->pod->claim_names.size() == 2);
}

TEST_CASE("workload: raw documents and errors") {
  ParseOptions options;
  options.keep_raw = true;
  const Result<ObjectSet> set = parse_objects(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w"},"spec":{"template":{"spec":{}}}})",
      options);
  REQUIRE(set.ok());
  CHECK(set->workloads[0]->pod->raw == R"({"spec":{}})");
  CHECK(set->workloads[0]->raw.size() > 50);

  const auto error = [](const char* text) { return parse_objects(text, {}).error().text(); };
  CHECK(
      error(
          R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w"},"spec":{"template":
      {"spec":{"containers":[{"name":5}]}}}})") ==
      "spec.template.spec.containers[0].name: expected a string, got the number 5");
  CHECK(
      error(
          R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"w"},"spec":{"jobTemplate":
      {"spec":{"template":{"spec":{"nodeName":[]}}}}}})") ==
      "spec.jobTemplate.spec.template.spec.nodeName: expected a string, got an array");
  CHECK(error(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{}})") ==
        "metadata.name: missing");
}

}  // namespace libsched::workload_builder_test
