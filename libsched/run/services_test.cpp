// Services: pods that may still be cancelled before they are bound, and pods to retry.
#include "libsched/framework/services.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::services_test {

TEST_CASE("a pod in PreBind is cancelled or bound, never both") {
  PodsInPreBind pods;
  CHECK_FALSE(pods.cancel("u", "preempted"));
  pods.add("u");
  CHECK(pods.cancelled("u").empty());
  SUBCASE("called off first") {
    CHECK(pods.cancel("u", "preempted"));
    CHECK(pods.cancel("u", "again"));
    CHECK(pods.cancelled("u") == "preempted");
    CHECK_FALSE(pods.mark_prebound("u"));
  }
  SUBCASE("prebound first") {
    CHECK(pods.mark_prebound("u"));
    CHECK_FALSE(pods.cancel("u", "preempted"));
    CHECK(pods.cancelled("u").empty());
    CHECK(pods.mark_prebound("u"));
  }
  SUBCASE("gone") {
    pods.remove("u");
    pods.remove("u");
    CHECK_FALSE(pods.cancel("u", "preempted"));
  }
  pods.add("u");  // again
  CHECK(pods.cancelled("u").empty());
  CHECK(pods.mark_prebound("u"));
}

TEST_CASE("a pod in PreBind is cancelled or bound by one of two threads") {
  for (int i = 0; i < 50; ++i) {
    PodsInPreBind pods;
    pods.add("u");
    bool off = false;
    std::thread other([&] { off = pods.cancel("u", "preempted"); });
    const bool bound = pods.mark_prebound("u");
    other.join();
    CHECK(off != bound);
  }
}

TEST_CASE("pods to retry are taken once") {
  const Ref<Services> services = make_ref<Services>();
  const PodRef a = fake_pod("a");
  services->activate({{"default/a", a}, {"default/b", fake_pod("b")}});
  services->activate({{"default/a", a}});
  CHECK(services->take_activated().size() == 2);
  CHECK(services->take_activated().empty());
}

}  // namespace libsched::services_test
