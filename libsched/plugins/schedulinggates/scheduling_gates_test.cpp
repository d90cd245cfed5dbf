// SchedulingGates: the text for a pod's gates, as Go prints the list.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::scheduling_gates_test {

TEST_CASE("a pod with gates waits for all of them") {
  Trial t("SchedulingGates", node_n());
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "Success"},
      {"{schedulingGates: []}", "Success"},
      {"{schedulingGates: null}", "Success"},
      {"{schedulingGates: [{name: a.example/one}]}",
       "UnschedulableAndUnresolvable: waiting for scheduling gates: [a.example/one]"},
      {"{schedulingGates: [{name: b}, {name: a}]}",
       "UnschedulableAndUnresolvable: waiting for scheduling gates: [b a]"},
      {"{schedulingGates: [{}, {name: a}]}",
       "UnschedulableAndUnresolvable: waiting for scheduling gates: [ a]"},
  };
  for (const auto& [spec, expected] : cases) {
    CAPTURE(spec);
    const PodRef pod = Trial::pod(spec);
    CHECK(text_of(t.evaluator().run_pre_enqueue(*pod)) == expected);
    CHECK(t.filter(*pod, "n") == "Success");  // gates do not concern Filter
  }
}

}  // namespace libsched::scheduling_gates_test
