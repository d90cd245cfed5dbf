// Tests that every kind of bad input gives a clear error with its path, never a part of the result.
#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::bad_input_test {

std::string error(Str text, const ParseOptions& options = {}) {
  const Result<ObjectSet> set = parse_objects(text, options);
  return set.ok() ? "accepted" : set.error().text();
}

// The error of a pod with this spec.
std::string spec_error(const std::string& spec) {
  return error(R"({"kind":"List","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"ok"}},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":)" +
               spec + "}]}");
}

std::string node_error(const std::string& rest) {
  return error(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},)" + rest + "}");
}

constexpr const char* kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})";
constexpr const char* kOther = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"b"}})";

TEST_CASE("bad input: wrong types name the field") {
  CHECK(spec_error("5") == "items[1].spec: expected an object, got the number 5");
  CHECK(spec_error("[]") == "items[1].spec: expected an object, got an array");
  CHECK(spec_error(R"({"nodeName":5})") ==
        "items[1].spec.nodeName: expected a string, got the number 5");
  CHECK(spec_error(R"({"containers":{}})") ==
        "items[1].spec.containers: expected an array, got an object");
  CHECK(spec_error(R"({"containers":[{"name":"a"},"x"]})") ==
        "items[1].spec.containers[1]: expected an object, got a string");
  CHECK(spec_error(R"({"containers":[{"ports":[{"hostPort":"80"}]}]})") ==
        "items[1].spec.containers[0].ports[0].hostPort: expected an integer, got a string");
  CHECK(spec_error(R"({"hostNetwork":"true"})") ==
        "items[1].spec.hostNetwork: expected a boolean, got a string");
  CHECK(spec_error(R"({"hostNetwork":1})") ==
        "items[1].spec.hostNetwork: expected a boolean, got the number 1");
  CHECK(spec_error(R"({"nodeSelector":{"a":true}})") ==
        "items[1].spec.nodeSelector.a: expected a string, got a boolean");
  CHECK(spec_error(R"({"nodeSelector":[]})") ==
        "items[1].spec.nodeSelector: expected an object, got an array");
  CHECK(spec_error(R"({"tolerations":[{},{"key":["x"]}]})") ==
        "items[1].spec.tolerations[1].key: expected a string, got an array");
  CHECK(spec_error(R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"values":[1]}]}]}}}})") ==
        "items[1].spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
        "nodeSelectorTerms[0].matchExpressions[0].values[0]: expected a string, got the number 1");
  CHECK(node_error(R"("status":{"images":[{"sizeBytes":"1"}]})") ==
        "status.images[0].sizeBytes: expected an integer, got a string");
  CHECK(node_error(R"("spec":{"taints":null,"unschedulable":"no"})") ==
        "spec.unschedulable: expected a boolean, got a string");
  CHECK(error("5") == "expected an object, got the number 5");
  ParseOptions json;
  json.format = Format::kJson;
  CHECK(error("0\"\"", json) == "documents[0]: expected an object");
  CHECK(error("null\"\"", json) == "documents[1]: expected an object");
  CHECK(error("null null \"x\"", json) == "documents[2]: expected an object, got a string");
  CHECK(error("[1]") == "[0]: expected an object, got the number 1");
  CHECK(error(R"({"kind":"PodList","apiVersion":"v1","items":[null]})") ==
        "items[0]: expected an object, got null");
  CHECK(error(R"({"kind":"PodList","apiVersion":"v1","items":{}})") ==
        "items: expected an array, got an object");
  CHECK(error(R"({"kind":5,"apiVersion":"v1"})") == "kind: expected a string, got the number 5");
}

TEST_CASE("bad input: numbers, quantities, times") {
  CHECK(spec_error(R"({"priority":2147483648})") ==
        "items[1].spec.priority: the number 2147483648 does not fit into 32 bits");
  CHECK(spec_error(R"({"priority":99999999999999999999})") ==
        "items[1].spec.priority: the number 99999999999999999999 does not fit into 64 bits");
  CHECK(spec_error(R"({"priority":1.0})") ==
        "items[1].spec.priority: expected an integer, got the number 1.0");
  CHECK(spec_error(R"({"priority":1e3})") ==
        "items[1].spec.priority: expected an integer, got the number 1e3");
  CHECK(spec_error(R"({"containers":[{"resources":{"requests":{"cpu":"1x"}}}]})") ==
        "items[1].spec.containers[0].resources.requests.cpu: \"1x\": quantities must match the "
        "regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  CHECK(spec_error(R"({"containers":[{"resources":{"requests":{"cpu":""}}}]})")
            .starts_with("items[1].spec.containers[0].resources.requests.cpu: \"\": quantities "
                         "must match the regular "
                         "expression "));
  CHECK(
      spec_error(R"({"containers":[{"resources":{"limits":{"nvidia.com/gpu":{}}}}]})") ==
      "items[1].spec.containers[0].resources.limits[\"nvidia.com/gpu\"]: expected a quantity such "
      "as 500m or 2Gi, got an object");
  CHECK(
      error(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":"today"}})") ==
      "metadata.creationTimestamp: \"today\" is not a time such as 2006-01-02T15:04:05Z");
  CHECK(
      error(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","creationTimestamp":5}})") ==
      "metadata.creationTimestamp: expected a string, got the number 5");
}

TEST_CASE("bad input: identity") {
  CHECK(error(R"({"apiVersion":"v1","kind":"Pod","metadata":{}})") == "metadata.name: missing");
  CHECK(error(R"({"apiVersion":"v1","kind":"Node"})") == "metadata.name: missing");
  CHECK(error(R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"}})") ==
        "metadata.name: missing; the object has only a generateName, give it a name");
  CHECK(error(R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{}]})") ==
        "items[1].metadata.name: missing");
  CHECK(error(R"({"metadata":{"name":"a"}})") ==
        "kind: missing; an object needs kind and apiVersion");
  CHECK(error(R"({"kind":"Pod","metadata":{"name":"a"}})") ==
        "apiVersion: missing; an object needs kind and apiVersion");
  CHECK(error(R"({"kind":"List","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})") ==
        "items[0].kind: missing; an object needs kind and apiVersion");
  CHECK(error(R"({"kind":"Pod","apiVersion":"v2","metadata":{"name":"a"}})") ==
        "apiVersion: no kind \"Pod\" is registered for version \"v2\"");
  CHECK(error(std::string("[") + kPod + "," + kOther + "," + kPod + "]") ==
        "[2]: duplicate Pod default/a, the first is [0]");
  CHECK(error(std::string(kPod) + kOther + kPod) ==
        "documents[2]: duplicate Pod default/a, the first is documents[0]");
  CHECK(error(R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},
      {"metadata":{"name":"a","namespace":"x"}}]})") ==
        "items[1]: duplicate Node a, the first is items[0]");
  // Another namespace or another kind is another object.
  CHECK(error(std::string("[") + kPod + R"(,{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",
      "namespace":"x"}},{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}}])") ==
        "accepted");
}

TEST_CASE("bad input: a key twice in one object") {
  CHECK(spec_error(R"({"nodeName":"a","hostNetwork":true,"nodeName":"b"})") ==
        "items[1].spec.nodeName: duplicate key");
  CHECK(spec_error(R"({"nodeName":"a","node\u004eame":"b"})") ==
        "items[1].spec[\"node\\u004eame\"]: duplicate key");
  CHECK(spec_error(R"({"nodeSelector":{"a":"1","b":"2","a":"1"}})") ==
        "items[1].spec.nodeSelector.a: duplicate key");
  CHECK(spec_error(R"({"containers":[{"resources":{"requests":{"cpu":1,"cpu":1}}}]})") ==
        "items[1].spec.containers[0].resources.requests.cpu: duplicate key");
  CHECK(spec_error(R"({"dnsPolicy":"a","dnsPolicy":"a"})") ==
        "items[1].spec.dnsPolicy: duplicate key");
  CHECK(error(R"({"kind":"Pod","apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})") ==
        "kind: duplicate key");
  CHECK(error(R"({"kind":"PodList","apiVersion":"v1","items":[],"items":[]})") ==
        "items: duplicate key");
}

TEST_CASE("bad input: not JSON, with line and column") {
  CHECK(error("") == "no objects: the document is empty");
  CHECK(error(" \n\t ") == "no objects: the document is empty");
  CHECK(error("\xef\xbb\xbf") == "no objects: the document is empty");
  CHECK(error("# nothing\n---\n") == "no objects: the document is empty");
  CHECK(error(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a)") ==
        "metadata.name: unexpected end of JSON input (line 1, column 54)");
  CHECK(error("{\"kind\":\"Pod\",\n\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}") ==
        "metadata: unexpected end of JSON input (line 2, column 42)");
  CHECK(error(std::string(kPod) + "}") ==
        "documents[1]: invalid character '}' looking for beginning of value (line 1, column 57)");
  CHECK(error(std::string(kPod) + " garbage") == "documents[1]: expected an object, got a string");
  CHECK(
      error(
          R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"dnsConfig":{"x":[1,}}})") ==
      "spec.dnsConfig.x[1]: invalid character '}' looking for beginning of value (line 1, column "
      "85)");
  CHECK(error("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\xff\"}}") ==
        "metadata.name: invalid UTF-8 (line 1, column 54)");
  CHECK(error(std::string("{\"kind\":\"Pod\0\"}", 15)) ==
        "kind: NUL byte in string literal (line 1, column 13)");
  CHECK(error(std::string("{\"kind\":\0}", 10)) ==
        "kind: NUL byte looking for beginning of value (line 1, column 9)");
  CHECK(error(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a\u0000b"}})") ==
        "metadata.name: a NUL character in a string");
  CHECK(error("{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[" + std::string(kPod) + " " +
              kOther + "]}") ==
        "items[0]: invalid character '{' after array element (line 1, column 100)");
}

TEST_CASE("bad input: limits") {
  ParseOptions options;
  options.max_depth = 10;
  const auto nested = [](size_t n) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":)" +
           std::string(n, '[') + std::string(n, ']') + "}";
  };
  CHECK(error(R"({"apiVersion":"v1","kind":"Thing","spec":[[[[[[[[[]]]]]]]]]})", options) ==
        "accepted");
  CHECK(error(R"({"apiVersion":"v1","kind":"Thing","spec":[[[[[[[[[[]]]]]]]]]]})", options) ==
        "spec[0][0][0][0][0][0][0][0][0]: nested more than 10 levels deep");
  CHECK(error(nested(3)) == "spec: expected an object, got an array");
  const Result<ObjectSet> deep = parse_objects(std::string(1 << 20, '['), {});
  REQUIRE_FALSE(deep.ok());
  const Result<ObjectSet> deep_field =
      parse_objects(R"({"apiVersion":"v1","kind":"Thing","spec":)" + std::string(300, '[') +
                        std::string(300, ']') + "}",
                    {});
  REQUIRE_FALSE(deep_field.ok());
  CHECK(deep_field.error().rc == Rc::kLimit);
  CHECK(deep_field.error().message == "nested more than 200 levels deep");

  options = {};
  options.max_bytes = 40;
  const Result<ObjectSet> large = parse_objects(kPod, options);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().rc == Rc::kLimit);
  CHECK(large.error().text() == "the document is larger than 40 bytes");
}

TEST_CASE("bad input: strict makes errors of unknown kinds and fields") {
  ParseOptions options;
  options.strict = true;
  CHECK(error(kPod, options) == "accepted");
  CHECK(
      error(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"nodeSelectr":{}}})",
            options) == "spec.nodeSelectr: unknown field; did you mean \"nodeSelector\"?");
  CHECK(error(R"({"kind":"ConfigMap","apiVersion":"v1"})", options) ==
        "objects of kind v1 ConfigMap are not read yet");
}

// docs/documents.md promises both: fields that libsched reads, and the objects around them, are
// checked; a field that no plugin reads is skipped as a whole.
TEST_CASE("bad input: strict does not look into fields that no plugin reads") {
  ParseOptions options;
  options.strict = true;
  const auto pod = [&](const std::string& spec) {
    return error(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":)" + spec + "}",
                 options);
  };
  CHECK(pod(R"({"securityContext":{"runAsUsr":1},"containers":[]})") == "accepted");
  CHECK(pod(R"({"containers":[{"name":"c","env":[{"nam":"A"}],"livenessProbe":{"htpGet":1}}]})") ==
        "accepted");
  CHECK(pod(R"({"securityContxt":{},"containers":[]})") ==
        "spec.securityContxt: unknown field; did you mean \"securityContext\"?");
  CHECK(pod(R"({"containers":[{"name":"c","envv":[]}]})") ==
        "spec.containers[0].envv: unknown field; did you mean \"env\"?");
}

TEST_CASE("bad input: paths in streams of documents") {
  CHECK(error(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":5}})") ==
        "metadata.name: expected a string, got the number 5");
  CHECK(error(std::string(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":5}})") + kPod) ==
        "documents[0].metadata.name: expected a string, got the number 5");
  CHECK(error(std::string(kPod) +
              R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":5}}]})") ==
        "documents[1].items[0].metadata.name: expected a string, got the number 5");
  CHECK(error("apiVersion: v1\nkind: Pod\nmetadata: {name: 5}\n") ==
        "metadata.name: expected a string, got the number 5");
  CHECK(error("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\n"
              "metadata: {name: 5}\n") ==
        "documents[1].metadata.name: expected a string, got the number 5");
  ParseOptions options;
  const Result<ObjectSet> set = parse_objects(
      std::string(kPod) + R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","x":1}})",
      options);
  REQUIRE(set.ok());
  REQUIRE(set->warnings.size() == 1);
  CHECK(set->warnings[0].path == "documents[1].metadata.x");
}

TEST_CASE("bad input: errors far inside a long list") {
  std::string text = R"({"kind":"PodList","apiVersion":"v1","items":[)";
  for (int i = 0; i < 5000; ++i) {
    text += R"({"metadata":{"name":"pod-)" + std::to_string(i) + R"("},"spec":{"nodeName":)" +
            (i == 4321 ? "7" : "\"" + std::string(100, 'n') + "\"") + "}},";
  }
  text.back() = ']';
  CHECK(error(text + "}") == "items[4321].spec.nodeName: expected a string, got the number 7");
  text.replace(text.find(":7}"), 3, ":\"7}");
  CHECK(error(text + "}").starts_with("items[4321].spec"));
  CHECK(error(text.substr(0, text.size() / 2)).find("unexpected end of JSON input") !=
        std::string::npos);
}

TEST_CASE("bad input: every prefix of a document is refused") {
  const std::string text =
      R"({"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","labels":{"x":"\n"}},)"
      R"("spec":{"containers":[{"resources":{"requests":{"cpu":1.5}}}],"hostNetwork":true,"x":null}}]})";
  REQUIRE(parse_objects(text, {}).ok());
  for (size_t n = 1; n < text.size(); ++n) {
    CAPTURE(n);
    const Result<ObjectSet> set = parse_objects(text.substr(0, n), {});
    REQUIRE_FALSE(set.ok());
    CHECK_FALSE(set.error().message.empty());
  }
}

TEST_CASE("bad input: JSON that is cut off is a problem of JSON, with the place") {
  const std::string typed = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":
      {"nodeName":"x","priority":-1.5e0,"hostNetwork":true,"nodeSelector":{"a":"\u00e9"}}})";
  const std::string wrong_key = R"({"apiVersion":"v1","metadata":{"name":5}})";  // and no kind
  for (const std::string& text : {"[" + typed + "]", typed, wrong_key,
                                  R"({"kind":"List","apiVersion":"v1","items":[)" + typed + "]}"}) {
    for (size_t n = 1; n < text.size(); ++n) {
      const std::string cut = text.substr(0, n);
      CAPTURE(cut);
      for (const Format format : {Format::kAuto, Format::kJson}) {
        ParseOptions options;
        options.format = format;
        const std::string said = error(cut, options);
        CHECK(said.find("unexpected end of JSON input (line ") != std::string::npos);
        CHECK(said.find("YAML") == std::string::npos);
      }
    }
  }
  CHECK(error("[{\"apiVersion\":\"v1\"") ==
        "[0].apiVersion: unexpected end of JSON input (line 1, column 20)");
  CHECK(error(kPod + std::string("\n{\"apiVersion\":\"v1\"")) ==
        "documents[1].apiVersion: unexpected end of JSON input (line 2, column 19)");
}

TEST_CASE("bad input: YAML in flow style is read, and its errors are YAML's") {
  CHECK(error("{apiVersion: v1, kind: Pod, metadata: {name: a}}") == "accepted");
  CHECK(error("{\"apiVersion\": v1, \"kind\": Pod, \"metadata\": {name: a}}") == "accepted");
  CHECK(error("[{\"kind\": Pod, \"apiVersion\": v1, \"metadata\": {\"name\": a}}]") == "accepted");
  CHECK(error("{\"kind\": \"Pod\", apiVersion: v1, metadata: {name: a},}") == "accepted");
  CHECK(error("{apiVersion: v1, kind: Pod, metadata: {name: a}") ==
        "did not find expected ',' or '}', while parsing a flow mapping of line 1 (line 2, column "
        "1)");
  CHECK(error("{\"apiVersion\": v1, \"kind\": Pod, \"metadata\": {name: a}") ==
        "apiVersion: invalid character 'v' looking for beginning of value (line 1, column 16); as "
        "YAML: did not find expected ',' or '}', while parsing a flow mapping of line 1 (line 2, "
        "column 1)");
}

// The places of YAML that follows JSON are those of the whole text.
TEST_CASE("bad input: places in YAML behind a document of JSON") {
  CHECK(error(std::string(kPod) + "\n---\n{\"a\": [}").ends_with("(line 3, column 8)"));
  CHECK(
      error("\n" + std::string(kPod) + "\n---\na: 1\n---\nb:\n- [\n") ==
      "documents[1]: invalid character '-' in numeric literal (line 3, column 2); as YAML: did not "
      "find expected node content, while parsing a flow node (line 8, column 1)");
  CHECK(
      error(std::string(kPod) + " x: ]") ==
      "documents[1]: invalid character 'x' looking for beginning of value (line 1, column 58); as "
      "YAML: did not find expected node content, while parsing a block node (line 1, column 61)");
}

}  // namespace libsched::bad_input_test
