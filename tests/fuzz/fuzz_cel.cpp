// Expressions of the Common Expression Language, and the devices that they are asked about.
//
// The expression stands before the first NUL, the values of the device's attributes behind it.
// Whatever compiles gives the same answer twice, and an error has a text.
#include <cstdlib>
#include <vector>

#include "libsched/cel/cel.hpp"

using namespace libsched;       // NOLINT(google-build-using-namespace)
using namespace libsched::cel;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<Attribute> attributes(Str values) {
  using Kind = Attribute::Kind;
  std::vector<Attribute> out;
  constexpr Str kNames[] = {"model", "version", "x/numa", "gpu.example.com/flag", "y/texts"};
  for (const Str name : kNames) {
    const size_t end = std::min(values.find('\0'), values.size());
    const Str value = values.substr(0, end);
    values.remove_prefix(std::min(end + 1, values.size()));
    Attribute a;
    a.name = name;
    a.kind = name == "version" ? Kind::kVersion : name == "x/numa" ? Kind::kInt : Kind::kString;
    a.text = value;
    a.number = static_cast<int64_t>(value.size());
    if (!value.empty()) out.push_back(a);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Str input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\0'), size);
  const auto values = attributes(input.substr(std::min(end + 1, size)));
  const std::vector<Capacity> capacity = {{"memory", Quantity::from_int(1 << 30), "1Gi"}};
  Device device;
  device.driver = "gpu.example.com";
  device.attributes = values;
  device.capacity = capacity;
  static Scratch scratch;
  for (const int way : {0, 1, 2}) {
    Options options;
    options.any_result = true;
    options.list_attributes = way == 1;
    options.dialect.cel_go_29 = way == 2;
    const auto program = compile(input.substr(0, end), options);
    if (!program.ok()) {
      if (program.error().message.empty()) std::abort();
      continue;
    }
    const Evaluation first = (*program)->evaluate(device, scratch);
    const Evaluation again = (*program)->evaluate(device, scratch);
    if (first.ok != again.ok || first.cost != again.cost || first.value != again.value ||
        first.error != again.error || (!first.ok && first.error.empty()))
      std::abort();
    const MatchResult match = (*program)->match(device, scratch);
    if (first.ok && match.cost != first.cost) std::abort();
  }
  return 0;
}
