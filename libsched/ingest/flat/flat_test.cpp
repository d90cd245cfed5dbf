// The flat form: what is read, what is skipped, and what is refused with which place.
#include "libsched/ingest/flat/flat.hpp"

#include <doctest/doctest.h>

#include <string>

#include "libsched/ingest/write/write.hpp"

namespace libsched::flat_test {

std::string length(size_t n) {
  std::string out;
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(n >> (8 * i)));
  return out;
}

std::string text(const std::string& s) { return length(s.size()) + s; }

std::string bytes(char number, const std::string& s) { return std::string{number, '\2'} + text(s); }

std::string number(char field, char value) {
  return std::string{field, '\1', value} + std::string(7, '\0');
}

std::string frame(const std::string& content, const std::string& identity, char kind = 1,
                  char version = 1) {
  return std::string("LSF") + version + kind + std::string(3, '\0') + length(content.size()) +
         length(identity.size()) + content + identity;
}

std::string json_of(const Pod& pod) {
  JsonText json;
  write_pod(json, pod, pod.spec.node_name);
  return json.take();
}

std::string named(char kind = 1) { return frame("", bytes(1, bytes(1, "web")), kind); }

std::string error_of(const std::string& flat) {
  const Result<PodRef> pod = parse_flat_pod(flat, {});
  REQUIRE(!pod.ok());
  return pod.error().text();
}

TEST_CASE("a flat pod is the pod of its JSON document") {
  const std::string container = bytes(1, "c\"\n") + bytes(8, bytes(2, text("cpu") + text("500m")));
  const std::string spec =
      bytes(2, text(container)) + bytes(7, text("a") + text("b")) + number(25, 7) + number(100, 1);
  const std::string flat =
      frame(bytes(1, bytes(3, "shop") + bytes(11, text("x") + text("y"))) + bytes(2, spec),
            bytes(1, bytes(1, "web") + number(8, 60)) + bytes(3, bytes(1, "Running")));
  ParseOptions options;
  const Result<PodRef> pod = parse_flat_pod(flat, options);
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  const Result<PodRef> same = parse_pod(
      R"({"metadata":{"name":"web","namespace":"shop","labels":{"x":"y"},
          "creationTimestamp":"1970-01-01T00:01:00Z"},"spec":{"priority":7,"nodeSelector":{"a":"b"},
          "containers":[{"name":"c\"\n","resources":{"requests":{"cpu":"500m"}}}]},
          "status":{"phase":"Running"}})",
      options);
  REQUIRE(same.ok());
  CHECK(json_of(**pod) == json_of(**same));
}

// go/kube has the same bytes in a test of what writes them.
TEST_CASE("numbers are little endian on machines of either byte order") {
  constexpr char kBefore[] =
      "LSF\x01"
      "\x01\x00\x00\x00"
      "\x19\x01\x00\x00"
      "\x0d\x00\x00\x00"           // 281 and 13 bytes
      "\x02\x02\x13\x01\x00\x00"   // spec: 275 bytes
      "\x13\x02\x03\x01\x00\x00";  // schedulerName: 259 bytes
  constexpr char kAfter[] =
      "\x19\x01\x04\x03\x02\x01\x00\x00\x00\x00"  // priority
      "\x01\x02\x07\x00\x00\x00"
      "\x01\x02\x01\x00\x00\x00"
      "p";  // metadata and its name
  const std::string scheduler(259, 's');
  const Result<PodRef> pod = parse_flat_pod(
      std::string(kBefore, sizeof kBefore - 1) + scheduler + std::string(kAfter, sizeof kAfter - 1),
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  CHECK((*pod)->spec.scheduler_name == scheduler);
  CHECK((*pod)->spec.priority == 0x01020304);
}

TEST_CASE("a node's hostname joins its labels") {
  const Result<NodeRef> node = parse_flat_node(
      frame(bytes(1, bytes(11, text("a") + text("b"))),
            bytes(1, bytes(1, "n") + bytes(11, text("kubernetes.io/hostname") + text("n"))), 2),
      {});
  REQUIRE_MESSAGE(node.ok(), node.error().text());
  CHECK((*node)->meta.labels.size() == 2);
}

TEST_CASE("a broken frame is refused") {
  const std::string good = named();
  CHECK(parse_flat_pod(good, {}).ok());
  for (size_t n = 0; n < good.size(); ++n) CHECK(!parse_flat_pod(Str(good).substr(0, n), {}).ok());
  CHECK(error_of(good + "x").find("announces") != std::string::npos);
  CHECK(error_of(frame("", "", 1, 2)).find("version 2") != std::string::npos);
  CHECK(error_of(named(2)).find("got a Node") != std::string::npos);
  ParseOptions small;
  small.max_bytes = 10;
  CHECK(parse_flat_pod(good, small).error().rc == Rc::kLimit);
}

TEST_CASE("errors name the field") {
  CHECK(error_of(frame(bytes(2, number(10, 1)), "")).find("spec.nodeName") != std::string::npos);
  CHECK(error_of(frame(bytes(2, bytes(10, "n") + bytes(10, "m")), "")).find("ascend") !=
        std::string::npos);
  CHECK(error_of(frame(bytes(2, number(11, 2)), "")).find("a boolean is 0 or 1") !=
        std::string::npos);
  CHECK(error_of(frame(bytes(2, bytes(2, length(9) + "x")), "")).find("9 bytes announced") !=
        std::string::npos);
  CHECK(error_of(frame(bytes(1, bytes(1, "a")), bytes(1, bytes(1, "a")))).find("both parts") !=
        std::string::npos);
}

}  // namespace libsched::flat_test
