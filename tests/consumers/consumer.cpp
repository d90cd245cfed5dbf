// The C API seen from C++, by the header that is installed for it.
#include <cstdio>
#include <libsched/libsched.hpp>

namespace sdk = libsched::sdk;

int main() {
  const auto cluster = sdk::make(libsched_cluster_create, nullptr);
  std::printf("%zu nodes\n", libsched_view_node_count(libsched_cluster_view(cluster.get())));
  return 0;
}
