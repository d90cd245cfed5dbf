// The allocator on slices and claims as documents: order, backtracking, modes, taints, counters,
// capacities, constraints, limits and what becomes of it.
#include "libsched/plugins/dynamicresources/allocator_test.hpp"

namespace libsched::allocator_test {

TEST_CASE("devices are tried by pool, slice and position, and go to one request each") {
  const std::string devices = slice("s2", "{name: x}, {name: w}", "nodeName: w", "p", 2) +
                              slice("s1", "{name: z}", "nodeName: w", "p", 2) +
                              slice("s0", "{name: a}", "nodeName: w", "q") +
                              slice("other", "{name: o}", "nodeName: m", "r");
  CHECK(World(kClass + devices + claim("k", ask("r"))).picks() == "r=z");
  CHECK(World(kClass + devices + claim("k", count("r", 4))).picks() == "r=z r=x r=w r=a");
  CHECK(World(kClass + devices + claim("k", count("r", 5))).picks() == "impossible");
  CHECK(World(kClass + devices + claim("k", count("r", 2) + "," + ask("s")) + claim("l", ask("t")))
            .picks() == "r=z r=x s=w | t=a");
  CHECK(World(kClass + devices + allocated("z") + claim("k", ask("r"))).picks() == "r=x");
  CHECK(World(kClass + devices + claim("k", ask("r"))).picks("m") == "r=o");
  CHECK(World(kClass + devices + claim("k", ask("r"))).picks("other") == "impossible");
}

TEST_CASE("a later request makes an earlier one take another device") {
  const std::string devices = slice("s", having("x", "big") + "," + "{name: v}");
  World w(kClass + devices + claim("k", ask("r") + "," + ask("s", select("big"))));
  CHECK(w.picks() == "r=v s=x");
  const size_t evaluations = w.evaluations;
  CHECK(w.picks() == "r=v s=x");
  CHECK(w.evaluations == evaluations);  // answers are remembered
}

TEST_CASE("errors of selectors matter only where a device is reached") {
  const std::string devices = slice("s", "{name: x}, {name: v}");
  CHECK(World(kClass + devices + claim("k", ask("r", select("error")))).picks() ==
        "error: claim a/k: selector #0: CEL runtime error: it fails");
  CHECK(World(kClass + devices + claim("k", ask("r", select("broken")))).picks() ==
        "error: claim a/k: selector #0: CEL compile error: no expression");
  CHECK(World(kClass + devices + allocated("x") + allocated("v") +
              claim("k", ask("r", select("error"))))
            .picks() == "impossible");
  CHECK(World(devices + claim("k", ask("r"))).picks() ==
        "error: claim a/k, request r: could not retrieve device class c: "
        "deviceclass.resource.k8s.io \"c\" not found");
  CHECK(World(kClass + devices + claim("k", "{name: r, exactly: {deviceClassName: c}}")).picks() ==
        "error: claim a/k, request r: unsupported count mode ");
  CHECK(World(kClass + devices + claim("k", ask("r", "selectors: [{}]"))).picks() ==
        "error: claim a/k, request r, selector #0: CEL expression empty (unsupported selector "
        "type?)");
}

TEST_CASE("pools: generations, incomplete and invalid ones") {
  const std::string k = kClass + claim("k", ask("r"));
  CHECK(World(k + slice("old", "{name: x}") + slice("new", "{name: v}", "nodeName: w", "p", 1, 2))
            .picks() == "r=v");
  CHECK(World(k + slice("old", "{name: x}", "nodeName: w", "p", 2) +
              slice("new", "{name: v}", "nodeName: m", "p", 1, 2))
            .picks() == "impossible");
  const std::string half = slice("s", "{name: x}", "nodeName: w", "p", 2);
  CHECK(World(k + half).picks() == "impossible");
  CHECK(World(k + half + slice("t", "{name: v}", "nodeName: m", "p", 2)).picks() == "r=x");
  CHECK(World(kClass + half + claim("k", kAll)).picks() ==
        "error: claim a/k, request r: asks for all devices, but resource pool d/p is currently "
        "being updated");
  const std::string twice = slice("s", "{name: x}, {name: x}");
  CHECK(World(k + twice).picks() == "invalid pools");
  CHECK(World(k + twice + slice("t", "{name: v}", "allNodes: true", "q")).picks() == "r=v");
  CHECK(World(k + slice("s", "{name: x, nodeName: m}, {name: v, allNodes: true}",
                        "perDeviceNodeSelection: true"))
            .picks() == "r=v");
  CHECK(World(k + slice("s", "{name: x}",
                        "nodeSelector: {nodeSelectorTerms: [{matchExpressions: "
                        "[{key: k, operator: Bad}]}]}"))
            .picks()
            .starts_with(
                "error: gather pool information: failed to perform node selection for "
                "slice s: failed to parse node selector &NodeSelector{NodeSelectorTerms:[]"
                "NodeSelectorTerm{NodeSelectorTerm{MatchExpressions:[]NodeSelectorRequirement"
                "{NodeSelectorRequirement{Key:k,Operator:Bad,Values:[],},},MatchFields:[]"
                "NodeSelectorRequirement{},},},}: "));
  // Devices with binding conditions come last.
  CHECK(World(k + slice("s", "{name: x, bindingConditions: [b]}") +
              slice("t", "{name: v}", "nodeName: w", "q"))
            .picks() == "r=v");
}

TEST_CASE("all devices, in use or not") {
  const std::string two = kClass + slice("s", having("x", "big") + ", {name: v}");
  CHECK(World(two + claim("k", kAll)).picks() == "r=x r=v");
  CHECK(World(two + claim("k", kAll) + allocated("v")).picks() == "impossible");
  CHECK(World(two + claim("k", kAll, ", constraints: [{matchAttribute: d/big}]")).picks() ==
        "error: claim a/k, request r: cannot add device d/p/v because a claim constraint would "
        "not be satisfied");
  CHECK(World(kClass + claim("k", kAll)).picks() == "impossible");
}

TEST_CASE("prioritised lists: the first alternative with which everything works") {
  const auto list = [](const std::string& name, int a, int b) {
    const auto one = [](const char* n, int c) {
      return "{name: " + std::string(n) +
             ", deviceClassName: c, allocationMode: ExactCount, count: " + std::to_string(c) + "}";
    };
    return "{name: " + name + ", firstAvailable: [" + one("a", a) + ", " + one("b", b) + "]}";
  };
  const std::string three = kClass + slice("s", "{name: x}, {name: v}, {name: z}");
  CHECK(World(three + claim("k", list("l", 3, 1))).picks() == "l/a=x l/a=v l/a=z");
  CHECK(World(three + claim("k", list("l", 3, 1) + "," + ask("r"))).picks() == "l/b=x r=v");
  CHECK(World(three + claim("k", list("l", 4, 4))).picks() == "impossible");
  CHECK(World(three + claim("k", list("l", 33, 2))).picks() == "l/b=x l/b=v");
  CHECK(World(three + claim("k", list("l", 33, 34))).picks() ==
        "error: claim a/k: number of requested devices 33 exceeds the claim limit of 32");
  DeviceFeatures without;
  without.prioritized_list = false;
  CHECK(World(three + claim("k", list("l", 1, 1)), without).picks() ==
        "error: claim a/k, request l: has subrequests, but the DRAPrioritizedList feature is "
        "disabled");
}

TEST_CASE("admin access takes devices in use, each once for a claim") {
  const std::string admin = ask("r", "adminAccess: true"), more = ask("s", "adminAccess: true");
  const std::string two = kClass + slice("s", "{name: x}, {name: v}") + allocated("x");
  CHECK(World(two + claim("k", admin + "," + more)).picks() == "r=x s=v");
  CHECK(World(two + claim("k", admin) + claim("l", more)).picks() == "r=x | s=x");
  CHECK(
      World(kClass + slice("s", "{name: x}") + claim("k", admin) + claim("l", ask("s"))).picks() ==
      "impossible");
  CHECK(World(two + allocated("v", ", adminAccess: true") + claim("k", ask("r"))).picks() == "r=v");
  CHECK(World(two + claim("k", admin)).document().find("\"adminAccess\":true") !=
        std::string::npos);
}

TEST_CASE("taints, tolerations and rules") {
  const auto tainted = [](const std::string& effect) {
    return kClass +
           slice("s", "{name: x, taints: [{key: k, value: v, effect: " + effect + "}]}, {name: v}");
  };
  CHECK(World(tainted("NoSchedule") + claim("k", ask("r"))).picks() == "r=v");
  CHECK(World(tainted("NoExecute") + claim("k", ask("r"))).picks() == "r=v");
  CHECK(World(tainted("None") + claim("k", ask("r"))).picks() == "r=x");
  const auto tolerating = [&](const std::string& t) {
    return World(tainted("NoSchedule") + claim("k", ask("r", "tolerations: [" + t + "]"))).picks();
  };
  CHECK(tolerating("{operator: Exists}") == "r=x");
  CHECK(tolerating("{key: k, value: v}") == "r=x");
  CHECK(tolerating("{key: k, operator: Equal, value: w}") == "r=v");
  CHECK(tolerating("{key: k, operator: Exists, effect: NoExecute}") == "r=v");
  CHECK(tolerating("{key: k, operator: Other}") == "r=v");
  const auto rule = [](const std::string& selector) {
    return "---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: t}\n"
           "spec: {" +
           selector + "taint: {key: k, effect: NoExecute}}\n";
  };
  const std::string two = kClass + slice("s", "{name: x}, {name: v}") + claim("k", ask("r"));
  CHECK(World(two + rule("deviceSelector: {driver: d, pool: p, device: x}, ")).picks() == "r=v");
  CHECK(World(two + rule("deviceSelector: {driver: e}, ")).picks() == "r=x");
  CHECK(World(two + rule("")).picks() == "impossible");
}

TEST_CASE("constraints") {
  const auto three = [](const std::string& a, const std::string& b, const std::string& c) {
    const auto device = [](const std::string& name, const std::string& value) {
      return "{name: " + name + (value.empty() ? "" : ", attributes: {g: {" + value + "}}") + "}";
    };
    return kClass + slice("s", device("x", a) + "," + device("v", b) + "," + device("z", c));
  };
  const std::string match = ", constraints: [{matchAttribute: d/g}]";
  const std::string distinct = ", constraints: [{distinctAttribute: d/g}]";
  CHECK(World(three("int: 1", "int: 2", "int: 1") + claim("k", count("r", 2), match)).picks() ==
        "r=x r=z");
  CHECK(World(three("int: 1", "string: a", "") + claim("k", count("r", 2), match)).picks() ==
        "impossible");
  CHECK(World(three("ints: [1]", "ints: [1]", "") + claim("k", count("r", 2), match)).picks() ==
        "impossible");
  CHECK(World(three("int: 1", "int: 1", "int: 2") + claim("k", count("r", 2), distinct)).picks() ==
        "r=x r=z");
  // Of each request only its last value is remembered.
  CHECK(World(three("int: 1", "int: 2", "int: 1") + claim("k", count("r", 3), distinct)).picks() ==
        "r=x r=v r=z");
  CHECK(World(three("int: 1", "int: 2", "int: 2") +
              claim("k", ask("r") + "," + ask("s"),
                    ", constraints: [{requests: [s], matchAttribute: d/other}]"))
            .picks() == "impossible");
  CHECK(World(three("int: 1", "int: 2", "int: 2") + claim("k", ask("r"), ", constraints: [{}]"))
            .picks() ==
        "error: claim a/k, constraint #0: empty constraint (unsupported constraint type?)");
}

TEST_CASE("counters: every one of a pool has to suffice") {
  const std::string pool =
      slice("sets", "", "sharedCounters: [{name: g, counters: {m: {value: 10}, o: {value: 1}}}]",
            "p", 2) +
      slice("s",
            "{name: x, consumesCounters: [{counterSet: g, counters: {m: {value: 6}}}]}, {name: v, "
            "consumesCounters: [{counterSet: g, counters: {m: {value: 5}}}]}, {name: z, "
            "consumesCounters: [{counterSet: g, counters: {m: {value: 5}}}]}, {name: t, "
            "consumesCounters: [{counterSet: g, counters: {o: {value: 2}}}]}",
            "nodeName: w", "p", 2);
  CHECK(World(kClass + pool + claim("k", ask("r"))).picks() == "r=x");
  CHECK(World(kClass + pool + claim("k", count("r", 2))).picks() == "r=v r=z");
  CHECK(World(kClass + pool + claim("k", count("r", 3))).picks() == "impossible");
  CHECK(World(kClass + pool + allocated("v") + claim("k", ask("r"))).picks() == "r=z");
  // Another counter is over-consumed, so no device of the pool is free.
  CHECK(World(kClass + pool + allocated("t") + claim("k", ask("r"))).picks() == "impossible");
  CHECK(World(kClass + claim("k", ask("r")) +
              slice("s", "{name: x, consumesCounters: [{counterSet: other}]}"))
            .picks() == "invalid pools");
}

TEST_CASE("capacities: policies, shares and what they consume") {
  const auto device = [](const std::string& more) {
    return kClass +
           slice("s", "{name: x, allowMultipleAllocations: true, capacity: {m: {value: 10" + more +
                          "}}}");
  };
  const auto wants = [](const std::string& name, const std::string& amount) {
    return ask(name, "capacity: {requests: {m: " + amount + "}}");
  };
  const std::string plain = device("");
  CHECK(World(plain + claim("k", wants("r", "4") + "," + wants("s", "6"))).picks() == "r=x s=x");
  CHECK(World(plain + claim("k", wants("r", "4") + "," + wants("s", "7"))).picks() == "impossible");
  CHECK(World(plain + claim("k", ask("r") + "," + wants("s", "1"))).picks() == "impossible");
  CHECK(World(plain + claim("k", ask("r", "capacity: {requests: {other: 1}}"))).picks() ==
        "impossible");
  const std::string share = allocated("x", ", shareID: a, consumedCapacity: {m: 7}");
  CHECK(World(plain + share + claim("k", wants("r", "3"))).picks() == "r=x");
  CHECK(World(plain + share + claim("k", wants("r", "4"))).picks() == "impossible");
  CHECK(World(plain + allocated("x") + claim("k", wants("r", "1"))).picks() == "impossible");
  const std::string range =
      device(", requestPolicy: {default: 3, validRange: {min: 2, max: 8, step: 2}}");
  const auto consumed = [](const std::string& yaml) {
    const std::string text = World(yaml).document();
    const size_t at = text.find("\"consumedCapacity\":{\"m\":\"");
    return at == std::string::npos ? "none"
                                   : text.substr(at + 25, text.find('"', at + 25) - at - 25);
  };
  CHECK(consumed(range + claim("k", wants("r", "1"))) == "2");
  CHECK(consumed(range + claim("k", wants("r", "5"))) == "6");
  CHECK(consumed(range + claim("k", ask("r"))) == "3");
  CHECK(consumed(plain + claim("k", wants("r", "2500m"))) == "2500m");
  CHECK(World(range + claim("k", wants("r", "9"))).picks() == "impossible");
  const std::string values = device(", requestPolicy: {validValues: [1, 4]}");
  CHECK(consumed(values + claim("k", wants("r", "2"))) == "4");
  CHECK(World(values + claim("k", wants("r", "5"))).picks() == "impossible");
  const std::string zero = device(", requestPolicy: {validRange: {min: 1, step: 0}}");
  CHECK(World(zero + claim("k", wants("r", "5"))).picks() == "impossible");
}

TEST_CASE("what an allocation tells: configurations and the node selector") {
  const std::string classes =
      "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {config: "
      "[{opaque: {driver: d, parameters: {a: 1}}}]}\n";
  const std::string config =
      ", config: [{requests: [r, s], opaque: {driver: e, parameters: {}}}, {opaque: {driver: f}}]";
  World w(classes + slice("s", "{name: x}, {name: v, bindingConditions: [b]}") +
          claim("k", ask("r") + "," + ask("s", "tolerations: [{operator: Exists}]"), config));
  CHECK(
      w.document() ==
      R"("allocation":{"devices":{"results":[{"request":"r","driver":"d","pool":"p","device":"x"},)"
      R"({"request":"s","driver":"d","pool":"p","device":"v","tolerations":[{"operator":"Exists"}],)"
      R"("bindingConditions":["b"]}],"config":[)"
      R"({"source":"FromClass","requests":["r","s"],"opaque":{"driver":"d","parameters":{"a":1}}},)"
      R"({"source":"FromClaim","requests":["r","s"],"opaque":{"driver":"e","parameters":{}}},)"
      R"({"source":"FromClaim","requests":["r","s"],"opaque":{"driver":"e","parameters":{}}},)"
      R"({"source":"FromClaim","opaque":{"driver":"f"}}]},"nodeSelector":{"nodeSelectorTerms":[)"
      R"({"matchFields":[{"key":"metadata.name","operator":"In","values":["w"]}]}]}}}})");
  const auto selector = [&](const std::string& more, const std::string& device = "{name: x}") {
    const std::string text =
        World(kClass + slice("s", device, more) + claim("k", ask("r"))).document();
    const size_t at = text.find("\"nodeSelector\"");
    return at == std::string::npos ? "none" : text.substr(at + 15);
  };
  CHECK(selector("allNodes: true") == "none");
  CHECK(selector("allNodes: true", "{name: x, bindsToNode: true}").find("metadata.name") !=
        std::string::npos);
  CHECK(
      selector("nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: "
               "DoesNotExist}]}]}") ==
      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"DoesNotExist"}]}]}}}})");
  CHECK(World(kClass +
              slice("s", "{name: x}",
                    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: "
                    "DoesNotExist}]}, {matchExpressions: [{key: l, operator: DoesNotExist}]}]}") +
              claim("k", ask("r")))
            .picks() ==
        "error: create NodeSelector for claim k: unsupported ResourceSlice.NodeSelector with 2 "
        "terms");
}

TEST_CASE("a share that is allocated again, from a later version of the claim, is another one") {
  const auto share = [](const std::string& version) {
    const std::string text =
        World(kClass + slice("s", "{name: x, allowMultipleAllocations: true}") +
              "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: k, "
              "namespace: a, resourceVersion: '" +
              version + "'}\nspec: {devices: {requests: [" + ask("r") + "]}}\n")
            .document();
    const size_t at = text.find("\"shareID\":\"");
    REQUIRE(at != std::string::npos);
    return text.substr(at + 11, 36);
  };
  CHECK(share("7") == share("7"));
  CHECK(share("7") != share("8"));
}

TEST_CASE("the stable allocator knows no capacities, distinct attributes or bound devices") {
  DeviceFeatures stable;
  stable.binding_conditions = stable.consumable_capacity = false;
  DeviceFeatures incubating = stable;
  incubating.binding_conditions = true;
  const std::string device = kClass + slice("s", "{name: x, bindsToNode: true}", "allNodes: true");
  const std::string wants = claim("k", ask("r", "capacity: {requests: {m: 1}}"));
  CHECK(World(device + wants, stable).picks() == "r=x");
  CHECK(World(device + wants, incubating).picks() ==
        "error: claim a/k, request r: has capacity requests, but the DRAConsumableCapacity feature "
        "is disabled");
  CHECK(World(device + wants, stable).document().find("nodeSelector") == std::string::npos);
  CHECK(World(device + claim("k", ask("r")), incubating).document().find("nodeSelector") !=
        std::string::npos);
  const std::string distinct = claim("k", ask("r"), ", constraints: [{distinctAttribute: d/a}]");
  CHECK(World(device + distinct, stable).picks() ==
        "error: claim a/k, constraint #0: empty constraint (unsupported constraint type?)");
  CHECK(World(device + distinct, incubating).picks() == "impossible");
  const std::string waiting = kClass + slice("s", "{name: x, bindingConditions: [b]}, {name: v}");
  CHECK(World(waiting + claim("k", ask("r")), stable).picks() == "r=v");
}

TEST_CASE("the stable allocator tries the devices of a request in every order") {
  DeviceFeatures stable;
  stable.binding_conditions = stable.consumable_capacity = false;
  // An attribute in two forms is compared in the first form that the later device has.
  const std::string both =
      kClass + slice("s",
                     "{name: x, attributes: {a: {int: 1}}}, {name: v, attributes: {a: "
                     "{int: 1, string: t}}}");
  const std::string match = claim("k", count("r", 2), ", constraints: [{matchAttribute: d/a}]");
  CHECK(World(both + match).picks() == "impossible");
  CHECK(World(both + match, stable).picks() == "r=v r=x");
}

TEST_CASE("the time is looked at in each step, and the depth is bounded") {
  World w(kClass + slice("s", "{name: x}, {name: v}") + claim("k", count("r", 2)));
  w.steps = 2;
  CHECK(w.picks() == "timed out");
  w.steps = -1;
  CHECK(w.picks() == "r=x r=v");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += std::string(i == 0 ? "" : ",") + count("r", 0);
  World deep(kClass + claim("k", many));
  const Result<AllocationOutcome> out = deep.allocate();
  REQUIRE_FALSE(out.ok());
  CHECK(out.error().rc == Rc::kLimit);
}

}  // namespace libsched::allocator_test
