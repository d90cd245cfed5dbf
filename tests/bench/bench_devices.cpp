// devices/...: whole cycles of pods with ResourceClaims on 500 nodes of 8 devices each, or on
// several times as many nodes, with as many times the claims; cel/...: an expression and a device.
//
// In the variant "shapes" no two claims are alike, so nothing that a claim was answered helps
// another. `libsched_bench devices VARIANT` prints the objects for upstream's side.
#include <benchmark/benchmark.h>

#include <array>
#include <vector>

#include "tests/bench/benchmarks.hpp"
#include "tests/bench/handles.hpp"
#include "tests/bench/workload.hpp"

namespace libsched_bench {
namespace {

constexpr size_t kNodesWithDevices = 500, kDevices = 8, kClaims = 2500;
constexpr size_t kDistinctClaims = 1000;

size_t claims_of(std::string_view variant, size_t times) {
  return times * (variant == "shapes" ? kDistinctClaims : kClaims);
}

// A document with the quotes of JSON in place of single ones, and with $ replaced by `number`.
std::string json(std::string text, const std::string& number = {}) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += '"';
    else if (c == '$')
      out += number;
    else
      out += c;
  }
  return out;
}

std::string device(std::string_view variant, size_t node, size_t index) {
  const std::string i = std::to_string(index);
  std::string out = "{'name':'gpu-" + i + "','attributes':{'model':{'string':'" +
                    ((node + index) % 2 == 0 ? "a100" : "h100") +
                    "'},'numa':{'int':" + std::to_string(index / 4) +
                    "},'driverVersion':{'version':'550.54.15'},'uuid':{'string':'GPU-$-" + i +
                    "'}},'capacity':{'memory':{'value':'80Gi'";
  if (variant == "capacity")
    out += ",'requestPolicy':{'default':'10Gi','validRange':{'min':'1Gi','step':'1Gi'}}";
  out += "}}";
  if (variant == "capacity") out += ",'allowMultipleAllocations':true";
  if (variant == "counters")
    out += ",'consumesCounters':[{'counterSet':'board-" + std::to_string(index / 4) +
           "','counters':{'slots':{'value':'1'}}}]";
  return out + "}";
}

void add_node(ListDocument& list, std::string_view variant, size_t node) {
  const std::string number = std::to_string(10000 + node);
  list.add(
      json("{'apiVersion':'v1','kind':'Node','metadata':{'name':'node-$','uid':'node-$','labels':"
           "{'kubernetes.io/hostname':'node-$'}},'status':{'allocatable':{'cpu':'32','memory':"
           "'128Gi','pods':'110'},'capacity':{'cpu':'32','memory':'128Gi','pods':'110'}}}",
           number));
  const bool counts = variant == "counters";
  const std::string head =
      "{'apiVersion':'resource.k8s.io/"
      "v1','kind':'ResourceSlice','metadata':{'name':'node-$-%','uid':"
      "'slice-$-%'},'spec':{'driver':'gpu.example.com','nodeName':'node-$','pool':{'name':'node-$',"
      "'generation':1,'resourceSliceCount':" +
      std::string(counts ? "2" : "1") + "},";
  const auto slice = [&](const std::string& which, const std::string& rest) {
    std::string text = head;
    for (size_t at; (at = text.find('%')) != std::string::npos;) text.replace(at, 1, which);
    list.add(json(text + rest + "}}", number));
  };
  std::string devices = "'devices':[";
  for (size_t i = 0; i < kDevices; ++i) devices += (i == 0 ? "" : ",") + device(variant, node, i);
  slice("devices", devices + "]");
  if (counts)
    slice(
        "counters",
        "'sharedCounters':[{'name':'board-0','counters':{'slots':{'value':'3'}}},{'name':'board-1',"
        "'counters':{'slots':{'value':'3'}}}]");
}

void add_claim(ListDocument& list, std::string_view variant, size_t claim) {
  const std::string capacity =
      variant == "capacity" ? ",'capacity':{'requests':{'memory':'30Gi'}}" : "";
  const std::string a100 =
      "device.attributes[\\'gpu.example.com\\'].model == \\'a100\\' && "
      "device.attributes[\\'gpu.example.com\\'].driverVersion.isGreaterThan(semver(\\'500.0.0\\')) "
      "&& "
      "device.capacity[\\'gpu.example.com\\'].memory.compareTo(quantity(\\'40Gi\\')) >= 0";
  const std::string own = variant == "shapes" ? " && \\'claim-$\\' != device.driver" : "";
  const std::string h100 = "device.attributes[\\'gpu.example.com\\'].model.startsWith(\\'h\\')";
  list.add(
      json("{'apiVersion':'resource.k8s.io/v1','kind':'ResourceClaim','metadata':{'name':'claim-$',"
           "'namespace':'default','uid':'claim-$','resourceVersion':'1'},'spec':{'devices':"
           "{'requests':[{'name':'gpu','exactly':{'deviceClassName':'gpu','allocationMode':"
           "'ExactCount','count':1,'selectors':[{'cel':{'expression':'" +
               (claim % 2 == 0 ? a100 : h100) + own + "'}}]" + capacity + "}}]}}}",
           std::to_string(claim)));
}

std::string claiming_pod(size_t index) {
  return json(
      "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pod-$','namespace':'default','uid':"
      "'pod-$'},'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','image':"
      "'x','resources':{'requests':{'cpu':'100m','memory':'128Mi'},'claims':[{'name':'gpu'}]}}],"
      "'resourceClaims':[{'name':'gpu','resourceClaimName':'claim-$'}]}}",
      std::to_string(index));
}

std::string objects(std::string_view variant, size_t times, bool with_pods) {
  ListDocument list;
  const size_t claims = claims_of(variant, times);
  for (size_t i = 0; i < times * kNodesWithDevices; ++i) add_node(list, variant, i);
  list.add(
      json("{'apiVersion':'resource.k8s.io/v1','kind':'DeviceClass','metadata':{'name':'gpu','uid':"
           "'class'},'spec':{'selectors':[{'cel':{'expression':'device.driver == "
           "\\'gpu.example.com\\''}}]}}"));
  for (size_t i = 0; i < claims; ++i) add_claim(list, variant, i);
  for (size_t i = 0; with_pods && i < claims; ++i) list.add(claiming_pod(i));
  return list.take();
}

// Placing all pods, from parsed objects to assumed claims.
void schedule(benchmark::State& state, const char* variant, size_t times) {
  const Objects given = parse_objects(objects(variant, times, false));
  const size_t claims = claims_of(variant, times);
  std::vector<Pod> pods;
  std::vector<const libsched_pod*> list;
  for (size_t i = 0; i < claims; ++i) {
    pods.push_back(parse_pod(claiming_pod(i)));
    list.push_back(pods.back().get());
  }
  const auto placed = [](void* told, const libsched_placement* placement) {
    if (placement->outcome == LIBSCHED_OUTCOME_PLACED) ++*static_cast<size_t*>(told);
    return true;
  };
  libsched_error* error = nullptr;
  for (auto _ : state) {
    state.PauseTiming();
    const Cluster cluster = make_cluster();
    apply(cluster.get(), given.get());
    const Framework framework = default_framework();
    const Evaluator evaluator = make_evaluator(framework.get(), cluster.get());
    libsched_evaluator* const profile = evaluator.get();
    size_t count = 0;
    state.ResumeTiming();
    must("schedule",
         libsched_schedule(&profile, 1, list.data(), nullptr, list.size(), nullptr, placed, &count,
                           &error),
         error);
    if (count != claims) fail("devices: pods are not placed", nullptr);
  }
  state.counters["pods"] = static_cast<double>(claims);
}

// Selectors of the forms that people use, and those of the claims above.
constexpr std::array<const char*, 8> kSelectors = {
    "device.driver == 'gpu.example.com'",
    "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a100'",
    "device.attributes['gpu.example.com'].model.startsWith('h')",
    "device.attributes['gpu.example.com'].numa == 0",
    "device.attributes['gpu.example.com'].driverVersion.isGreaterThan(semver('500.0.0'))",
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
    "has(device.attributes['example.com'].podNetwork) && "
    "device.attributes['example.com'].podNetwork == 'blue-net'",
    "device.attributes['gpu.example.com'].model.lowerAscii().matches('^.*a100.*$')"};

void match(benchmark::State& state, const char* expression) {
  libsched_error* error = nullptr;
  libsched_cel* cel = nullptr;
  must("compile", libsched_cel_compile(libsched_str_from(expression), nullptr, &cel, &error),
       error);
  const std::array<libsched_cel_attribute, 4> attributes = {
      {{LIBSCHED_STR("model"), LIBSCHED_CEL_STRING, 0, 0, LIBSCHED_STR("a100"), nullptr, nullptr,
        0},
       {LIBSCHED_STR("numa"), LIBSCHED_CEL_INT, 0, 0, {nullptr, 0}, nullptr, nullptr, 0},
       {LIBSCHED_STR("driverVersion"), LIBSCHED_CEL_VERSION, 0, 0, LIBSCHED_STR("550.54.15"),
        nullptr, nullptr, 0},
       {LIBSCHED_STR("uuid"), LIBSCHED_CEL_STRING, 0, 0, LIBSCHED_STR("GPU-1"), nullptr, nullptr,
        0}}};
  const libsched_cel_capacity capacity = {LIBSCHED_STR("memory"), LIBSCHED_STR("80Gi")};
  libsched_cel_device device = LIBSCHED_CEL_DEVICE_INIT;
  device.driver = LIBSCHED_STR("gpu.example.com");
  device.attributes = attributes.data();
  device.attribute_count = attributes.size();
  device.capacity = &capacity;
  device.capacity_count = 1;
  libsched_cel_answer answer = LIBSCHED_CEL_ANSWER_INIT;
  for (auto _ : state)
    must("match", libsched_cel_match(cel, &device, &answer, nullptr, &error), error);
  state.counters["cost"] = static_cast<double>(answer.cost);
  libsched_cel_unref(cel);
}

}  // namespace

std::string devices_document(std::string_view variant) { return objects(variant, 1, true); }

void add_devices_benchmarks() {
  for (const char* variant : {"plain", "counters", "capacity", "shapes"})
    for (const size_t times : {1, 2, 4}) {
      const std::string more = times == 1 ? "" : "/" + std::to_string(times) + "x";
      benchmark::RegisterBenchmark((std::string("devices/") + variant + more).c_str(), schedule,
                                   variant, times)
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  for (size_t i = 0; i < kSelectors.size(); ++i)
    benchmark::RegisterBenchmark(("cel/" + std::to_string(i)).c_str(), match, kSelectors[i]);
}

}  // namespace libsched_bench
