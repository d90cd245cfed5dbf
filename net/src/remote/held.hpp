// References to pods and nodes. While one is held, no other object can have the same address, so
// equal addresses mean equal objects.
#pragma once

#include <libsched.h>

#include <memory>

namespace libsched::remote {

struct PodUnref {
  void operator()(const libsched_pod* pod) const {
    libsched_pod_unref(const_cast<libsched_pod*>(pod));
  }
};
struct NodeUnref {
  void operator()(const libsched_node* node) const {
    libsched_node_unref(const_cast<libsched_node*>(node));
  }
};
using HeldPod = std::unique_ptr<const libsched_pod, PodUnref>;
using HeldNode = std::unique_ptr<const libsched_node, NodeUnref>;

inline HeldPod held(const libsched_pod* pod) {
  return HeldPod(libsched_pod_ref(const_cast<libsched_pod*>(pod)));
}
inline HeldNode held(const libsched_node* node) {
  return HeldNode(libsched_node_ref(const_cast<libsched_node*>(node)));
}

}  // namespace libsched::remote
