// What allocators of other releases do otherwise, each beside 1.36.
#include "libsched/plugins/dynamicresources/allocator_test.hpp"

namespace libsched::allocator_releases_test {

using namespace allocator_test;

DeviceFeatures with(std::initializer_list<bool Behaviours::*> behaviours) {
  DeviceFeatures out;
  for (bool Behaviours::* b : behaviours) out.behaviours.*b = true;
  return out;
}
DeviceFeatures of(Release release) {
  DeviceFeatures out;
  out.behaviours = behaviours_of(release);
  return out;
}
// "1.36's / the other's".
std::string both(const std::string& world, const DeviceFeatures& other, Str node = "w") {
  return World(world).picks(node) + " / " + World(world, other).picks(node);
}

TEST_CASE("distinctAttribute tells the devices of one request apart") {
  const auto device = [](const std::string& name, int value) {
    return "{name: " + name + ", attributes: {g: {int: " + std::to_string(value) + "}}}";
  };
  const DeviceFeatures in_request = with({&Behaviours::distinct_in_request});
  const std::string devices = kClass + slice("s", device("x", 1) + "," + device("v", 2) + "," +
                                                      device("z", 1) + "," + device("t", 3));
  const std::string distinct = ", constraints: [{distinctAttribute: d/g}]";
  CHECK(both(devices + claim("k", count("r", 3), distinct), in_request) ==
        "r=x r=v r=z / r=x r=v r=t");
  CHECK(both(devices + claim("k", count("r", 4), distinct), in_request) ==
        "r=x r=v r=z r=t / impossible");
  CHECK(both(devices + claim("k", count("r", 2) + "," + ask("s"), distinct), in_request) ==
        "r=x r=v s=z / r=x r=v s=t");
}

const std::string kHalves = "{name: x, " + std::string("consumesCounters: [{counterSet: g, ") +
                            "counters: {m: {value: 6}}}]}";
std::string sets(const std::string& more, int slices = 2, const std::string& name = "sets") {
  return slice(name, "", more + "sharedCounters: [{name: g, counters: {m: {value: 10}}}]", "p",
               slices);
}
std::string of_driver(std::string slices, const std::string& driver) {
  for (size_t at = 0; (at = slices.find("driver: d,", at)) != std::string::npos;)
    slices.replace(at, 9, "driver: " + driver);
  return slices;
}

TEST_CASE("counters belong to the pools of one driver") {
  const std::string pool = sets("nodeName: w, ") + slice("s", kHalves, "nodeName: w", "p", 2);
  std::string other = of_driver(pool, "e");
  for (const char* name : {"{name: sets}", "{name: s}"})
    other.replace(other.find(name), 7, "{name: e");
  const std::string world = kClass + pool + other;
  const DeviceFeatures by_driver = with({&Behaviours::counters_by_driver});
  CHECK(both(world + claim("k", count("r", 2)), by_driver) == "impossible / r=x r=x");
}

TEST_CASE("a share without capacities keeps its counters") {
  const std::string world =
      kClass + sets("nodeName: w, ") +
      slice("s",
            "{name: x, allowMultipleAllocations: true, consumesCounters: [{counterSet: g, "
            "counters: {m: {value: 10}}}]}",
            "nodeName: w", "p", 2) +
      allocated("x", ", shareID: a") + claim("k", ask("r"));
  CHECK(both(world, with({&Behaviours::shares_keep_counters})) == "impossible / r=x");
}

std::string shared_device(const std::string& name, const std::string& capacity) {
  return "{name: " + name + ", allowMultipleAllocations: true, capacity: {m: {value: " + capacity +
         "}}}";
}

TEST_CASE("a request for all devices needs what each of them has left") {
  const DeviceFeatures all = with({&Behaviours::all_needs_capacity});
  const std::string four =
      claim("k",
            "{name: r, exactly: {deviceClassName: c, allocationMode: All, capacity: {requests: {m: "
            "4}}}}");
  const std::string two =
      kClass + slice("s", shared_device("x", "10") + "," + shared_device("v", "10"));
  CHECK(both(two + four, all) == "r=x r=v / r=x r=v");
  CHECK(both(two + allocated("x", ", shareID: a, consumedCapacity: {m: 8}") + four, all) ==
        "r=v / impossible");
  CHECK(both(kClass + slice("s", shared_device("x", "3") + "," + shared_device("v", "10")) + four,
             all) == "r=v / r=v");
}

std::string consumed(const std::string& policy, const std::string& requested,
                     const DeviceFeatures& features) {
  const std::string world =
      kClass + slice("s", shared_device("x", "100E, requestPolicy: {" + policy + "}")) +
      claim("k", ask("r", requested.empty() ? "" : "capacity: {requests: {m: " + requested + "}}"));
  if (const std::string picks = World(world, features).picks(); picks != "r=x") return picks;
  const std::string text = World(world, features).document();
  const size_t at = text.find("\"consumedCapacity\":{\"m\":\"") + 25;
  return text.substr(at, text.find('"', at) - at);
}

TEST_CASE("what is taken of a range is written as the step is, and must be representable") {
  const DeviceFeatures before, exact = with({&Behaviours::exact_capacity});
  DeviceFeatures fractional = exact;
  fractional.fractional_ranges = true;
  const auto of = [&](const std::string& policy, const std::string& requested) {
    return consumed(policy, requested, before) + " / " + consumed(policy, requested, exact) +
           " / " + consumed(policy, requested, fractional);
  };
  CHECK(of("validRange: {min: 1k, step: 1k}", "1500") == "2000 / 2k / 2k");
  CHECK(of("validRange: {min: 1Gi, step: 1Gi}", "1500Mi") == "2Gi / 2Gi / 2Gi");
  CHECK(of("validRange: {min: '1e3', step: '1e3'}", "1500") == "2000 / 2e3 / 2e3");
  CHECK(of("validRange: {min: 1E, step: 1E}", "1500P") == "1953125000000000Ki / 2E / 2E");
  CHECK(of("validRange: {min: 500m, step: 500m}", "1500m") == "2 / 2 / 1500m");
  CHECK(of("validRange: {min: 500m, max: 8, step: 500m}", "1600m") == "2 / 2 / 2");
  const std::string k =
      "error: claim a/k, request r: checking capacity for device d/p/x: capacity "
      "\"m\": ";
  const std::string cannot =
      k + "capacity request cannot be represented in the device's range arithmetic: ";
  CHECK(of("validRange: {min: 1, step: 3}", "20E") ==
        "4 / " + cannot + "request 20E exceeds MaxInt64 / " + cannot +
            "request 20E is not a representable milli value");
  CHECK(consumed("validRange: {min: 0, step: 9223372036854775806}", "9223372036854775807", exact) ==
        cannot + "rounding request 9223372036854775807 up to the next step passes MaxInt64");
  CHECK(consumed("validRange: {min: 0, step: 9223372036854775}", "9223372036854775500m",
                 fractional) == cannot +
                                    "rounding request 9223372036854775500m up to the next step "
                                    "passes the milli-value range");
  CHECK(of("default: -1", "") ==
        "-1 / " + k + "capacity value is negative / " + k + "capacity value is negative");
  // A request for all devices names them shortly.
  const std::string all = kClass +
                          slice("s", shared_device("x", "10, requestPolicy: {default: -1}")) +
                          claim("k", kAll);
  CHECK(both(all, exact) ==
        "r=x / error: claim a/k, request r: checking capacity for device x: capacity \"m\": "
        "capacity value is negative");
  // A device that lacks a requested capacity is passed over before that.
  CHECK(both(kClass + slice("s", shared_device("x", "10, requestPolicy: {default: -1}")) +
                 claim("k", ask("r", "capacity: {requests: {o: 1}}")),
             exact) == "impossible / impossible");
}

TEST_CASE("the request that takes a claim over the limit is named") {
  const DeviceFeatures by_request = with({&Behaviours::limit_by_request});
  const std::string one = kClass + slice("s", "{name: x}");
  CHECK(both(one + claim("k", count("r", 20) + "," + count("s", 20)), by_request) ==
        "error: claim a/k: number of requested devices 40 exceeds the claim limit of 32 / error: "
        "claim a/k, request s: adding 20 devices exceeds the claim limit of 32, with 20 already "
        "accounted for");
  // It comes before an error of a later request.
  CHECK(World(one + claim("k", count("r", 40) + "," + ask("s", "selectors: [{}]")), by_request)
            .picks()
            .ends_with("request r: adding 40 devices exceeds the claim limit of 32, with 0 already "
                       "accounted for"));
}

TEST_CASE("a selector that fails names the device, and says what to do about missing keys") {
  const DeviceFeatures named = with({&Behaviours::device_in_selector_error});
  const std::string one = kClass + slice("s", "{name: x}");
  const std::string of = "error: claim a/k: selector #0";
  CHECK(both(one + claim("k", ask("r", select("error"))), named) ==
        of + ": CEL runtime error: it fails / " + of +
            " on device d/p/x: CEL runtime error: it fails");
  CHECK(both(one + claim("k", ask("r", select("missing"))), named) ==
        of + ": CEL runtime error: no such key: x / " + of +
            " on device d/p/x: CEL runtime error: no such key: x. consider using CEL optional "
            "chaining (.? followed by orValue()) or guarding the check with has() for optional "
            "fields");
  CHECK(World(one + claim("k", ask("r", select("broken"))), named).picks() ==
        of + ": CEL compile error: no expression");
}

TEST_CASE("a configuration is taken over once") {
  const auto configurations = [](const DeviceFeatures& features) {
    const auto opaque = [](const std::string& requests, const std::string& driver) {
      return "{requests: [" + requests + "], opaque: {driver: " + driver + "}}";
    };
    std::string text =
        World(
            "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: "
            "{config: [{opaque: {driver: c}}]}\n" +
                slice("s", "{name: x}, {name: v}") +
                claim("k",
                      ask("r") + ", {name: l, firstAvailable: [{name: a, deviceClassName: c, "
                                 "allocationMode: ExactCount, count: 1}]}",
                      ", config: [" + opaque("r, l", "e") + "," + opaque("l/a, r", "f") + "," +
                          opaque("r", "g") + "," + opaque("l/b", "h") + "]"),
            features)
            .document();
    text = text.substr(text.find("\"config\""));
    return text.substr(0, text.find("]}]}") + 3);
  };
  const auto one = [](const std::string& source, const std::string& requests,
                      const std::string& driver) {
    return R"({"source":"From)" + source + "\"," +
           (requests.empty() ? "" : "\"requests\":[" + requests + "],") +
           R"("opaque":{"driver":")" + driver + "\"}}";
  };
  const std::string e = one("Claim", R"("r","l")", "e"), f = one("Claim", R"("l/a","r")", "f");
  CHECK(configurations({}).starts_with("\"config\":[" + one("Class", R"("r","l/a")", "c") + "," +
                                       e + "," + e + "," + f + "," + f + "," +
                                       one("Claim", R"("r")", "g") + "]"));
  CHECK(configurations(with({&Behaviours::configures_once}))
            .starts_with("\"config\":[" + one("Class", "", "c") + "," + one("Claim", "", "e") +
                         "," + one("Claim", "", "f") + "," + one("Claim", R"("r")", "g") + "]"));
}

TEST_CASE("slices with counters belong to the nodes that they select") {
  const DeviceFeatures by_node = with({&Behaviours::counters_have_nodes});
  const std::string other = slice("o", "{name: o}", "nodeName: m", "q");
  // Of a pool that is being updated, only nodes with devices of it know.
  const std::string updated =
      kClass + other + sets("nodeName: w, ", 3) + slice("s", kHalves, "nodeName: w", "p", 3);
  CHECK(both(updated + claim("k", kAll), by_node, "m") ==
        "error: claim a/k, request r: asks for all devices, but resource pool d/p is currently "
        "being updated / r=o");
  CHECK(World(updated + claim("k", kAll), by_node).picks().ends_with("is currently being updated"));
  // So it is with an invalid pool.
  const std::string invalid = kClass + other + sets("nodeName: w, ", 2) +
                              sets("nodeName: w, ", 2, "again") + claim("k", count("r", 2));
  CHECK(both(invalid, by_node, "m") == "invalid pools / impossible");
  CHECK(both(invalid, by_node) == "invalid pools / invalid pools");
  // The counters of a node's devices may stand in a slice of another node.
  const std::string elsewhere = kClass + sets("nodeName: m, ") +
                                slice("s",
                                      kHalves +
                                          ", {name: v, consumesCounters: [{counterSet: "
                                          "g, counters: {m: {value: 6}}}]}",
                                      "nodeName: w", "p", 2);
  CHECK(both(elsewhere + claim("k", ask("r")), by_node) == "r=x / r=x");
  CHECK(both(elsewhere + claim("k", count("r", 2)), by_node) == "impossible / impossible");
  CHECK(both(elsewhere + allocated("v") + claim("k", ask("r")), by_node) ==
        "impossible / impossible");
  // Without DRAPartitionableDevices such slices are not there, but in 1.34.
  DeviceFeatures whole = by_node;
  whole.partitionable = false;
  const std::string half = kClass + other + sets("nodeName: w, ", 2) + claim("k", kAll);
  CHECK(World(half, whole).picks() == "impossible");
  whole.behaviours.incomplete_pools = true;
  CHECK(World(half, whole).picks().ends_with("is currently being updated"));
  // The stable allocator has not changed.
  DeviceFeatures stable = by_node;
  stable.binding_conditions = stable.consumable_capacity = false;
  CHECK(World(invalid, stable).picks("m") == "invalid pools");
}

TEST_CASE("slices whose devices have compatibility groups are not there") {
  const DeviceFeatures hiding = with({&Behaviours::hides_compatibility_groups});
  const auto pool = [](const std::string& name, int slices) {
    return kClass + slice("s",
                          "{name: x, consumesCounters: [{counterSet: g, counters: {m: {value: 6}}, "
                          "compatibilityGroups: [one]}]}",
                          "nodeName: w", name, slices);
  };
  const std::string grouped =
      pool("p", 3) + sets("nodeName: w, ", 3) + slice("t", "{name: v}", "nodeName: w", "p", 3);
  CHECK(both(grouped + claim("k", ask("r")), hiding) == "r=x / impossible");
  CHECK(World(grouped + claim("k", kAll), hiding)
            .picks()
            .ends_with("resource pool d/p is currently being updated"));
}

std::string alternative(const std::string& name, const std::string& more) {
  return "{name: " + name + ", deviceClassName: c, " + more + "}";
}
std::string exactly(int n) { return "allocationMode: ExactCount, count: " + std::to_string(n); }
std::string list_of(const std::string& alternatives) {
  return claim("k", "{name: l, firstAvailable: [" + alternatives + "]}");
}

TEST_CASE("an alternative for all devices goes on as the first one") {
  const DeviceFeatures confused = with({&Behaviours::confuses_alternatives});
  const std::string three =
      kClass + slice("s", having("x", "big") + "," + having("v", "small") + "," + "{name: z}");
  const std::string all = "allocationMode: All";
  CHECK(both(three + list_of(alternative("a", exactly(4)) + "," + alternative("b", all)),
             confused) == "l/b=x l/b=v l/b=z / impossible");
  CHECK(both(three + list_of(alternative("a", exactly(3) + ", " + select("big")) + "," +
                             alternative("b", all)),
             confused) == "l/b=x l/b=v l/b=z / impossible");
  CHECK(both(three + list_of(alternative("a", all) + "," + alternative("b", exactly(1))),
             confused) == "l/a=x l/a=v l/a=z / l/a=x l/a=v l/a=z");
  CHECK(both(three + list_of(alternative("a", exactly(2) + ", " + select("small")) + "," +
                             alternative("b", all + ", " + select("big"))),
             confused) == "l/b=x / l/b=x l/a=v");
  // Selectors of the one do not choose for the other.
  CHECK(both(three + list_of(alternative("a", exactly(1) + ", " + select("big")) + "," +
                             alternative("b", all + ", " + select("small"))),
             confused) == "l/a=x / l/a=x");
}

TEST_CASE("1.34: incomplete pools give devices, and invalid ones are an error") {
  const DeviceFeatures old = with({&Behaviours::incomplete_pools});
  const std::string k = kClass + claim("k", ask("r"));
  const std::string half = slice("s", "{name: x}", "nodeName: w", "p", 2);
  CHECK(both(k + half, old) == "impossible / r=x");
  CHECK(both(kClass + half + claim("k", kAll), old) ==
        "error: claim a/k, request r: asks for all devices, but resource pool d/p is currently "
        "being updated / error: claim a/k, request r: asks for all devices, but resource pool d/p "
        "is currently being updated");
  // A newer generation elsewhere does not matter.
  CHECK(both(k + half + slice("new", "{name: v}", "nodeName: m", "p", 1, 2), old) ==
        "impossible / r=x");
  const std::string twice = slice("s", "{name: x}, {name: x}");
  CHECK(both(k + twice, old) ==
        "invalid pools / error: pool p is invalid: duplicate device name x");
  CHECK(both(k + twice + slice("t", "{name: v}", "nodeName: w", "o"), old) == "r=v / r=v");
}

TEST_CASE("1.34: the allocator that knows the status of devices") {
  DeviceFeatures old = of(Release::k1_34);
  old.partitionable = old.taints = old.binding_conditions = old.consumable_capacity = false;
  DeviceFeatures without_status = old;
  old.experimental_allocator = true;
  const std::string x = kClass + slice("s", "{name: x, bindsToNode: true}", "allNodes: true");
  const std::string distinct = claim("k", ask("r"), ", constraints: [{distinctAttribute: d/a}]");
  CHECK(World(x + distinct, old).picks() == "impossible");
  CHECK(World(x + distinct, without_status).picks().ends_with("(unsupported constraint type?)"));
  CHECK(World(x + claim("k", ask("r")), old).document().find("nodeSelector") != std::string::npos);
  const std::string capacity = "capacity: {requests: {m: 1}}";
  const std::string refused =
      ": has capacity requests, but the DRAConsumableCapacity feature is disabled";
  CHECK(World(x + claim("k", ask("r", capacity)), old).picks() ==
        "error: claim a/k, request r" + refused);
  CHECK(World(x + list_of(alternative("a", exactly(1) + ", " + capacity)), old).picks() ==
        "error: claim a/k, request l" + refused);
  // Every order of devices is tried.
  CHECK(both(kClass +
                 slice("s",
                       "{name: x, attributes: {a: {int: 1}}}, {name: v, attributes: {a: {int: 1, "
                       "string: t}}}") +
                 claim("k", count("r", 2), ", constraints: [{matchAttribute: d/a}]"),
             old) == "impossible / r=v r=x");
  // What a request tolerates is not repeated.
  const std::string tolerating = x + claim("k", ask("r", "tolerations: [{operator: Exists}]"));
  CHECK(World(tolerating).document().find("tolerations") != std::string::npos);
  CHECK(World(tolerating, old).document().find("tolerations") == std::string::npos);
}

}  // namespace libsched::allocator_releases_test
