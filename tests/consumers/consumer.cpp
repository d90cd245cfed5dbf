// The C API seen from C++: handles in unique_ptr, the same header.
#include <libsched.h>

#include <cstdio>
#include <memory>

int main() {
  libsched_cluster* raw = nullptr;
  if (libsched_cluster_create(nullptr, &raw, nullptr) != LIBSCHED_OK) return 1;
  std::unique_ptr<libsched_cluster, decltype(&libsched_cluster_unref)> cluster(
      raw, libsched_cluster_unref);
  std::printf("%zu nodes\n", libsched_view_node_count(libsched_cluster_view(cluster.get())));
  return 0;
}
