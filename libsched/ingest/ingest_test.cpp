// The shapes of input that are accepted.
#include "libsched/ingest/ingest.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

namespace libsched::ingest_test {

constexpr const char* kPod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})";

ObjectSet parse(Str text, const ParseOptions& options = {}) {
  Result<ObjectSet> set = parse_objects(text, options);
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return std::move(*set);
}

std::string names(const ObjectSet& set) {
  std::string out;
  for (const PodRef& p : set.pods)
    out.append(p->meta.ns).append("/").append(p->meta.name).append(" ");
  for (const NodeRef& n : set.nodes) out.append("node:").append(n->meta.name).append(" ");
  for (const NamespaceRef& n : set.namespaces) out.append("ns:").append(n->meta.name).append(" ");
  return out;
}

std::string gzip(const std::string& text) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, text.size()) + 32, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

TEST_CASE("ingest: single objects, lists and arrays") {
  CHECK(names(parse(kPod)) == "default/a ");
  CHECK(names(parse(R"({"kind":"List","apiVersion":"v1","items":[
      {"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}},
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"x"}},
      {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"x"}}]})")) == "x/p node:n ns:x ");
  // As kubectl writes it: the kind after the items.
  CHECK(names(parse(std::string(R"({"apiVersion":"v1","items":[)") + kPod +
                    R"(],"kind":"List","metadata":{"resourceVersion":""}})")) == "default/a ");
  // As the API server writes it: items without kind and apiVersion.
  CHECK(names(parse(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[
      {"metadata":{"name":"a"}},{"metadata":{"name":"b"},"kind":"Pod","apiVersion":"v1"}]})")) ==
        "default/a default/b ");
  CHECK(names(parse(R"({"metadata":{},"items":[{"metadata":{"name":"n"}}],"apiVersion":"v1",
      "kind":"NodeList"})")) == "node:n ");
  CHECK(names(parse(R"({"items":[],"kind":"PodList","apiVersion":"v1"})")) == "");
  CHECK(names(parse(R"({"items":null,"kind":"PodList","apiVersion":"v1"})")) == "");
  CHECK(names(parse(R"({"kind":"List","apiVersion":"v1"})")) == "");
  // Lists in lists, and arrays of objects.
  CHECK(names(parse(std::string(R"({"kind":"List","apiVersion":"v1","items":[{"kind":"PodList",
      "apiVersion":"v1","items":[{"metadata":{"name":"b"}}]},)") +
                    kPod + "]}")) == "default/b default/a ");
  CHECK(names(parse(std::string("[") + kPod + "]")) == "default/a ");
  CHECK(names(parse("[]")) == "");
  // kind and apiVersion anywhere in the object.
  CHECK(
      names(parse(
          R"({"metadata":{"name":"a"},"spec":{},"kind":"Node","status":{},"apiVersion":"v1"})")) ==
      "node:a ");
  CHECK(names(parse(R"({"kind":"PodList","apiVersion":"v1","items":[
      {"metadata":{"name":"n"},"kind":"Node"}]})")) == "node:n ");
}

TEST_CASE("ingest: streams, white space, byte order mark, gzip") {
  const std::string two =
      std::string(kPod) + R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})";
  CHECK(names(parse(two)) == "default/a node:n ");
  CHECK(names(parse("\n " + two + "\n\n")) == "default/a node:n ");
  CHECK(names(parse("\xef\xbb\xbf" + two)) == "default/a node:n ");
  CHECK(names(parse(std::string(kPod) + "\nnull\n")) == "default/a ");
  CHECK(names(parse(gzip(two))) == "default/a node:n ");
  CHECK(names(parse(gzip("kind: Pod\napiVersion: v1\nmetadata: {name: yy}\n"))) == "default/yy ");
}

TEST_CASE("ingest: YAML goes through the same builder") {
  const ObjectSet set = parse(R"(# a comment
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {b: "1", a: x}}
spec:
  containers:
  - name: c
    resources: {requests: {cpu: 0.5, memory: 1Gi}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: node}}
---
)");
  CHECK(names(set) == "default/a node:node ");
  CHECK(set.pods[0]->meta.labels.size() == 2);
  CHECK(set.pods[0]->requests.milli_cpu == 500);
  // JSON that YAML separates, and flow style that looks like JSON.
  CHECK(names(parse(std::string(kPod) +
                    "\n---\nkind: Node\napiVersion: v1\nmetadata:\n  name: node\n")) ==
        "default/a node:node ");
  CHECK(names(parse("{kind: Node, apiVersion: v1, metadata: {name: node}}")) == "node:node ");
}

TEST_CASE("ingest: what begins as JSON may be YAML") {
  const auto error = [](const std::string& text) {
    const Result<ObjectSet> set = parse_objects(text, {});
    return set.ok() ? "accepted" : set.error().text();
  };
  const std::string node = R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"})";
  CHECK(names(parse(node + ",}")) == "node:n ");
  CHECK(names(parse(node + " # a comment\n}")) == "node:n ");
  CHECK(names(parse("\n " + node + ", 'spec': {unschedulable: yes}}")) == "node:n ");
  CHECK(names(parse(R"([{"kind": "Node", "apiVersion": "v1", "metadata": {"name": x}}])")) ==
        "node:x ");
  // YAML may follow one JSON document, but not two.
  const std::string other = "\n  kind: Node\n  apiVersion: v1\n  metadata: {name: m}\n";
  CHECK(names(parse(node + "}\n" + other)) == "node:n node:m ");
  CHECK(names(parse("\t" + node + "}\n---" + other)) == "node:n node:m ");
  CHECK(error(kPod + node + "}\n---" + other) ==
        "documents[2]: invalid character '-' in numeric literal (line 2, column 2)");
  // A value of the wrong type may turn out to be a word.
  CHECK(names(parse(R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": 1:}})")) ==
        "node:1: ");
  // For text that is neither, the error has JSON's reason and that of the reader that got further.
  CHECK(error(node + "]") ==
        "metadata: invalid character ']' after object key:value pair (line 1, column 63)");
  CHECK(error("{\"kind\": \"Node\", # x\n  \"metadata\": [}\n}") ==
        "invalid character '#' looking for beginning of object key string (line 1, column 18); as "
        "YAML: did not find expected node content, while parsing a flow node (line 2, column 16)");
  // JSON stays JSON, and its errors stay JSON's.
  CHECK(error(R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": 7}})") ==
        "metadata.name: expected a string, got the number 7");
  ParseOptions json;
  json.format = Format::kJson;
  CHECK_FALSE(parse_objects(node + ",}", json).ok());
}

TEST_CASE("ingest: gzip is limited on its own, and other compression named") {
  ParseOptions options;
  const std::string packed =
      gzip(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})" + std::string(4096, ' '));
  CHECK(parse_objects(packed, options).ok());
  options.max_decompressed_bytes = 4000;
  const Result<ObjectSet> set = parse_objects(packed, options);
  REQUIRE_FALSE(set.ok());
  CHECK(set.error().rc == Rc::kLimit);
  CHECK(
      set.error().message.ends_with("more than the limit of 4000 (option max_decompressed_bytes)"));
  options.max_bytes = 1000;
  CHECK(parse_objects(packed, options)
            .error()
            .message.ends_with("more than the limit of 1000 (option max_bytes)"));
  CHECK(ParseOptions().max_decompressed_bytes == size_t{1} << 30);
  CHECK(
      parse_objects("\x04\x22\x4d\x18...", {}).error().message ==
      "the document is compressed with lz4: decompress it first, only gzip, xz and zstd are read");
  CHECK(parse_objects(gzip(packed), {}).error().message ==
        "the document is compressed with a second format: decompress it first, only gzip, xz and "
        "zstd are read");
}

TEST_CASE("ingest: one pod, one node") {
  const Result<PodRef> pod = parse_pod(R"({"metadata":{"name":"a"}})", {});
  REQUIRE(pod.ok());
  CHECK((*pod)->meta.name == "a");
  CHECK((*pod)->spec.scheduler_name == "default-scheduler");
  const Result<PodRef> of_workload = parse_pod(
      R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","namespace":"x"},
          "spec":{"template":{"metadata":{"labels":{"app":"web"}},"spec":{"nodeName":"n"}}}})",
      {});
  REQUIRE(of_workload.ok());
  CHECK((*of_workload)->meta.name == "web");
  CHECK((*of_workload)->spec.node_name == "n");
  const Result<NodeRef> node = parse_node("metadata: {name: node}", {});
  REQUIRE(node.ok());
  CHECK((*node)->meta.name == "node");

  const auto pod_error = [](Str text) { return parse_pod(text, {}).error().text(); };
  CHECK(pod_error("[]") == "expected one Pod, got 0 objects");
  CHECK(pod_error(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})") ==
        "expected one Pod, got a Node");
  CHECK(pod_error(R"({"kind":"ConfigMap","apiVersion":"v1"})") ==
        "expected one Pod, got a v1 ConfigMap");
  CHECK(pod_error(R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"s"}})") ==
        "expected one Pod, got a Service");
  CHECK(pod_error(R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}])") ==
        "expected one Pod, got 2 objects");
  CHECK(parse_node(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"n"}})", {})
            .error()
            .text() == "expected one Node, got a Pod");
}

TEST_CASE("ingest: what is derived of a node is of the whole document, whatever its order") {
  const auto parsed = [](const std::string& document) {
    Result<ObjectSet> set = parse_objects(document, {});
    REQUIRE(set.ok());
    return set->nodes.at(0);
  };
  const std::string labels = R"("labels": {"topology.kubernetes.io/zone": "z", "a": "b",)"
                             R"( "topology.kubernetes.io/region": "r"})";
  const std::string status = R"("status": {"images": [{"names": ["x", "y"]}]})";
  const std::string kind = R"({"apiVersion": "v1", "kind": "Node", )";
  const NodeRef a = parsed(kind + R"("metadata": {"name": "n", )" + labels + "}, " + status + "}");
  const NodeRef b = parsed(kind + status + R"(, "metadata": {)" + labels + R"(, "name": "n"}})");
  CHECK(a->zone_key == Str("r:\0:z", 5));
  CHECK(b->zone_key == a->zone_key);
  CHECK(b->images_hash == a->images_hash);
  CHECK(a->images_hash != parsed(kind + R"("metadata": {"name": "n"}})")->images_hash);
}

TEST_CASE("ingest: skipped kinds and unknown fields are counted") {
  const ObjectSet set = parse(R"([
      {"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"s"}},
      {"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"s"}},
      {"kind":"Thing","apiVersion":"example.com/v1","spec":{"nodeSelectr":1}},
      {"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labls":{}},
       "spec":{"nodeSelectr":{"a":"b"},"containers":[{"name":"c","imge":"x"}],"dnsPolicy":"x"}},
      {"kind":"FooList","apiVersion":"example.com/v1","items":[{"metadata":{}},{}]}])");
  REQUIRE(set.skipped.size() == 3);
  CHECK(set.skipped[0].kind == "coordination.k8s.io/v1 Lease");
  CHECK(set.skipped[0].count == 2);
  CHECK(set.skipped[1].kind == "example.com/v1 Thing");
  CHECK(set.skipped[2].kind == "example.com/v1 Foo");
  CHECK(set.skipped[2].count == 2);
  CHECK(set.unknown_fields == 3);
  REQUIRE(set.warnings.size() == 3);
  CHECK(set.warnings[0].path == "[3].metadata.labls");
  CHECK(set.warnings[1].path == "[3].spec.nodeSelectr");
  CHECK(set.warnings[2].path == "[3].spec.containers[0].imge");
  CHECK(set.warnings[2].message == "unknown field; did you mean \"image\"?");
}

TEST_CASE("ingest: keep_raw keeps each object's document") {
  ParseOptions options;
  options.keep_raw = true;
  const std::string a = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"x":"\"}{"})";
  const ObjectSet set = parse("[ " + a +
                                  " , {\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":"
                                  "{\"name\":\"n\"} }\n]",
                              options);
  CHECK(set.pods[0]->raw == a);
  CHECK(set.nodes[0]->raw == R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"} })");
  CHECK(parse(a).pods[0]->raw == "");
}

TEST_CASE("ingest: static pods and emptyDir volumes are recognised") {
  const auto pod = [](const std::string& annotations, bool keep) {
    ParseOptions options;
    options.keep_annotations = keep;
    Result<PodRef> made = parse_pod(
        R"({"metadata":{"name":"a","annotations":)" + annotations + R"(},"spec":{}})", options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    return *made;
  };
  for (const bool keep : {false, true}) {
    CAPTURE(keep);
    CHECK(pod(R"({"x":"y","kubernetes.io/config.mirror":"abc"})", keep)->mirror);
    CHECK(pod("{\"kubernetes.io/config.mirror\" \n: \"abc\"}", keep)->mirror);
    CHECK_FALSE(pod(R"({"x":"kubernetes.io/config.mirror"})", keep)->mirror);
    CHECK_FALSE(pod(R"({"x":"{\"kubernetes.io/config.mirror\":\"a\"}"})", keep)->mirror);
    CHECK_FALSE(pod("{}", keep)->mirror);
    CHECK_FALSE(pod("null", keep)->mirror);
  }
  const PodRef yaml = parse_pod(
                          "metadata: {name: a, annotations: {kubernetes.io/config.mirror: b}}\n"
                          "spec: {volumes: [{name: v, emptyDir: {}}, {name: w, emptyDir: null}, "
                          "{name: x, hostPath: {path: "
                          "/}}]}",
                          {})
                          .value();
  CHECK(yaml->mirror);
  CHECK(copy_pod(*yaml, "b", "default", {}, {})->mirror);
  CHECK(yaml->spec.volumes[0].empty_dir);
  CHECK_FALSE(yaml->spec.volumes[1].empty_dir);
  CHECK_FALSE(yaml->spec.volumes[2].empty_dir);
}

TEST_CASE("ingest: annotations of pods and nodes are kept if asked for, also with keep_raw") {
  const std::string text =
      R"([{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{
      "b":"{\"x\":\"\u00e9\"}","a":"1","c":null}}},
    {"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}},
    {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","annotations":{"not":"this"}},
     "spec":{"template":{"metadata":{"annotations":{"but":"that"}},"spec":{}}}},
    {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"e"},
     "spec":{"template":{"spec":{}}}}])";
  ParseOptions keep, raw;
  keep.keep_annotations = raw.keep_raw = true;
  for (const ParseOptions& options : {keep, raw}) {
    const ObjectSet set = parse(text, options);
    const Span<KeyValue> of_pod = set.pods[0]->meta.annotations;
    REQUIRE(of_pod.size() == 3);
    CHECK(of_pod[0].key == "a");
    CHECK(of_pod[1].value == "{\"x\":\"\u00e9\"}");
    CHECK(of_pod[2].value == "");
    REQUIRE(find_annotation(set.pods[0]->meta, "a") != nullptr);
    CHECK(*find_annotation(set.pods[0]->meta, "a") == "1");
    CHECK(find_annotation(set.pods[0]->meta, "d") == nullptr);
    CHECK(set.nodes[0]->meta.annotations_kept());
    CHECK(set.nodes[0]->meta.annotations.empty());
    REQUIRE(set.workloads[0]->pod->meta.annotations.size() == 1);
    CHECK(set.workloads[0]->pod->meta.annotations[0].value == "that");
    CHECK(set.workloads[1]->pod->meta.annotations_kept());
    CHECK(copy_pod(*set.pods[0], "x", "y", "", "")->meta.annotations.size() == 3);
  }
  const ObjectSet without = parse(text);
  CHECK_FALSE(without.pods[0]->meta.annotations_kept());
  CHECK_FALSE(without.nodes[0]->meta.annotations_kept());
  CHECK_FALSE(without.workloads[0]->pod->meta.annotations_kept());
  CHECK(without.pods[0]->content_hash != parse(text, keep).pods[0]->content_hash);

  const auto refused = [&](const std::string& annotations, const ParseOptions& options) {
    const std::string node = R"({"metadata":{"name":"n","annotations":)" + annotations + "}}";
    const Result<NodeRef> parsed = parse_node(node, options);
    return parsed.ok() ? "" : parsed.error().text();
  };
  for (const ParseOptions& options : {ParseOptions(), keep}) {
    CHECK(refused(R"({"a":1})", options) ==
          "metadata.annotations.a: expected a string, got the number 1");
    CHECK(refused("[]", options) == "metadata.annotations: expected an object, got an array");
    CHECK(refused("null", options) == "");
  }
  CHECK(refused(R"({"a":"","a":""})", keep) == "metadata.annotations.a: duplicate key");
}

TEST_CASE("ingest: long lists, read a window at a time") {
  const auto list = [](bool typed, size_t count, size_t filler) {
    std::string text = typed ? R"({"kind":"PodList","apiVersion":"v1","items":[)"
                             : R"({"apiVersion":"v1","items":[)";
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) text += ",";
      text += typed ? "{" : R"({"apiVersion":"v1","kind":"Pod",)";
      text += R"("metadata":{"name":"pod-)" + std::to_string(i) +
              R"(","annotations":{"a":"{\"b\":{\"c\"}",)" + R"("f":")" +
              std::string(filler * (i % 5), '{') + R"("}},"spec":{"nodeName":"n)" +
              std::to_string(i) + R"("}})";
    }
    return text + (typed ? "]}" : R"(],"kind":"List","metadata":{}})");
  };
  for (const bool typed : {false, true}) {
    for (const size_t filler : {size_t{0}, size_t{300}, size_t{100000}}) {
      const size_t count = filler > 1000 ? 30 : 4000;
      const ObjectSet set = parse(list(typed, count, filler));
      REQUIRE(set.pods.size() == count);
      for (size_t i = 0; i < count; ++i) {
        REQUIRE(set.pods[i]->meta.name == "pod-" + std::to_string(i));
        REQUIRE(set.pods[i]->spec.node_name == "n" + std::to_string(i));
      }
    }
  }
  std::string stream;
  for (int i = 0; i < 20000; ++i) {
    stream +=
        R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n)" + std::to_string(i) + "\"}}\n";
  }
  CHECK(parse(stream).nodes.size() == 20000);
}

}  // namespace libsched::ingest_test
