// Sums over containers, checked against numbers that upstream's PodRequests gives.
#include "libsched/objects/pod_requests.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

namespace libsched::pod_requests_test {

// A pod built from lists such as "cpu=100m memory=1Gi" (names in order).
struct Maker {
  ResourceList list(Str text) {
    std::vector<NamedQuantity> out;
    while (!text.empty()) {
      const Str item = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), item.size() + 1));
      const size_t equals = item.find('=');
      out.push_back({item.substr(0, equals), *Quantity::parse(item.substr(equals + 1))});
    }
    return pod->arena.copy(out);
  }
  Container container(Str name, Str requests, bool always = false) {
    Container c;
    c.name = name;
    c.requests = list(requests);
    c.always_restarts = always;
    return c;
  }
  ContainerStatus status(Str name, Str requests, Str allocated) {
    ContainerStatus s;
    s.name = name;
    s.has_resources = true;
    s.requests = list(requests);
    s.allocated = list(allocated);
    s.has_requests = !requests.empty();
    s.has_allocated = !allocated.empty();
    return s;
  }
  void containers(std::initializer_list<Container> l) { set(pod->spec.containers, l); }
  void inits(std::initializer_list<Container> l) { set(pod->spec.init_containers, l); }
  void statuses(std::initializer_list<ContainerStatus> l) { set(pod->status.containers, l); }
  void init_statuses(std::initializer_list<ContainerStatus> l) {
    set(pod->status.init_containers, l);
  }
  void pod_level(Str requests) {
    pod->spec.resources_present = true;
    pod->spec.pod_requests = list(requests);
  }
  void pending(Str reason) {
    set(pod->status.conditions,
        {PodCondition{"Ready", "True", ""}, PodCondition{"PodResizePending", "True", reason}});
  }
  template <typename T>
  void set(Span<T>& to, std::initializer_list<T> l) {
    to = pod->arena.copy(l.begin(), l.size());
  }
  Ref<Pod> pod = make_ref<Pod>();
};

std::string shown(const Resources& r) {
  std::string out = std::to_string(r.milli_cpu) + " " + std::to_string(r.memory) + " " +
                    std::to_string(r.ephemeral_storage) + " " + std::to_string(r.pods);
  for (const ScalarAmount& s : r.scalars) {
    CHECK(s.name_hash == hash_str(s.name));
    out += " " + std::string(s.name) + "=" + std::to_string(s.value);
  }
  return out;
}

void check(Maker& m, Str requests, Str occupied, int64_t non_zero_cpu, int64_t non_zero_memory,
           const PodAccounting& accounting = {}) {
  derive_pod(*m.pod);
  const PodRef pod = accounted(m.pod, accounting);
  CHECK(shown(pod->requests) == requests);
  CHECK(shown(pod->occupied) == occupied);
  CHECK(pod->occupied_nonzero.milli_cpu == non_zero_cpu);
  CHECK(pod->occupied_nonzero.memory == non_zero_memory);
}

// As up to 1.36.
constexpr PodAccounting kByContainer{.resizes_by_pod = false};

constexpr int64_t kMi = 1 << 20;

TEST_CASE("containers add up and are rounded once") {
  Maker m;
  m.containers({m.container("a", "cpu=100100u example.com/gpu=500m memory=100m"),
                m.container("b", "cpu=100100u example.com/gpu=500m foo=3 memory=100m"),
                m.container("c", "cpu=100100u ephemeral-storage=1Gi hugepages-2Mi=4Mi")});
  check(m, "301 1 1073741824 0 example.com/gpu=1 hugepages-2Mi=4194304",
        "301 1 1073741824 0 example.com/gpu=1 hugepages-2Mi=4194304", 301, 200 * kMi + 1);
}

TEST_CASE("a pod that asks for nothing") {
  Maker m;
  m.containers({m.container("a", ""), m.container("b", "cpu=0 memory=0")});
  m.inits({m.container("i", "")});
  check(m, "0 0 0 0", "0 0 0 0", 100, 200 * kMi);
}

TEST_CASE("scalars of zero stay entries; what is asked for is never negative") {
  Maker m;
  m.containers({m.container("a", "a.com/x=0 a.com/y=-2 cpu=-1 memory=-5 pods=3")});
  check(m, "0 0 0 0 a.com/x=0 a.com/y=0", "-1000 -5 0 3 a.com/x=0 a.com/y=-2", -1000, -5);
}

TEST_CASE("init containers need their own and the sidecars before them") {
  Maker m;
  m.containers({m.container("c1", "cpu=2 memory=1G"), m.container("c2", "cpu=1 memory=1G")});
  m.inits({m.container("i1", "cpu=2 memory=1G"), m.container("i2", "cpu=2 memory=3G")});
  check(m, "3000 3000000000 0 0", "3000 3000000000 0 0", 3000, 3000000000);

  Maker s;  // 1 + sidecars 2, against init 5 with one sidecar before it
  s.containers({s.container("c", "cpu=1")});
  s.inits({s.container("s1", "cpu=1 memory=10", true), s.container("i", "cpu=5 memory=1"),
           s.container("s2", "cpu=1", true)});
  check(s, "6000 11 0 0", "6000 11 0 0", 6000, 400 * kMi + 10);
}

TEST_CASE("overhead comes on top, of pod-level requests too, which replace the sums") {
  Maker m;
  m.containers({m.container("a", "cpu=1 example.com/gpu=1 memory=1Gi")});
  m.pod->spec.overhead = m.list("cpu=250m memory=1Mi");
  check(m, "1250 1074790400 0 0 example.com/gpu=1", "1250 1074790400 0 0 example.com/gpu=1", 1250,
        1074790400);
  m.pod_level("cpu=2 ephemeral-storage=5 hugepages-1Gi=1Gi");
  check(m, "2250 1074790400 0 0 example.com/gpu=1 hugepages-1Gi=1073741824",
        "2250 1074790400 0 0 example.com/gpu=1 hugepages-1Gi=1073741824", 2250, 1074790400);
}

TEST_CASE("overhead comes once on top of a pod-level amount beyond 64 bits, however often asked") {
  Maker m;
  m.containers({m.container("a", "cpu=1")});
  m.pod_level("cpu=16Ei");
  m.pod->spec.overhead = m.list("cpu=250m");
  const Quantity before = m.pod->spec.pod_requests[0].quantity;
  Arena arena;
  const int64_t first = pod_requests(*m.pod, {}, arena).milli_cpu;
  for (int i = 0; i < 3; ++i) {
    CHECK(pod_requests(*m.pod, {}, arena).milli_cpu == first);
    CHECK(m.pod->spec.pod_requests[0].quantity.compare(before) == 0);
  }
}

TEST_CASE("with pod-level requests only what no level asks for gets defaults") {
  Maker m;
  m.containers({m.container("a", "cpu=1"), m.container("b", "")});
  m.pod_level("hugepages-2Mi=2Mi");
  check(m, "1000 0 0 0 hugepages-2Mi=2097152", "1000 0 0 0 hugepages-2Mi=2097152", 1000, 400 * kMi);
  m.pod_level("ephemeral-storage=1");  // no level by itself
  CHECK_FALSE(has_pod_level_requests(*m.pod));
  check(m, "1000 0 0 0", "1000 0 0 0", 1100, 400 * kMi);
  m.pod_level("");
  CHECK_FALSE(has_pod_level_requests(*m.pod));
}

TEST_CASE("a resize occupies the largest of what is asked, set and allocated") {
  Maker m;
  m.containers({m.container("a", "cpu=1 memory=10"), m.container("b", "cpu=1")});
  m.inits({m.container("s", "cpu=1", true), m.container("i", "cpu=100m")});
  m.statuses(
      {m.status("a", "cpu=2 memory=5", "cpu=1500m memory=20"), m.status("gone", "cpu=9", "")});
  m.init_statuses({m.status("s", "cpu=3", ""), m.status("i", "cpu=50", "")});
  check(m, "3000 10 0 0", "6000 20 0 0", 6000, 400 * kMi + 20, kByContainer);

  m.pending("Deferred");
  check(m, "3000 10 0 0", "6000 20 0 0", 6000, 400 * kMi + 20, kByContainer);

  // Infeasible: what the spec asks for doesn't count, not even for a resource only it names.
  m.statuses({m.status("a", "cpu=200m", "cpu=100m"), m.status("b", "", "memory=7")});
  m.pending("Infeasible");
  check(m, "3000 10 0 0", "3200 7 0 0", 3300, 400 * kMi + 7, kByContainer);
}

TEST_CASE("of several statuses of a container the last counts, init statuses after the others") {
  Maker m;
  m.containers({m.container("a", "cpu=1 memory=1")});
  m.statuses({m.status("a", "cpu=5", ""), m.status("a", "cpu=2", "")});
  check(m, "1000 1 0 0", "2000 1 0 0", 2000, 1, kByContainer);
  ContainerStatus bare;
  bare.name = "a";
  m.init_statuses({bare});
  check(m, "1000 1 0 0", "1000 1 0 0", 1000, 1, kByContainer);
}

TEST_CASE("a resize of pod-level requests") {
  Maker m;
  m.containers({m.container("a", "cpu=1")});
  m.pod_level("cpu=2 memory=100");
  m.pod->status.has_resources = true;
  m.pod->status.pod_requests = m.list("cpu=3 memory=50");
  m.pod->status.pod_allocated = m.list("memory=200");
  check(m, "2000 100 0 0", "3000 200 0 0", 3000, 200, kByContainer);
  m.pod->status.pod_requests = m.list("memory=50");
  m.pending("Infeasible");
  check(m, "2000 100 0 0", "0 200 0 0", 0, 200, kByContainer);

  Arena arena;
  CHECK(shown(pod_requests(*m.pod, {.use_status = true, .pod_level_status = false}, arena)) ==
        "2000 100 0 0");
  CHECK(shown(pod_requests(*m.pod, {.pod_level = false}, arena)) == "1000 0 0 0");
  CHECK(shown(pod_requests(*m.pod, {.pod_level = false, .default_memory = true}, arena)) ==
        "1000 209715200 0 0");
}

TEST_CASE("more resources than the fixed scratch holds") {
  Maker m;
  std::string names;
  for (int i = 10; i < 50; ++i) {
    names += (i > 10 ? " a.com/r" : "a.com/r") + std::to_string(i) + "=1";
  }
  const Str kept = m.pod->arena.copy(names);
  m.containers({m.container("a", kept), m.container("b", "cpu=1"), m.container("c", kept)});
  derive_pod(*m.pod);
  CHECK(m.pod->requests.milli_cpu == 1000);
  REQUIRE(m.pod->requests.scalars.size() == 40);
  for (size_t i = 0; i < 40; ++i) {
    CHECK(m.pod->requests.scalars[i].name == "a.com/r" + std::to_string(10 + i));
    CHECK(m.pod->requests.scalars[i].value == 2);
  }
}

TEST_CASE("host ports, claims and affinity flags") {
  Maker m;
  Container sidecar = m.container("s", "", true), init = m.container("i", ""), c = sidecar;
  const ContainerPort ports[] = {{80, 8080, "", ""}, {81, 0, "", ""}, {82, 53, "10.0.0.1", "UDP"}};
  const ContainerPort sidecar_port[] = {{1, 1, "::1", "SCTP"}};
  sidecar.ports = sidecar_port;
  init.ports = c.ports = ports;
  m.inits({init, sidecar});
  m.containers({c});
  Volume claim, ephemeral, other;
  claim.kind = VolumeKind::kPersistentVolumeClaim;
  claim.id = "data";
  ephemeral.kind = VolumeKind::kEphemeral;
  m.set(m.pod->spec.volumes, {other, claim, ephemeral, claim});
  derive_pod(*m.pod);
  REQUIRE(m.pod->host_ports.size() == 3);
  CHECK(m.pod->host_ports[0].ip == "::1");
  CHECK(m.pod->host_ports[0].protocol == "SCTP");
  CHECK(m.pod->host_ports[1].ip == "0.0.0.0");
  CHECK(m.pod->host_ports[1].protocol == "TCP");
  CHECK(m.pod->host_ports[1].port == 8080);
  CHECK(m.pod->host_ports[2].ip == "10.0.0.1");
  CHECK(m.pod->host_ports[2].protocol == "UDP");
  REQUIRE(m.pod->claim_names.size() == 2);  // each volume counts as a use
  CHECK(m.pod->claim_names[0] == "data");
  CHECK_FALSE(m.pod->has_pod_affinity);

  m.pod->spec.affinity_present = true;
  m.pod->spec.pod_anti_affinity.present = true;
  derive_pod(*m.pod);
  CHECK(m.pod->has_pod_affinity);
  CHECK_FALSE(m.pod->has_required_anti_affinity);
  m.set(m.pod->spec.pod_anti_affinity.required, {PodAffinityTerm{}});
  derive_pod(*m.pod);
  CHECK(m.pod->has_required_anti_affinity);
}

std::string shown(const Pod& pod) {
  std::string out = shown(pod.occupied) + " / " + std::to_string(pod.occupied_nonzero.milli_cpu) +
                    " " + std::to_string(pod.occupied_nonzero.memory);
  for (const HostPort& p : pod.host_ports) out += " :" + std::to_string(p.port);
  return out;
}

TEST_CASE("accounting: what makes no difference is not copied") {
  Maker m;
  m.containers({m.container("a", "cpu=1 memory=10"), m.container("b", "cpu=100m memory=1")});
  derive_pod(*m.pod);
  const PodAccounting none{false, false, false, false, false};
  CHECK(accounted(m.pod, none).get() == m.pod.get());
  CHECK(&*AccountedPod(*m.pod, none) == m.pod.get());

  Maker sidecar;
  sidecar.inits({sidecar.container("s", "cpu=1", true)});
  derive_pod(*sidecar.pod);
  CHECK(accounted(sidecar.pod, {}).get() == sidecar.pod.get());
  const PodRef copy = accounted(sidecar.pod, none);
  CHECK(copy.get() != sidecar.pod.get());
  CHECK(copy->accounted_otherwise);
  // And back.
  const PodRef back = accounted(copy, {});
  CHECK_FALSE(back->accounted_otherwise);
  CHECK(shown(*back) == shown(*sidecar.pod));
}

TEST_CASE("accounting: pod-level requests, and resizes") {
  Maker m;
  m.containers({m.container("a", "cpu=1 memory=10")});
  m.pod_level("cpu=3");
  m.statuses({m.status("a", "cpu=2 memory=10", "cpu=1 memory=30")});
  m.pod->status.has_resources = true;
  m.pod->status.pod_requests = m.list("cpu=4");
  derive_pod(*m.pod);
  const auto as = [&](const PodAccounting& how) {
    const PodRef pod = accounted(m.pod, how);
    return std::to_string(pod->occupied.milli_cpu) + " " + std::to_string(pod->occupied.memory) +
           ", " + std::to_string(pod->requests.milli_cpu) + " " +
           std::to_string(pod->requests.memory);
  };
  CHECK(as({}) == "4000 30, 3000 10");
  CHECK(as({.pod_level = false}) == "2000 30, 1000 10");
  CHECK(as({.resizes = false}) == "3000 10, 3000 10");
  CHECK(as({.pod_level_resizes = false}) == "3000 30, 3000 10");
  CHECK(as({.pod_level = false, .resizes = false}) == "1000 10, 1000 10");
}

TEST_CASE("accounting: resizes by pod or by container") {
  for (const size_t others : {0, 20}) {
    Maker m;
    m.containers({m.container("a", "cpu=1"), m.container("b", "cpu=3")});
    // Of several statuses the first counts, however many there are.
    std::vector<ContainerStatus> all = {m.status("a", "cpu=3", "cpu=3 memory=7"),
                                        m.status("b", "cpu=1", ""), m.status("b", "cpu=9", "")};
    for (size_t i = 0; i < others; ++i) all.push_back(m.status("gone", "cpu=9", "cpu=9"));
    m.pod->status.containers = m.pod->arena.copy(all);
    derive_pod(*m.pod);
    CHECK(m.pod->occupied.milli_cpu == 6000);  // allocated: 3 of a, and of b what it asks for
    CHECK(m.pod->occupied.memory == 7);
    CHECK(m.pod->occupied_nonzero.milli_cpu == 6000);
    CHECK(m.pod->requests.milli_cpu == 4000);
    const PodRef by_container = accounted(m.pod, kByContainer);
    CHECK(by_container->occupied.milli_cpu == 12000);
    CHECK(shown(*accounted(by_container, {})) == shown(*m.pod));
  }
  Maker same;
  same.containers({same.container("a", "cpu=1")});
  same.statuses({same.status("a", "cpu=1", "cpu=1")});
  derive_pod(*same.pod);
  CHECK(accounted(same.pod, kByContainer).get() == same.pod.get());
}

TEST_CASE("accounting: what devices take of the node") {
  const auto occupied = [](const std::string& set, const PodAccounting& how) {
    Maker m;
    m.containers({m.container("a", "cpu=1")});
    if (!set.empty()) m.statuses({m.status("a", set, "cpu=1")});
    const AllocatableClaim claim{"c", m.list("cpu=2"), m.list("cpu=3")};
    m.pod->status.allocatable_claims = m.pod->arena.copy(std::vector<AllocatableClaim>{claim});
    derive_pod(*m.pod);
    const PodRef pod = accounted(m.pod, how);
    CHECK(pod->requests.milli_cpu == 1000);
    CHECK(accounted(pod, {})->occupied.milli_cpu == m.pod->occupied.milli_cpu);
    return pod->occupied.milli_cpu;
  };
  CHECK(occupied("", {}) == 1000);
  CHECK(occupied("", {.allocatable = AllocatableClaims::kResources}) == 3000);
  const PodAccounting mapped{.resizes_by_pod = true, .allocatable = AllocatableClaims::kMapped};
  CHECK(occupied("", mapped) == 4000);
  // Of a resize, what is set includes the devices, and what is allocated does not.
  CHECK(occupied("cpu=3", mapped) == 4000);
  CHECK(occupied("cpu=5", mapped) == 5000);
  const PodAccounting by_container{.resizes_by_pod = false,
                                   .allocatable = AllocatableClaims::kResources};
  CHECK(occupied("cpu=3", by_container) == 5000);
}

TEST_CASE("accounting: ports of sidecars") {
  Maker m;
  const auto with_port = [&](Container c, int32_t port) {
    const ContainerPort ports[] = {{0, port, "", ""}};
    c.ports = m.pod->arena.copy(ports, 1);
    return c;
  };
  m.containers({with_port(m.container("a", ""), 80)});
  m.inits({with_port(m.container("i", ""), 81), with_port(m.container("s", "", true), 82)});
  derive_pod(*m.pod);
  const auto ports = [](const PodRef& pod) {
    std::string out;
    for (const HostPort& p : pod->host_ports) out += std::to_string(p.port) + " ";
    return out;
  };
  CHECK(ports(m.pod) == "82 80 ");
  CHECK(ports(accounted(m.pod, {.sidecar_ports = false})) == "80 ");
}

TEST_CASE("accounting: defaults of whole lists, and each amount rounded by itself") {
  const int64_t mi = int64_t{1} << 20;
  const auto non_zero = [](Maker& m) {
    derive_pod(*m.pod);
    const NonZero now = m.pod->occupied_nonzero;
    const NonZero then = accounted(m.pod, {.sidecar_defaults = false})->occupied_nonzero;
    return std::vector<int64_t>{now.milli_cpu, now.memory, then.milli_cpu, then.memory};
  };
  {
    // Two containers of 0.1m are 1m together, or 1m each.
    Maker m;
    m.containers({m.container("a", "cpu=100u memory=1"), m.container("b", "cpu=100u memory=1")});
    CHECK(non_zero(m) == std::vector<int64_t>{1, 2, 2, 2});
  }
  {
    // A sidecar adds to the containers, or only to the init containers after it.
    Maker m;
    m.containers({m.container("a", "cpu=1 memory=10Mi")});
    m.inits({m.container("s", "cpu=500m memory=5Mi", true)});
    CHECK(non_zero(m) == std::vector<int64_t>{1500, 15 * mi, 1000, 10 * mi});
  }
  {
    // An init container has the default beside the sidecar's request, or in place of none.
    Maker m;
    m.containers({m.container("a", "cpu=1m memory=1Mi")});
    m.inits({m.container("s", "cpu=300m", true), m.container("i", "")});
    m.pod->spec.overhead = m.list("cpu=1m memory=1Mi");
    CHECK(non_zero(m) == std::vector<int64_t>{401, 401 * mi, 301, 201 * mi});
  }
}

}  // namespace libsched::pod_requests_test
