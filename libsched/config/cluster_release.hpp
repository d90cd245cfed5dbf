// The release of Kubernetes that a cluster's own scheduler has, as far as the cluster tells.
#pragma once

#include <string>

#include "libsched/cluster/view.hpp"
#include "libsched/config/release.hpp"

namespace libsched {

// A release, and what says so. Texts are borrowed from the view or from the server's version.
struct ClusterRelease {
  Release release = kDefaultRelease;
  int minor = minor_of(kDefaultRelease);  // may be older or newer than all releases
  Str version;                            // "v1.36.1"; "" if nothing says so
  enum class Source : uint8_t { kNone, kPod, kServer, kKubelet } source = Source::kNone;
  const ObjectMeta* where = nullptr;  // the pod, or the kubelet's node
};

// Takes the release from the image tag of a kube-scheduler pod, else from the version that the API
// server reports ("" if it is not known), else from the image tag of a kube-apiserver pod, else
// from the newest kubelet, which is never newer than its API server. Of several such pods the
// newest counts. A release older or newer than all that are known is replaced by the nearest one;
// the default stands for one that nothing tells. Cost: in proportion to the view's size.
ClusterRelease cluster_release(const View& view, Str server_version = {});

// The same for readers: {"name":"1.37","version":"v1.38.1","source":"the kubelet on node-1",
// "note":"v1.38.1 is newer than 1.37, whose semantics apply"}. Members that say nothing are "".
std::string cluster_release_json(const ClusterRelease& found);

}  // namespace libsched
