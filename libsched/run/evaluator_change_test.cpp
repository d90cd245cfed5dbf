// PreFilterExtensions: which plugins run, in which order, with whose data, and the errors.
#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::evaluator_change_test {

struct Count final : PluginData {
  int count = 0;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Count>(*this); }
};
int count_in(const CycleState& state, size_t entry) {
  return static_cast<const Count*>(state.entries()[entry].data.get())->count;
}

// Counts the pods in its data, and records its calls.
Fake counting(const std::string& name, std::string* log, const Status& pre = {},
              const Status& said = {}) {
  Fake fake;
  fake.name = name;
  fake.pre_filter = [pre](const PreFilterCall& call, PreFilterResult*) -> Result<Status> {
    auto data = std::make_shared<Count>();
    data->view_version = call.view.version();
    *call.data = std::move(data);
    return pre;
  };
  const auto change = [=](const PodChange& call, int delta) {
    *log += name + (delta > 0 ? "+" : "-") + std::string(call.other.meta.name) + "@" +
            call.node.name() + " ";
    if (call.data != nullptr) static_cast<Count*>(call.data)->count += delta;
    return said;
  };
  fake.add_pod = [=](const PodChange& call) { return change(call, 1); };
  fake.remove_pod = [=](const PodChange& call) { return change(call, -1); };
  return fake;
}

std::string text(const Result<Status>& ran) {
  if (!ran.ok()) return "error: " + ran.error().text();
  return std::string(code_name(ran->code)) + " " + ran->plugin + " " + ran->message();
}

TEST_CASE("extensions run in the order of PreFilter, without those that were skipped") {
  std::string log;
  FakeWorld w({counting("B", &log), counting("S", &log, Status(Code::kSkip)),
               pre_filter_says("None", Status()), counting("A", &log)});
  const PodRef other = fake_pod("o");
  REQUIRE(w.pre_filter().success());
  CHECK(text(w.evaluator.run_add_pod(*w.state, *w.pod, *other, 1)) == "Success  ");
  CHECK(text(w.evaluator.run_remove_pod(*w.state, *w.pod, *other, 0)) == "Success  ");
  CHECK(log == "B+o@n2 A+o@n2 B-o@n1 A-o@n1 ");
}

TEST_CASE("extensions change the data of one state only") {
  std::string log;
  FakeWorld w({counting("A", &log)});
  const PodRef other = fake_pod("o");
  REQUIRE(w.pre_filter().success());
  size_t at = 0;
  while (!w.state->entries()[at].data) ++at;
  const std::shared_ptr<PluginData> held = w.state->entries()[at].data;  // shared: it is cloned
  const Ref<CycleState> copy = w.state->clone();
  CHECK(w.evaluator.run_add_pod(*w.state, *w.pod, *other, 0).ok());
  CHECK(count_in(*w.state, at) == 1);
  CHECK(count_in(*copy, at) == 0);
  CHECK(static_cast<const Count&>(*held).count == 0);
}

TEST_CASE("an extension that fails ends the call with upstream's text") {
  std::string log;
  FakeWorld w(
      {counting("A", &log, {}, Status(Code::kUnschedulable, "no \"way\"")), counting("B", &log)});
  const PodRef other = fake_pod("o");
  REQUIRE(w.pre_filter().success());
  CHECK(text(w.evaluator.run_add_pod(*w.state, *w.pod, *other, 0)) ==
        "Error  running AddPod on PreFilter plugin \"A\": no \"way\"");
  CHECK(text(w.evaluator.run_remove_pod(*w.state, *w.pod, *other, 0)) ==
        "Error  running RemovePod on PreFilter plugin \"A\": no \"way\"");
  CHECK(log == "A+o@n1 A-o@n1 ");
}

TEST_CASE("extensions need a state of this pod, a node, and the view of PreFilter") {
  std::string log;
  FakeWorld w({counting("A", &log)});
  const PodRef other = fake_pod("o");
  const auto code = [&](const Pod& pod, uint32_t row) {
    const Result<Status> ran = w.evaluator.run_add_pod(*w.state, pod, *other, row);
    return ran.ok() ? Rc::kOk : ran.error().rc;
  };
  CHECK(code(*w.pod, 0) == Rc::kOk);  // as upstream: plugins report missing data
  log.clear();
  REQUIRE(w.pre_filter().success());
  CHECK(code(*other, 0) == Rc::kState);
  CHECK(code(*w.pod, 99) == Rc::kNotFound);
  CHECK(code(*w.pod, kNoId) == Rc::kNotFound);
  w.add("n4");
  CHECK(code(*w.pod, 0) == Rc::kStale);
  Evaluator elsewhere(fake_framework(w.fakes), w.cluster);
  const Result<Status> ran = elsewhere.run_add_pod(*w.state, *w.pod, *other, 0);
  REQUIRE_FALSE(ran.ok());
  CHECK(ran.error().rc == Rc::kMisuse);
  CHECK(log.empty());
}

}  // namespace libsched::evaluator_change_test
