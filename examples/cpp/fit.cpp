// Prints whether a pod fits. It uses the C API from C++: unique_ptr owns handles, exceptions carry errors.
//
//     fit CLUSTER POD          (files: JSON or YAML, plain or gzip)
//
// It prints the nodes that take the pod, then the reasons of the others with their counts.
// Exit code 0: it fits somewhere, 1: nowhere, 2: an input is wrong.
#include <libsched.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

std::string_view view(libsched_str s) { return {s.ptr, s.len}; }
libsched_str str(const std::string& s) { return {s.data(), s.size()}; }

// Owns a handle: Handle<libsched_cluster, libsched_cluster_unref>.
template <auto unref>
struct Unref {
  template <typename T>
  void operator()(T* handle) const {
    unref(handle);
  }
};
template <typename T, auto unref>
using Handle = std::unique_ptr<T, Unref<unref>>;

using Cluster = Handle<libsched_cluster, libsched_cluster_unref>;
using Objects = Handle<libsched_objects, libsched_objects_unref>;
using Framework = Handle<libsched_framework, libsched_framework_unref>;
using Evaluator = Handle<libsched_evaluator, libsched_evaluator_unref>;
using Decision = Handle<libsched_decision, libsched_decision_unref>;

// Calls f(arguments..., &out, &error) and returns the owner of the new handle, or throws.
template <typename H, typename F, typename... Arguments>
H make(F f, Arguments... arguments) {
  typename H::pointer out = nullptr;
  libsched_error* error = nullptr;
  if (f(arguments..., &out, &error) == LIBSCHED_OK) return H(out);
  const Handle<libsched_error, libsched_error_unref> owned(error);
  const std::string path(view(libsched_error_path(error)));
  throw std::runtime_error((path.empty() ? "" : path + ": ") +
                           std::string(view(libsched_error_message(error))));
}

Decision ask(const std::string& cluster_path, const std::string& pod_path) {
  const auto cluster = make<Cluster>(libsched_cluster_load, str(cluster_path));
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  const auto objects = make<Objects>(libsched_objects_load, str(pod_path), &options);
  const libsched_pod* pod = libsched_objects_get_pod(objects.get(), 0);
  if (pod == nullptr) pod = libsched_objects_get_workload(objects.get(), 0, nullptr, nullptr);
  if (pod == nullptr) throw std::runtime_error(pod_path + ": no pod");
  const auto framework =
      make<Framework>(libsched_framework_create, nullptr, str({}), nullptr, nullptr);
  const auto evaluator = make<Evaluator>(libsched_evaluator_create, framework.get(), cluster.get(), nullptr);
  return make<Decision>(libsched_check_pod_fits, evaluator.get(), pod, str({}), nullptr);
}

void print(const libsched_decision* fit) {
  const size_t feasible = libsched_decision_feasible_count(fit);
  const size_t nodes = libsched_decision_node_count(fit);
  std::cout << "fits " << feasible << " of " << nodes << " nodes\n";
  for (size_t i = 0; i < feasible; ++i)
    std::cout << "  " << view(libsched_decision_feasible(fit, i)) << '\n';
  std::map<std::string, size_t> counts;
  for (size_t i = 0; i < nodes; ++i)
    for (size_t r = 0; r < libsched_decision_reason_count(fit, i); ++r)
      ++counts[std::string(view(libsched_decision_reason(fit, i, r)))];
  std::vector<std::pair<std::string, size_t>> reasons(counts.begin(), counts.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (!reasons.empty()) std::cout << "does not fit:\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << "  " << reason << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: " << argv[0] << " CLUSTER POD\n";
    return 2;
  }
  try {
    const Decision fit = ask(argv[1], argv[2]);
    print(fit.get());
    return libsched_decision_feasible_count(fit.get()) > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
