// Measures a Filter of many nodes by a plugin in another process, against a ping-pong of as many
// bytes over a Unix socket. Prints a line of JSON.
//
//   measure ADDRESS ECHO_SOCKET NODES ROUNDS REQUEST_BYTES RESPONSE_BYTES
#include <libsched/net.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

void ok(libsched_rc rc, libsched_error*& error) {
  if (rc == LIBSCHED_OK) return;
  std::fprintf(stderr, "%s\n", libsched_error_message(error).ptr);
  std::exit(1);
}
libsched_str str(const std::string& s) { return {s.data(), s.size()}; }

// The median of the times of many rounds, in microseconds.
template <typename F>
double median_us(int rounds, F&& round) {
  for (int i = 0; i < 20; ++i) round();
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const auto began = Clock::now();
    round();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - began).count());
  }
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  return times[static_cast<size_t>(rounds) / 2];
}

double ping_pong(const char* path, int rounds, uint32_t request, uint32_t response) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(1);
  std::vector<char> out(8 + request), in(response);
  std::memcpy(out.data(), &request, 4);
  std::memcpy(out.data() + 4, &response, 4);
  const double us = median_us(rounds, [&] {
    if (write(fd, out.data(), out.size()) != static_cast<ssize_t>(out.size())) std::exit(1);
    for (size_t got = 0; got < in.size();) {
      const ssize_t n = read(fd, in.data() + got, in.size() - got);
      if (n <= 0) std::exit(1);
      got += static_cast<size_t>(n);
    }
  });
  close(fd);
  return us;
}

double filter(const std::string& where, int nodes, int rounds, size_t* fit) {
  libsched_error* error = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_registry* registry = nullptr;
  libsched_config* config = nullptr;
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  libsched_pod* pod = nullptr;
  ok(libsched_cluster_create(nullptr, &cluster, &error), error);
  for (int i = 0; i < nodes; ++i) {
    libsched_node* node = nullptr;
    const std::string text =
        R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"node-)" + std::to_string(i) +
        R"(","labels":{"topology.kubernetes.io/zone":"zone-)" + std::to_string(i % 3) +
        R"("}},"status":{"allocatable":{"cpu":"4","pods":"110"}}})";
    ok(libsched_node_parse(str(text), nullptr, &node, &error), error);
    ok(libsched_cluster_add_nodes(cluster, &node, 1, &error), error);
    libsched_node_unref(node);
  }
  ok(libsched_registry_create(&registry, &error), error);
  ok(libsched_net_register(registry, LIBSCHED_STR("QuietZones"), str(where), nullptr, &error),
     error);
  ok(libsched_config_parse(
         LIBSCHED_STR(
             "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
             "profiles:\n- plugins:\n"
             "    multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
             "DefaultBinder}]}\n"
             "    filter: {enabled: [{name: QuietZones}]}\n"
             "  pluginConfig: [{name: QuietZones, args: {loud: [zone-1]}}]\n"),
         nullptr, &config, &error),
     error);
  ok(libsched_framework_create(config, LIBSCHED_STR(""), registry, nullptr, &framework, &error),
     error);
  ok(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, &error), error);
  ok(libsched_cycle_state_create(&state, &error), error);
  ok(libsched_status_create(&status, &error), error);
  ok(libsched_pod_parse(
         LIBSCHED_STR(
             R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}})"),
         nullptr, &pod, &error),
     error);
  ok(libsched_run_pre_filter_plugins(evaluator, state, pod, nullptr, status, &error), error);
  std::vector<uint64_t> feasible((static_cast<size_t>(nodes) + 63) / 64);
  const double us = median_us(rounds, [&] {
    ok(libsched_filter_nodes(evaluator, state, pod, nullptr, feasible.data(), feasible.size(), fit,
                             nullptr, &error),
       error);
  });
  libsched_pod_unref(pod);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_config_unref(config);
  libsched_registry_unref(registry);
  libsched_cluster_unref(cluster);
  return us;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const int nodes = std::atoi(argv[3]), rounds = std::atoi(argv[4]);
  size_t fit = 0;
  const double asked = filter(argv[1], nodes, rounds, &fit);
  const double raw = ping_pong(argv[2], rounds, static_cast<uint32_t>(std::atoi(argv[5])),
                               static_cast<uint32_t>(std::atoi(argv[6])));
  std::printf("{\"filter_us\": %.1f, \"ping_pong_us\": %.1f, \"above_us\": %.1f, \"fit\": %zu}\n",
              asked, raw, asked - raw, fit);
  return 0;
}
