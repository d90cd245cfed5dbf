// The C API from C++ (libsched/libsched.hpp): handles with owners, and errors as exceptions.
#include <doctest/doctest.h>

#include <libsched/libsched.hpp>

namespace sdk = libsched::sdk;

namespace {

constexpr const char* kNode = R"({"kind":"Node","metadata":{"name":"n"},)"
                              R"("status":{"allocatable":{"cpu":"1","pods":"9"}}})";

// Calls a function that must throw, and returns the error.
template <typename F>
sdk::Error thrown(F&& f) {
  try {
    f();
  } catch (const sdk::Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return sdk::Error(LIBSCHED_OK, "");
}

}  // namespace

TEST_CASE("functions of the C API take handles and texts, and give owned handles") {
  const sdk::Handle<libsched_cluster> cluster = sdk::make(libsched_cluster_create, nullptr);
  const auto node = sdk::make(libsched_node_parse, kNode, nullptr);
  const libsched_node* const nodes[] = {node.get()};
  sdk::check(libsched_cluster_add_nodes, cluster, nodes, size_t{1});
  const auto pod =
      sdk::make(libsched_pod_parse, std::string(R"({"metadata":{"name":"p"}})"), nullptr);
  const auto framework = sdk::make(libsched_framework_create, nullptr, "", nullptr, nullptr);
  const auto evaluator = sdk::make(libsched_evaluator_create, framework, cluster, nullptr);
  const auto fit = sdk::make(libsched_check_pod_fits, evaluator, pod, std::string_view(), nullptr);
  CHECK(libsched_decision_feasible_count(fit.get()) == 1);
  CHECK(sdk::view(libsched_decision_feasible(fit.get(), 0)) == "n");
  sdk::check(libsched_cluster_remove_node, cluster, "n");
  CHECK(libsched_view_node_count(libsched_cluster_view(cluster.get())) == 0);
  CHECK(sdk::view(libsched_str{nullptr, 0}).empty());
}

TEST_CASE("an error is an exception with its code, message, place and plugin") {
  const sdk::Error wrong = thrown([] {
    sdk::make(libsched_pod_parse, R"({"metadata":{"name":"p"},"spec":{"nodeName":7}})", nullptr);
  });
  CHECK(wrong.code() == LIBSCHED_ERR_INVALID);
  CHECK(wrong.path() == "spec.nodeName");
  CHECK(wrong.what() == wrong.path() + ": " + wrong.message());
  CHECK(wrong.plugin().empty());

  const auto registry = sdk::make(libsched_registry_create);
  const sdk::Error unknown =
      thrown([&] { sdk::check(libsched_registry_enable, registry, "Nobody", 0); });
  CHECK(unknown.code() == LIBSCHED_ERR_NOT_FOUND);
  CHECK(unknown.plugin() == "Nobody");
  CHECK(unknown.path().empty());
  CHECK(unknown.what() == unknown.message());
}

TEST_CASE("an error that the library could not make is told by its code") {
  CHECK(thrown([] { sdk::check(LIBSCHED_ERR_NO_MEMORY, nullptr); }).code() ==
        LIBSCHED_ERR_NO_MEMORY);
  CHECK_NOTHROW(sdk::check(LIBSCHED_OK, nullptr));
}
