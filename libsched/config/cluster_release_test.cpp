// Tests which release a cluster is of, by its pods, its API server and its kubelets.
#include "libsched/config/cluster_release.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::cluster_release_test {

// A node with a kubelet of a version, or of none.
void add_node(Cluster& cluster, const std::string& name, const std::string& kubelet) {
  const std::string info = kubelet.empty() ? "" : R"("kubeletVersion":")" + kubelet + '"';
  const NodeRef node = *parse_node(
      R"({"metadata":{"name":")" + name + R"("},"status":{"nodeInfo":{)" + info + "}}}", {});
  REQUIRE(cluster.update_node(node).ok());
}

// A pod with a container on node "a", by the label component if that is not empty.
void add_pod(Cluster& cluster, const std::string& ns, const std::string& name,
             const std::string& component, const std::string& container, const std::string& image) {
  const PodRef pod = *parse_pod(R"({"metadata":{"namespace":")" + ns + R"(","name":")" + name +
                                    R"(","labels":{"component":")" + component +
                                    R"("}},"spec":{"containers":[{"name":")" + container +
                                    R"(","image":")" + image + R"("}]}})",
                                {});
  REQUIRE(cluster.update_pod(pod, "a").ok());
}

std::string found(const Cluster& cluster, Str server_version = {}) {
  return cluster_release_json(cluster_release(cluster.view(), server_version));
}

TEST_CASE("a cluster without versions is of the default release") {
  Cluster cluster;
  const std::string none = R"({"name":")" + std::string(release_name(kDefaultRelease)) +
                           R"(","version":"","source":"","note":""})";
  CHECK_EQ(found(cluster), none);
  add_node(cluster, "a", "");
  add_node(cluster, "b", "unknown");
  CHECK_EQ(found(cluster, "main"), none);
}

TEST_CASE("the newest kubelet tells the release of a cluster") {
  Cluster cluster;
  add_node(cluster, "a", "v1.33.9");
  add_node(cluster, "b", "v1.34.2-eks-1");
  add_node(cluster, "c", "v1.34.6");
  CHECK_EQ(found(cluster),
           R"({"name":"1.34","version":"v1.34.2-eks-1","source":"the kubelet on b","note":""})");
  CHECK_EQ(found(cluster, "v1.35.0+k3s1"),
           R"({"name":"1.35","version":"v1.35.0+k3s1","source":"the API server","note":""})");
  REQUIRE(cluster.remove_node("b").ok());
  CHECK_EQ(found(cluster),
           R"({"name":"1.34","version":"v1.34.6","source":"the kubelet on c","note":""})");
}

TEST_CASE("the image of kube-scheduler tells more than all others") {
  Cluster cluster;
  add_node(cluster, "a", "v1.33.9");
  const auto is = [&](Str name, Str version, Str source, Str server = {}) {
    CHECK_EQ(found(cluster, server), R"({"name":")" + std::string(name) + R"(","version":")" +
                                         std::string(version) + R"(","source":")" +
                                         std::string(source) + R"(","note":""})");
  };
  // None of these runs what its name promises.
  add_pod(cluster, "shop", "kube-scheduler-x", "", "kube-scheduler", "kube-scheduler:v1.37.0");
  add_pod(cluster, "kube-system", "proxy", "", "kube-scheduler", "kube-scheduler:v1.37.0");
  add_pod(cluster, "kube-system", "kube-scheduler-s", "", "sidecar", "sidecar:v1.37.0");
  is("1.33", "v1.33.9", "the kubelet on a");
  // Neither has these images a tag.
  add_pod(cluster, "kube-system", "kube-scheduler-d", "", "kube-scheduler",
          "example.com:1.37/kube-scheduler@sha256:00");
  add_pod(cluster, "kube-system", "kube-scheduler-e", "", "kube-scheduler",
          "example.com:1.37/scheduler");
  is("1.33", "v1.33.9", "the kubelet on a");

  add_pod(cluster, "kube-system", "kube-apiserver-a", "", "kube-apiserver",
          "example.com:5000/kube-apiserver:v1.36.2");
  is("1.36", "v1.36.2", "kube-system/kube-apiserver-a");
  is("1.35", "v1.35.1", "the API server", "v1.35.1");
  add_pod(cluster, "kube-system", "sched-a", "kube-scheduler", "kube-scheduler",
          "example.com:5000/k8s:v1.34.1-rke2r1@sha256:00");
  is("1.34", "v1.34.1-rke2r1", "kube-system/sched-a");
  add_pod(cluster, "kube-system", "kube-scheduler-b", "", "kube-scheduler",
          "kube-scheduler:1.35.0");
  is("1.35", "1.35.0", "kube-system/kube-scheduler-b", "v1.36.2");
}

TEST_CASE("the nearest release stands for one that is not known") {
  Cluster cluster;
  add_node(cluster, "a", "v1.21.3");
  CHECK_EQ(found(cluster), R"({"name":"1.31","version":"v1.21.3","source":"the kubelet on a",)"
                           R"("note":"v1.21.3 is older than 1.31, whose semantics apply"})");
  add_node(cluster, "b", "v1.138.1");
  const std::string newest(release_name(kNewestRelease));
  CHECK_EQ(found(cluster), R"({"name":")" + newest +
                               R"(","version":"v1.138.1","source":"the kubelet on b",)"
                               R"("note":"v1.138.1 is newer than )" +
                               newest + R"(, whose semantics apply"})");
}

}  // namespace libsched::cluster_release_test
