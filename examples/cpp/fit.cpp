// Prints whether a pod fits. It uses the C API from C++, by libsched/libsched.hpp.
//
//     fit CLUSTER POD          (files: JSON or YAML, plain or gzip)
//
// It prints the nodes that take the pod, then the reasons of the others with their counts.
// Exit code 0: it fits somewhere, 1: nowhere, 2: an input is wrong.
#include <algorithm>
#include <iostream>
#include <libsched/libsched.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sdk = libsched::sdk;

namespace {

sdk::Handle<libsched_decision> ask(const std::string& cluster_path, const std::string& pod_path) {
  const auto cluster = sdk::make(libsched_cluster_load, cluster_path);
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = true;
  const auto objects = sdk::make(libsched_objects_load, pod_path, &options);
  const libsched_pod* pod = libsched_objects_get_pod(objects.get(), 0);
  if (pod == nullptr) pod = libsched_objects_get_workload(objects.get(), 0, nullptr, nullptr);
  if (pod == nullptr) throw std::runtime_error(pod_path + ": no pod");
  const auto framework = sdk::make(libsched_framework_create, nullptr, "", nullptr, nullptr);
  const auto evaluator = sdk::make(libsched_evaluator_create, framework, cluster, nullptr);
  auto fit = sdk::make(libsched_check_pod_fits, evaluator, pod, "", nullptr);
  if (const auto failed = sdk::view(libsched_decision_error(fit.get())); !failed.empty())
    throw std::runtime_error(std::string(failed));  // a plugin failed: there is no verdict
  return fit;
}

void print(const libsched_decision* fit) {
  const size_t feasible = libsched_decision_feasible_count(fit);
  const size_t nodes = libsched_decision_node_count(fit);
  std::cout << "fits " << feasible << " of " << nodes << " nodes\n";
  for (size_t i = 0; i < feasible; ++i)
    std::cout << "  " << sdk::view(libsched_decision_feasible(fit, i)) << '\n';
  std::map<std::string, size_t> counts;
  for (size_t i = 0; i < nodes; ++i)
    for (size_t r = 0; r < libsched_decision_reason_count(fit, i); ++r)
      ++counts[std::string(sdk::view(libsched_decision_reason(fit, i, r)))];
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
    const auto fit = ask(argv[1], argv[2]);
    print(fit.get());
    return libsched_decision_feasible_count(fit.get()) > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
