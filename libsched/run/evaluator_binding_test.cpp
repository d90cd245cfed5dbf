// From Reserve to PostBind, PostFilter and signatures: order, texts, groups. The plugins are fakes.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_binding_test {

using Names = std::vector<std::string>;

const Status kNo(Code::kUnschedulable, "no");

Status with_error(Code code, const std::string& error) {
  Status s(code);
  s.set_error(error);
  return s;
}

// A fake at one point that logs its calls.
struct Log {
  Names calls;
  Fake permit(const std::string& name, const Status& s, int64_t timeout = 0) {
    Fake f;
    f.name = name;
    f.permit = [this, name, s, timeout](const BindingCall& c, int64_t* out) {
      calls.push_back(name + "@" + std::string(c.node));
      CHECK(PluginScope::call_of(c.state)->asker != nullptr);
      *out = timeout;
      return s;
    };
    return f;
  }
  Fake pre_bind(const std::string& name, const Status& s, bool parallel = false,
                const Status& flight = {}) {
    Fake f;
    f.name = name;
    f.pre_flight = [flight, parallel](const BindingCall&, bool* allow) {
      *allow = parallel;
      return flight;
    };
    f.pre_bind = [this, name, s](const BindingCall&) {
      calls.push_back(name);
      return s;
    };
    return f;
  }
  Fake bind(const std::string& name, const Status& s) {
    Fake f;
    f.name = name;
    f.bind = [this, name, s](const BindingCall&) {
      calls.push_back(name);
      return s;
    };
    return f;
  }
  Fake post_filter(const std::string& name, const Status& s, std::optional<Nomination> n = {}) {
    Fake f;
    f.name = name;
    f.post_filter = [this, name, s, n](const PostFilterCall&, std::optional<Nomination>* out) {
      calls.push_back(name);
      *out = n;
      return s;
    };
    return f;
  }
};

struct Permitted {
  Status status;
  std::vector<PermitWait> waits;
};
Permitted permit(FakeWorld& w) {
  Permitted out;
  out.status = w.evaluator.run_permit(*w.state, *w.pod, "n1", &out.waits).value();
  return out;
}

TEST_CASE("Reserve and Unreserve alone: by the node's name, also if the node is gone") {
  std::vector<uint32_t> rows;
  Names nodes;
  Status says;
  Fake fake;
  fake.name = "R";
  fake.reserve = [&](const ReserveCall& c) {
    rows.push_back(c.row);
    nodes.emplace_back(c.node);
    return says;
  };
  fake.unreserve = [&](const ReserveCall& c) {
    rows.push_back(c.row);
    nodes.emplace_back(c.node);
  };
  FakeWorld w({fake});
  CHECK(w.evaluator.run_reserve(*w.state, *w.pod, "n2").value().success());
  CHECK(w.evaluator.run_unreserve(*w.state, *w.pod, "gone").ok());
  CHECK(rows == std::vector<uint32_t>{1, kNoId});
  CHECK(nodes == Names{"n2", "gone"});
  CHECK(w.cluster->view().pod_count() == 0);  // the caller manages the pod
  says = with_error(Code::kError, "broken");
  CHECK(w.evaluator.run_reserve(*w.state, *w.pod, "n2").value() ==
        Status::from_error("running Reserve plugin \"R\": broken"));
  says = kNo;
  CHECK(w.evaluator.run_reserve(*w.state, *w.pod, "n2").value().plugin == "R");
  Evaluator on_snapshot(FrameworkRef::share(&w.evaluator.framework()), w.cluster->snapshot());
  CHECK(on_snapshot.run_reserve(*w.state, *w.pod, "n2").error().rc == Rc::kState);
}

TEST_CASE("Permit: which plugins wait, for how long, and which stops it") {
  Log log;
  const Status wait(Code::kWait, "later");
  SUBCASE("all let it pass") {
    FakeWorld w({log.permit("A", {}), log.permit("B", {})});
    const Permitted p = permit(w);
    CHECK(p.status == Status());
    CHECK(p.waits.empty());
    CHECK(log.calls == Names{"A@n1", "B@n1"});
  }
  SUBCASE("two wait, at most a quarter of an hour") {
    FakeWorld w({log.permit("A", wait, 5), log.permit("B", Status(Code::kWait), INT64_MAX),
                 log.permit("C", {})});
    const Permitted p = permit(w);
    CHECK(p.status.code == Code::kWait);
    CHECK(p.status.reasons ==
          Names{"one or more plugins asked to wait and no plugin rejected pod"});
    CHECK(p.status.plugin.empty());
    REQUIRE(p.waits.size() == 2);
    CHECK(p.waits[0].timeout_ns == 5);
    CHECK(p.waits[1].plugin == "B");
    CHECK(p.waits[1].timeout_ns == 900'000'000'000);
  }
  SUBCASE("one rejects after another waits") {
    FakeWorld w({log.permit("A", wait, 5), log.permit("B", kNo), log.permit("C", {})});
    const Permitted p = permit(w);
    CHECK(p.status.code == Code::kUnschedulable);
    CHECK(p.status.plugin == "B");
    CHECK(p.waits.empty());
    CHECK(log.calls.size() == 2);
  }
  SUBCASE("Skip is none of its codes") {
    FakeWorld w({log.permit("A", Status(Code::kSkip))});
    const Permitted p = permit(w);
    CHECK(p.status.plugin == "A");
    CHECK(p.status.error == "running Permit plugin \"A\": %!w(<nil>)");
  }
}

TEST_CASE("WaitOnPermit ends with the decision, and the pod no longer waits") {
  FakeWorld w({});
  CHECK(w.evaluator.wait_on_permit(*w.pod).value().success());
  const PodRef pod = copy_pod(*w.pod, "p", "default", "u", "");
  WaitingPods& waiting = w.evaluator.services().waiting_pods();
  const auto add = [&] {
    return waiting.add(pod, {{"A", 1'500'000}}, w.evaluator.services().clock_ref());
  };
  add()->allow("A");
  CHECK(w.evaluator.wait_on_permit(*pod).value() == Status());
  CHECK(waiting.get("u") == nullptr);
  add();
  CHECK(w.evaluator.wait_on_permit(*pod).value().message() ==
        "rejected due to timeout after waiting 1.5ms at plugin A");
  add()->preempt("P", "make room");
  const Status s = w.evaluator.wait_on_permit(*pod).value();
  CHECK(s.error == "waiting on permit for pod: make room");
  CHECK(s.plugin == "P");
  CHECK(waiting.get("u") == nullptr);
}

TEST_CASE("PreBindPreFlight: Success if a plugin acts, Skip if none does; other codes are errors") {
  Log log;
  const Status skip(Code::kSkip);
  const auto flight = [](FakeWorld& w) {
    return w.evaluator.run_pre_bind_pre_flights(*w.state, *w.pod, "n1").value();
  };
  SUBCASE("some") {
    FakeWorld w({log.pre_bind("A", {}, true, skip), log.pre_bind("B", {}, true),
                 log.pre_bind("C", {}, false)});
    CHECK(flight(w) == Status());
    CHECK(w.state->entries()[0].skip_pre_bind);
    CHECK(w.state->entries()[0].parallel_pre_bind);
    CHECK_FALSE(w.state->entries()[1].skip_pre_bind);
    CHECK(w.state->entries()[1].parallel_pre_bind);
    CHECK_FALSE(w.state->entries()[2].parallel_pre_bind);
  }
  SUBCASE("none, and no plugin") {
    FakeWorld w({log.pre_bind("A", {}, true, skip)});
    CHECK(flight(w).code == Code::kSkip);
    FakeWorld empty({});
    CHECK(flight(empty).code == Code::kSkip);
  }
  SUBCASE("an error leaves the state") {
    FakeWorld w({log.pre_bind("A", {}, true, skip),
                 log.pre_bind("B", {}, true, with_error(Code::kError, "broken"))});
    CHECK(flight(w).error == "running PreBindPreFlight \"B\": broken");
    CHECK_FALSE(w.state->entries()[0].skip_pre_bind);
  }
  SUBCASE("a rejection") {
    FakeWorld w({log.pre_bind("A", {}, true, kNo)});
    CHECK(flight(w).error ==
          "PreBindPreFlight A returned \"Unschedulable\", which is unsupported. It is supposed to "
          "return Success, Skip, or Error status");
  }
}

TEST_CASE("PreBind: groups of neighbours; a failure ends its group and the rest") {
  Log log;
  const auto run = [](FakeWorld& w) {
    CHECK(w.evaluator.run_pre_bind_pre_flights(*w.state, *w.pod, "n1").ok());
    return w.evaluator.run_pre_bind(*w.state, *w.pod, "n1").value();
  };
  SUBCASE("all") {
    FakeWorld w({log.pre_bind("A", {}, true), log.pre_bind("B", {}, true, Status(Code::kSkip)),
                 log.pre_bind("C", {})});
    CHECK(run(w) == Status());
    CHECK(log.calls == Names{"A", "C"});
  }
  SUBCASE("one rejects") {
    FakeWorld w({log.pre_bind("A", kNo, true), log.pre_bind("B", {}, true), log.pre_bind("C", {})});
    const Status s = run(w);
    CHECK(s.plugin == "A");
    CHECK(s.message() == "no");
    CHECK(log.calls == Names{"A"});
  }
  SUBCASE("one fails") {
    FakeWorld w({log.pre_bind("A", {}), log.pre_bind("B", with_error(Code::kError, "broken"))});
    CHECK(run(w) == Status::from_error("running PreBind plugin \"B\": broken"));
  }
  SUBCASE("without pre-flights every plugin is asked") {
    FakeWorld w({log.pre_bind("A", {}, true, Status(Code::kSkip))});
    CHECK(w.evaluator.run_pre_bind(*w.state, *w.pod, "n1").value().success());
    CHECK(log.calls == Names{"A"});
  }
}

TEST_CASE("PreBind: neighbours run on parallel threads if the evaluator allows it") {
  std::atomic<int> met{0};
  std::atomic<bool> elsewhere{false};
  const std::thread::id here = std::this_thread::get_id();
  const auto meets = [&](const std::string& name, Plugin::Threading threading, bool parallel) {
    Fake f;
    f.name = name;
    f.threading = threading;
    f.pre_flight = [parallel](const BindingCall&, bool* allow) {
      *allow = parallel;
      return Status();
    };
    f.pre_bind = [&, threading](const BindingCall&) {
      if (std::this_thread::get_id() != here) elsewhere = true;
      if (threading == Plugin::Threading::kCallerThread && std::this_thread::get_id() != here)
        return Status(Code::kError, "another thread");
      ++met;  // the others run only if none waits for this call
      while (met < 3) std::this_thread::yield();
      return Status();
    };
    return f;
  };
  FakeWorld w({meets("A", Plugin::Threading::kConcurrent, true),
               meets("B", Plugin::Threading::kCallerThread, true),
               meets("C", Plugin::Threading::kConcurrent, true),
               meets("D", Plugin::Threading::kConcurrent, false)});
  REQUIRE(w.evaluator.set_parallelism(8).ok());
  CHECK(w.evaluator.run_pre_bind_pre_flights(*w.state, *w.pod, "n1").ok());
  CHECK(w.evaluator.run_pre_bind(*w.state, *w.pod, "n1").value() == Status());
  CHECK(met == 4);
  CHECK(elsewhere);
}

TEST_CASE("Bind: Skip hands over to the next plugin, and PostBind runs for all") {
  Log log;
  const auto bind = [](FakeWorld& w) {
    return w.evaluator.run_bind(*w.state, *w.pod, "n1").value();
  };
  const Status skip(Code::kSkip, "not mine");
  SUBCASE("the second binds") {
    Fake a = log.bind("A", skip), b = log.bind("B", {});
    a.post_bind = [&](const BindingCall& c) { log.calls.push_back("post " + std::string(c.node)); };
    FakeWorld w({a, b, log.bind("C", {})});
    CHECK(bind(w) == Status());
    CHECK(w.evaluator.run_post_bind(*w.state, *w.pod, "n1").ok());
    CHECK(log.calls == Names{"A", "B", "post n1"});
  }
  SUBCASE("nobody binds") {
    FakeWorld w({log.bind("A", skip)});
    CHECK(bind(w) == skip);
    FakeWorld empty({});
    CHECK(bind(empty).code == Code::kSkip);
  }
  SUBCASE("rejected, failed") {
    FakeWorld w({log.bind("A", kNo)});
    CHECK(bind(w).plugin == "A");
    FakeWorld failed({log.bind("A", with_error(Code::kError, "conflict"))});
    CHECK(bind(failed) == Status::from_error("running Bind plugin \"A\": conflict"));
  }
}

TEST_CASE("PostFilter: reasons are collected until a plugin has made room") {
  Log log;
  std::optional<Nomination> n;
  const auto run = [&](FakeWorld& w) {
    return w.evaluator.run_post_filter(*w.state, *w.pod, {}, &n).value();
  };
  SUBCASE("Success ends it, and forgets what was said before") {
    FakeWorld w({log.post_filter("A", kNo, Nomination{true, "n1"}),
                 log.post_filter("B", Status(Code::kSuccess, "room"), Nomination{true, "n2"}),
                 log.post_filter("C", {})});
    const Status s = run(w);
    CHECK(s.success());
    CHECK(s.reasons == Names{"room"});
    REQUIRE(n.has_value());
    CHECK(n->node == "n2");
    CHECK(log.calls == Names{"A", "B"});
  }
  SUBCASE("all refuse: the first is named, the last nomination that says something stays") {
    FakeWorld w({log.post_filter("A", with_error(Code::kPending, "why"), Nomination{true, ""}),
                 log.post_filter("B", kNo, Nomination{}), log.post_filter("C", kNo)});
    const Status s = run(w);
    CHECK(s.code == Code::kUnschedulable);
    CHECK(s.plugin == "A");
    CHECK(s.reasons == Names{"why", "no", "no"});
    CHECK_FALSE(s.error.has_value());
    REQUIRE(n.has_value());
    CHECK(n->override_node);
  }
  SUBCASE("unresolvable and Error end it") {
    FakeWorld w(
        {log.post_filter("A", Status(Code::kUnschedulableAndUnresolvable, "never"), Nomination{}),
         log.post_filter("B", {})});
    CHECK(run(w).plugin == "A");
    CHECK(n.has_value());
    FakeWorld failed({log.post_filter("A", kNo, Nomination{true, "n1"}),
                      log.post_filter("B", Status(Code::kError, "broken"))});
    const Status s = run(failed);
    CHECK(s.plugin == "B");
    CHECK(s.error == "broken");
    CHECK_FALSE(n.has_value());
  }
  SUBCASE("Skip is an error, no plugin at all is none") {
    FakeWorld w({log.post_filter("A", Status(Code::kSkip))});
    CHECK(run(w).message() == "PostFilter plugin \"A\" returned Skip");
    FakeWorld empty({});
    CHECK(run(empty) == Status(Code::kUnschedulable));
    empty.state->set_skip_all_post_filter(true);
    CHECK(run(empty).message() == "All PostFilter plugins are skipped");
  }
}

Fake signer(const std::string& name, std::vector<SignFragment> parts, const Status& s = {}) {
  Fake f = filter_rejects(name, {}, kNo);
  f.sign = [parts = std::move(parts), s](const Pod&, std::vector<SignFragment>* out) {
    *out = parts;
    return s;
  };
  return f;
}

TEST_CASE("a signature is Go's JSON of all parts") {
  FakeWorld w({signer("A", {{"k<", R"({ "b" : "<&>\" é" , "a": [1.50, 1e3] })"}, {"Z", "null"}}),
               signer("B", {{"A", "\"x\""}, {"Z", "1"}})});
  w.pod = *parse_pod("metadata: {name: p}\nspec: {schedulerName: mine}", {});
  CHECK(w.evaluator.sign_pod(*w.pod) ==
        R"({"A":"x","Z":1,"k\u003c":{"b":"\u003c\u0026\u003e\" é","a":[1.50,1e3]},)"
        R"("v1.Pod.Spec.SchedulerName":"mine"})");
}

TEST_CASE("a pod has no signature if a plugin cannot sign it, refuses, or writes no JSON") {
  FakeWorld no({signer("A", {}), signer("B", {}, Status(Code::kUnschedulable))});
  CHECK(no.evaluator.sign_pod(*no.pod).empty());
  FakeWorld broken({signer("A", {{"k", "{"}})});
  CHECK(broken.evaluator.sign_pod(*broken.pod).empty());
  FakeWorld unable({signer("A", {}), filter_rejects("B", {}, kNo)});
  CHECK_FALSE(unable.evaluator.framework().signs());
  CHECK(unable.evaluator.sign_pod(*unable.pod).empty());
  FakeWorld elsewhere({signer("A", {}), pre_filter_says("B", {})});
  CHECK(elsewhere.evaluator.sign_pod(*elsewhere.pod).empty());
  Log log;
  FakeWorld other_points({signer("A", {}), log.bind("B", {})});
  CHECK_FALSE(other_points.evaluator.sign_pod(*other_points.pod).empty());
}

}  // namespace libsched::evaluator_binding_test
