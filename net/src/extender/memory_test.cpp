// What is read and written for extenders when memory runs out: each call fails, and the next one
// answers as if nothing had been.
#include <doctest/doctest.h>

#include "libsched/base/failing_operators_test.hpp"
#include "net/src/extender/documents.hpp"
#include "net/src/extender/http_extender.hpp"

namespace libsched::extender_memory_test {

template <typename Handle>
using Parse = libsched_rc (*)(libsched_str, const libsched_parse_options*, Handle**,
                              libsched_error**);

template <typename Handle>
Handle* parsed(Parse<Handle> parse, const std::string& text) {
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.keep_raw = true;
  Handle* made = nullptr;
  REQUIRE(parse({text.data(), text.size()}, &options, &made, nullptr) == LIBSCHED_OK);
  return made;
}

// What a function writes, which fails at each of its allocations first.
template <typename F>
std::string written(F&& write) {
  std::string out;
  CHECK(run_out_of_memory([&] {
          Result<std::string> text = write();
          if (!text.ok()) return false;
          out = std::move(*text);
          return true;
        }) > 3);
  return out;
}

TEST_CASE("the document of a pod is complete, or memory has run out") {
  libsched_pod* const pod = parsed<libsched_pod>(
      libsched_pod_parse,
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"uid":null,"name":"p","labels":{"limits":"a<b"}},)"
      R"( "spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1000m","memory":1024}}}],)"
      R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"1024Mi"}}]},"status":null})");
  CHECK(
      written([&] { return pod_document(pod); }) ==
      R"({"metadata":{"labels":{"limits":"a\u003cb"},"name":"p","namespace":"default"},)"
      R"("spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1024"}}}],)"
      R"("volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}]},"status":null})");
  libsched_pod_unref(pod);
}

TEST_CASE("the document of a node is complete, or memory has run out") {
  const NodeReference node(parsed<libsched_node>(
      libsched_node_parse,
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"},"status":{"capacity":{"cpu":"2000m"},)"
      R"("nodeInfo":{"machineID":"m","bootID":null}}})"));
  const libsched_node* const nodes[] = {node.get()};
  const std::string text = written([&]() -> Result<std::string> {
    NodeDocuments documents;
    std::string out;
    LIBSCHED_TRY(documents.append(nodes, 1, &out));
    return out;
  });
  CHECK(
      text ==
      R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"2"},"nodeInfo":{"machineID":"m",)"
      R"("systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"",)"
      R"("kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""},)"
      R"("daemonEndpoints":{"kubeletEndpoint":{"Port":0}}}})");
}

TEST_CASE("the configuration of an extender is read whole, or memory has run out") {
  HttpExtenderConfig got;
  CHECK(
      run_out_of_memory([&] {
        Result<HttpExtenderConfig> config = HttpExtenderConfig::read(
            R"({"urlPrefix":"http://a.example/an/address","filterVerb":"a verb that is rather long",)"
            R"("weight":-3,"nodeCacheCapable":true,"managedResources":[{"name":"a.example/resource",)"
            R"("ignoredByScheduler":true}],"tlsConfig":{"insecure":true,"serverName":"a.example.of.a.name"},)"
            R"("httpTimeoutNanoseconds":7})");
        if (!config.ok()) return false;
        got = std::move(*config);
        return true;
      }) > 3);
  CHECK(got.url_prefix == "http://a.example/an/address");
  CHECK(got.filter_verb == "a verb that is rather long");
  CHECK(got.bind_verb.empty());
  CHECK(got.weight == -3);
  CHECK(got.node_cache_capable);
  CHECK_FALSE(got.ignorable);
  CHECK(got.managed_resources == std::vector<std::string>{"a.example/resource"});
  CHECK(got.http.timeout_ns == 7);
  REQUIRE(got.http.tls);
  CHECK(got.http.tls->insecure);
  CHECK(got.http.tls->server_name == "a.example.of.a.name");
}

}  // namespace libsched::extender_memory_test
