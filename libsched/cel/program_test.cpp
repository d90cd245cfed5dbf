// Programs against upstream's recorded answers for the expressions of CEL's conformance tests, the
// selectors that people use, and expressions made to exhaust the evaluator.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/cel/celspec_test.hpp"

namespace libsched::cel_program_test {

using namespace cel;

Evaluation evaluated(Str expression, const Device& device = {}) {
  Options options;
  options.any_result = true;
  const auto program = compile(expression, options);
  if (!program.ok()) return {false, 0, {}, program.error().message};
  Scratch scratch;
  return (*program)->evaluate(device, scratch);
}

TEST_CASE("the expressions of the conformance tests have upstream's values and errors") {
  size_t values = 0, errors = 0;
  for_each_celspec_row([&](const CelspecRow& row) {
    CAPTURE(row.expression);
    const Evaluation got = evaluated(row.expression);
    if (row.compile_error.find("Syntax error") != std::string_view::npos) {
      CHECK(!got.ok);
    } else if (!row.compile_error.empty()) {
      CHECK(got.error == row.compile_error);
    } else if (!row.error.empty()) {
      CHECK(got.error == row.error);
      ++errors;
    } else {
      CHECK(got.error == "");
      CHECK(got.value == row.value);
      ++values;
    }
  });
  CHECK(values > 1100);
  CHECK(errors > 50);
}

// A device that has what selectors of public repositories ask for.
struct SampleDevice {
  explicit SampleDevice(Str driver) {
    const auto text = [&](Str name, Str value) {
      attributes.push_back({name, Attribute::Kind::kString, 0, value, {}, {}});
    };
    const auto number = [&](Str name, int64_t value) {
      attributes.push_back({name, Attribute::Kind::kInt, value, {}, {}, {}});
    };
    const auto flag = [&](Str name) {
      attributes.push_back({name, Attribute::Kind::kBool, 1, {}, {}, {}});
    };
    text("type", "gpu");
    text("productName", "NVIDIA A100-SXM4-80GB");
    text("architecture", "Ampere");
    text("profile", "1g.10gb");
    attributes.push_back({"cudaComputeCapability", Attribute::Kind::kVersion, 0, "9.0.1", {}, {}});
    number("numaNode", 0);
    flag("rdma");
    text("dra.net/ifName", "gpu0rdma0");
    text("dra.net/ipv4", "10.3.0.1");
    flag("dra.net/rdma");
    flag("dra.example.com/someBool");
    flag("dra.example.com/anotherBool");
    capacity.push_back({"memory", *Quantity::parse("80Gi"), "80Gi"});
    device.driver = driver;
    device.attributes = attributes;
    device.capacity = capacity;
  }
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacity;
  Device device;
};

// "true", "false", or the error.
std::string matched(Str selector, const Device& device) {
  const auto program = compile(selector);
  if (!program.ok()) return program.error().message;
  Scratch scratch;
  const MatchResult result = (*program)->match(device, scratch);
  if (result.match == Match::kError) return result.error;
  return result.match == Match::kYes ? "true" : "false";
}

TEST_CASE("a result may be inside of optional values") {
  Options options;
  options.list_attributes = true;  // results may have type dyn
  const auto said = [&](Str selector) {
    const auto program = compile(selector, options);
    REQUIRE(program.ok());
    Scratch scratch;
    const MatchResult result = (*program)->match({}, scratch);
    if (result.match == Match::kError) return result.error;
    return std::string(result.match == Match::kYes ? "true" : "false");
  };
  const std::string refused = "CEL result of type optional_type could not be converted to bool: ";
  CHECK(said("dyn(optional.of(true))") == "true");
  CHECK(said("dyn(optional.of(optional.of(false)))") == "false");
  CHECK(said("dyn(optional.of('a'))") ==
        refused + "unsupported native conversion from string to 'bool'");
  CHECK(said("dyn(optional.of(optional.none()))") == refused + "optional.none() dereference");
  CHECK(said("cel.bind(o, dyn(optional.of(quantity('1'))), o)") ==
        refused + "unsupported conversion to ref.Val: (*resource.Quantity)1");
}

TEST_CASE("selectors of public repositories") {
  const SampleDevice gpu("gpu.nvidia.com");
  const struct {
    Str selector, answer;
  } kSelectors[] = {
      {R"(device.driver == "gpu.nvidia.com")", "true"},
      {R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu")",
       "true"},
      {R"(device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "mig")",
       "false"},
      {R"(device.attributes["gpu.nvidia.com"].productName == "NVIDIA L4")", "false"},
      {R"(device.attributes["gpu.nvidia.com"].productName.startsWith("H100") && )"
       R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("79Gi")) >= 0)",
       "false"},
      {R"(device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*a100.*$'))",
       "true"},
      {R"(device.attributes['gpu.nvidia.com'].architecture == 'Ampere')", "true"},
      {R"(device.attributes["gpu.nvidia.com"].cudaComputeCapability.isGreaterThan()"
       R"(semver("9.0.0")))",
       "true"},
      {R"(device.attributes["gpu.nvidia.com"].cudaComputeCapability.compareTo(semver("9.0.0")) )"
       R"(>= 0 && device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("100Gi")) >= 0)",
       "false"},
      {R"(device.capacity["gpu.nvidia.com"].multiprocessors.compareTo(quantity("28")) >= 0)",
       "no such key: multiprocessors"},
      {R"(device.attributes['gpu.nvidia.com'].profile == '1g.10gb')", "true"},
      {R"(device.attributes['gpu.nvidia.com'].numaNode == 0)", "true"},
      {R"(device.attributes["resource.kubernetes.io"].pciBusID == "0000:17:00.0")",
       "no such key: pciBusID"},
      {R"(device.attributes['gpu-sim.io'].nvlinkPeerCount >= 7)", "no such key: nvlinkPeerCount"},
      {R"(cel.bind(cap, device.capacity["gpu.nvidia.com"], has(cap.memory) && )"
       R"(cap.memory.compareTo(quantity("16Gi")) >= 0))",
       "true"},
      {R"(device.driver == "dra.net")", "false"},
      {R"(device.attributes["dra.net"].rdma == true && )"
       R"(device.attributes["dra.net"].ipv4.startsWith("10.3."))",
       "true"},
      {R"(device.attributes["dra.net"].rdma == true && ()"
       R"((device.attributes["dra.net"].ifName.startsWith("gpu") && )"
       R"(device.attributes["dra.net"].ifName.endsWith("rdma0")) || )"
       R"(device.attributes["dra.net"].ifName == "eth1"))",
       "true"},
      {R"(has(device.attributes["dra.net"].ifName) && device.attributes["dra.net"].ifName == )"
       R"("rdma15")",
       "false"},
      {R"(!has(device.attributes["gpu.deckhouse.io"].sharingStrategy))", "true"},
      {R"(device.allowMultipleAllocations == true)", "false"},
      {R"(device.attributes["example.com"].?type.orValue("") == "devicetaints")", "false"},
      {R"(cel.bind(dra, device.attributes["dra.example.com"], dra.someBool && dra.anotherBool))",
       "true"},
      {R"(device.attributes['gpu.nvidia.com'].rdma)", "true"},
      {R"(device.attributes['gpu.nvidia.com'].numaNode)",
       "CEL result of type int could not be converted to bool: unsupported type conversion from "
       "'int' to bool"},
      // Mistakes that people make.
      {R"(has(device.attributes["dra.net"]))",
       "compilation failed: ERROR: <input>:1:22: invalid argument to has() macro\n | "
       "has(device.attributes[\"dra.net\"])\n | .....................^"},
      {R"(device.attributes["dra.net/rdma"].bool == true)", "no such key: bool"},
      {R"(device.attributes["gpu.nvidia.com"].memoryGB >= 80)", "no such key: memoryGB"},
      {R"(device.driver == "nvidia.com/gpu" && )"
       R"(device.attributes["nvidia.com/mig-profile"].stringValue == "1g.10gb")",
       "false"},
  };
  for (const auto& [selector, answer] : kSelectors) {
    CAPTURE(selector);
    CHECK(matched(selector, gpu.device) == answer);
  }
  CHECK(
      matched(R"(device.attributes["mbaMode"] == "percent")", gpu.device)
          .find("found no matching overload for '_==_' applied to '(map(string, any), string)'") !=
      std::string::npos);
  CHECK(matched(R"(device.capacity["nvidia.com/gpu"].value >= "1")", gpu.device)
            .find("found no matching overload for '_>=_' applied to '(kubernetes.Quantity, "
                  "string)'") != std::string::npos);
}

TEST_CASE("a device with an attribute that is not supported fails every selector") {
  std::vector<Attribute> attributes = {{"a", Attribute::Kind::kVersion, 0, "1.2", {}, {}}};
  Device device;
  device.attributes = attributes;
  CHECK(matched("true", device) ==
        "attribute a: parse semantic version: No Major.Minor.Patch elements found");
  attributes[0] = {"b", Attribute::Kind::kNone, 0, {}, {}, {}};
  CHECK(matched("true", device) == "attribute b: unsupported attribute value");
}

TEST_CASE("results must be bools") {
  CHECK(matched("1", {}) == "must evaluate to bool or the unknown type, not int");
  CHECK(matched("dyn(true)", {}) == "must evaluate to bool or the unknown type, not dyn");
}

TEST_CASE("programs are compiled once") {
  Programs programs;
  const auto first = programs.get("device.driver == 'a'");
  const auto second = programs.get("device.driver == 'a'");
  REQUIRE(first.ok());
  CHECK(first->get() == second->get());
  CHECK(programs.get("nothing").error().message == programs.get("nothing").error().message);
}

TEST_CASE("no expression takes memory or time without bound") {
  const Str cost_error = "operation cancelled: actual cost limit exceeded";
  CHECK(evaluated("lists.range(1099511627776)").error == cost_error);
  CHECK(evaluated("lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, "
                  "true)))")
            .error == cost_error);
  std::string doubled = "[1]";
  for (int i = 0; i < 60; ++i) {
    const std::string name = "v" + std::to_string(i);
    doubled = "cel.bind(" + name + ", " + doubled + ", " + name + " + " + name + ")";
  }
  CHECK(evaluated(doubled).error == cost_error);
  // Lists of the same list twice look exponentially large to a comparison.
  std::string nested = "[1]";
  for (int i = 0; i < 60; ++i) {
    const std::string name = "v" + std::to_string(i);
    nested = "cel.bind(" + name + ", " + nested + ", [" + name + ", " + name + "])";
  }
  CHECK(evaluated(nested + " == " + nested).error == cost_error);
  // An accumulator that upstream changes in place can come to contain itself.
  CHECK(evaluated("cel.bind(x, dyn([]), cel.bind(y, x + [x], y == y))").error == cost_error);
}

TEST_CASE("values of google.protobuf.Empty") {
  const Str kEmpty = "google.protobuf.Empty{}";
  const auto told = [](const std::string& expression) {
    const auto program = compile(expression, {.any_result = true});
    if (!program.ok()) return program.error().message;
    Scratch scratch;
    const Evaluation e = (*program)->evaluate({}, scratch);
    return e.ok ? e.value : e.error;
  };
  const std::string empty(kEmpty);
  CHECK(told(empty) == "google.protobuf.Empty(?)");
  CHECK(told(empty + " == " + empty) == "true");
  CHECK(told(empty + " == dyn({})") == "false");
  CHECK(told("type(" + empty + ") == google.protobuf.Empty") == "true");
  CHECK(told("optional.ofNonZeroValue(" + empty + ")") == "optional()");
  CHECK(told("dyn(" + empty + ").x") == "no such field 'x'");
  CHECK(told("google.protobuf.Value{struct_value: {'a': dyn(" + empty + ")}}") == "{\"a\": {}}");
  CHECK(told(empty + ".x").find("undefined field 'x'") != std::string::npos);
}

std::string told(const std::string& expression) {
  const Evaluation e = evaluated(expression);
  return e.ok ? e.value : e.error;
}

// Upstream's values, and the begin of its error.
TEST_CASE("values of google.protobuf.Any are those of the messages in it") {
  const auto any = [](const std::string& name, const std::string& bytes) {
    return told("google.protobuf.Any{type_url: 'type.googleapis.com/google.protobuf." + name +
                "', value: b'" + bytes + "'}");
  };
  const std::string none = "unsupported conversion to ref.Val: (*dynamicpb.Message)";
  CHECK(any("BoolValue", "\\x08\\x01") == "true");
  CHECK(any("Int32Value", "") == "int(0)");
  CHECK(any("Int32Value", "\\x08\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x01") == "int(-1)");
  CHECK(any("Int64Value", "\\x08\\x01\\x08\\x02") == "int(2)");
  CHECK(any("UInt32Value", "\\x08\\x07") == "uint(7)");
  CHECK(any("FloatValue", "\\x0d\\x00\\x00\\x80\\x3f") == "double(1)");
  CHECK(any("DoubleValue", "\\x09\\x00\\x00\\x00\\x00\\x00\\x00\\xf8\\x3f") == "double(1.5)");
  CHECK(any("StringValue", "\\x0a\\x01a") == "\"a\"");
  CHECK(any("StringValue", "\\x0a\\x01\\xff") == none);
  CHECK(any("BytesValue", "\\x0a\\x01a") == "bytes(61)");
  CHECK(any("Duration", "\\x08\\x05") == "duration(5000000000ns)");
  CHECK(any("Value", "\\x20\\x01") == "true");
  CHECK(any("Value", "") == "null");
  CHECK(any("ListValue", "\\x0a\\x02\\x20\\x01\\x0a\\x00") == "[true, null]");
  CHECK(any("Struct", "\\x0a\\x07\\x0a\\x01a\\x12\\x02\\x20\\x01") == "{\"a\": true}");
  CHECK(any("Empty", "") == "google.protobuf.Empty(?)");
  CHECK(any("Any", "") == none);
  CHECK(any("Timestamp", "\\xff") == none);
  CHECK(any("Nothing", "") == none);
  CHECK(told("google.protobuf.Any{}") == none);
  CHECK(told("google.protobuf.Any{type_url: 'google.protobuf.Int64Value', value: b'\\x08\\x01'} + "
             "1") == "int(2)");
}

TEST_CASE("keys of maps are times, addresses and networks by what they are") {
  const auto in_map = [](const std::string& a, const std::string& b) {
    return told(a + " in {" + b + ": 1}");
  };
  const auto time = [](const std::string& zone) {
    return "timestamp('1970-01-01T00:00:01" + zone + "')";
  };
  CHECK(in_map(time("Z"), time("Z")) == "true");
  CHECK(in_map(time("Z"), "timestamp(1)") == "true");
  CHECK(in_map(time("+01:00"), time("+01:00")) == "true");
  CHECK(in_map(time("Z"), "timestamp('1970-01-01T01:00:01+01:00')") == "false");
  CHECK(in_map(time("+05:30"), time("+05:30")) == "false");
  CHECK(told("cel.bind(t, " + time("+05:30") + ", t in {t: 1})") == "true");
  std::string addresses, networks;
  for (int i = 0; i < 20; ++i) {
    addresses += "ip('10.0.0." + std::to_string(i) + "'): 1, ";
    networks += "cidr('10.0.0.0/" + std::to_string(i) + "'): 1, ";
  }
  CHECK(told("ip('10.0.0.7') in {" + addresses + "}") == "true");
  CHECK(told("ip('10.0.0.70') in {" + addresses + "}") == "false");
  CHECK(told("cidr('10.0.0.0/7') in {" + networks + "}") == "true");
}

TEST_CASE("a variable that holds a type stands for the type of its name") {
  CHECK(told("[string].map(int, int)") == "[type(int)]");
  CHECK(told("[int].map(x, x)") == "program instantiation failed: reference to undefined type: x");
  CHECK(told("cel.bind(x, int, 1)") ==
        "program instantiation failed: reference to undefined type: x");
  CHECK(told("[dyn(int)].map(x, x)") == "[type(int)]");
  CHECK(told("[list, 1]").find("expected type 'type(list(dyn))' but found 'int'") !=
        std::string::npos);
  CHECK(told("list.x").find("type 'type(list(A))' does not support field selection") !=
        std::string::npos);
}

}  // namespace libsched::cel_program_test
