// First fit: which nodes it tries, its results, and its errors. The plugins are fakes.
#include "libsched/scheduler/first_fit.hpp"

#include <algorithm>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::first_fit_test {

using Names = std::vector<std::string>;

// Accepts these nodes only, and records which it judged.
Fake takes(const Names& nodes, Names* asked = nullptr) {
  Fake fake;
  fake.name = "F";
  fake.filter = [nodes, asked](const FilterCall&, const Node& node) {
    if (asked != nullptr) asked->emplace_back(node.meta.name);
    const bool yes = std::find(nodes.begin(), nodes.end(), node.meta.name) != nodes.end();
    return yes ? Status() : Status(Code::kUnschedulable, "no");
  };
  return fake;
}

struct Search {
  explicit Search(std::vector<Fake> fakes, const Names& nodes = {"n1", "n2", "n3"})
      : w(std::move(fakes), nodes) {}
  Result<Fit> operator()(const FilterOptions& options = {}) {
    return first_fit(w.evaluator, *w.state, *w.pod, options);
  }
  // "name@position", or "" if no node fits.
  std::string found(size_t start = 0, std::optional<uint64_t> accept = {}) {
    FilterOptions options;
    options.start = start;
    options.accept_given = accept.has_value();
    if (accept) options.accept = {&*accept, 1};
    const Result<Fit> fit = (*this)(options);
    REQUIRE(fit.ok());
    CHECK(fit->status.success() == (fit->row != kNoId));
    if (fit->row == kNoId) return "";
    CHECK(w.cluster->view().order()[fit->position] == fit->row);
    return w.cluster->view().row(fit->row).name + "@" + std::to_string(fit->position);
  }
  FakeWorld w;
};

TEST_CASE("First fit wraps around from its start, and returns the node's position") {
  Search search({takes({"n1", "n3"})});
  CHECK(search.found() == "n1@0");
  CHECK(search.found(1) == "n3@2");
  CHECK(search.found(2) == "n3@2");
  CHECK(search.found(3) == "n1@0");
  CHECK(search.found(1 + 3 * 1000) == "n3@2");
}

TEST_CASE("First fit tries only the nodes that are accepted, and that PreFilter leaves") {
  Search search({takes({"n1", "n3"})});
  CHECK(search.found(0, 0b110) == "n3@2");
  CHECK(search.found(0, 0b010) == "");
  CHECK(search.found(0, 0) == "");
  Search narrowed({pre_filter_narrows("P", {"n2", "n3"}), takes({"n1", "n3"})});
  CHECK(narrowed.found() == "n3@2");
  CHECK(narrowed.found(0, 0b011) == "");
}

TEST_CASE("First fit finds a node after hundreds that do not take the pod") {
  Names names;
  for (int i = 0; i < 1'000; ++i) names.push_back("n" + std::to_string(i));
  Names asked;
  Search search({takes({"n900"}, &asked)}, names);
  CHECK(search.found() == "n900@900");
  CHECK(search.found(901) == "n900@900");
  asked.clear();
  CHECK(search.found(890) == "n900@900");
  CHECK(asked.size() < 100);  // it ends soon after a fit
}

TEST_CASE("First fit returns PreFilter's status, or that no node passed") {
  Search none({takes({})});
  CHECK(none.found() == "");
  CHECK(none()->status == Status(Code::kUnschedulable));
  const Status no(Code::kUnschedulableAndUnresolvable, "not today");
  Search refused({pre_filter_says("P", no), takes({"n1"})});
  CHECK(refused()->status.message() == "not today");
  CHECK(refused()->status.plugin == "P");
  CHECK(Search({takes({"n1"})}, {})()->row == kNoId);
}

TEST_CASE("First fit: an Error on a node before the fit ends the call, one after it does not") {
  Fake broken;
  broken.name = "B";
  broken.filter = [](const FilterCall&, const Node& node) {
    return node.meta.name == "n2" ? Status::from_error("broke") : Status();
  };
  Search search({broken, takes({"n1", "n3"})});
  CHECK(search.found() == "n1@0");
  FilterOptions options;
  options.start = 1;
  const Result<Fit> failed = search(options);
  REQUIRE(!failed.ok());
  CHECK(failed.error().plugin == "B");
  CHECK(search.found(2) == "n3@2");
}

TEST_CASE("First fit ends by its deadline, in PreFilter as in Filter") {
  for (const bool in_filter : {false, true}) {
    const Ref<VirtualClock> clock = make_ref<VirtualClock>(1'000);
    Fake slow;
    slow.name = "S";
    slow.pre_filter = [&](const PreFilterCall&, PreFilterResult*) -> Result<Status> {
      if (!in_filter) clock->advance_to(2'000);
      return Status();
    };
    slow.filter = [&](const FilterCall&, const Node&) {
      if (in_filter) clock->advance_to(2'000);
      return Status();
    };
    Names asked;
    Search search({slow, takes({"n1"}, &asked)});
    REQUIRE(search.w.evaluator.use(make_ref<Services>(clock)).ok());
    FilterOptions options;
    options.limits.deadline_ns = 1'500;
    const Result<Fit> ended = search(options);
    REQUIRE(!ended.ok());
    CHECK(ended.error().rc == Rc::kDeadline);
    CHECK(asked.empty());
    CHECK(PluginScope::call_of(*search.w.state) == nullptr);
    CHECK(search.found() == "n1@0");  // the state can be used again
  }
}

}  // namespace libsched::first_fit_test
