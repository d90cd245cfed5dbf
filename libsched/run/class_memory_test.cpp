// Kept answers: the nodes that plugins are asked about again after each kind of change, and what is
// never kept. libsched/plugins/class_memory_test.cpp compares outcomes with all in-tree plugins.
#include "libsched/kept/class_memory.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "libsched/run/kept_world_test.hpp"

namespace libsched::class_memory_test {

using namespace kept_world_test;  // NOLINT(google-build-using-namespace)

TEST_CASE("only what has changed is asked about again, from the second pod of a class on") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
  const Names all = {"n1", "n2", "n3"};
  Names twice = all;
  twice.insert(all.begin(), all.end());
  CHECK(w.node() == "n1");
  CHECK(asked.filter == all);
  CHECK(asked.score == twice);  // the second time for later pods
  // Scores of labels alone need a whole cycle, which scores for later pods once more.
  const auto then = [&](const std::string& chosen, const Names& filtered, const Names& scored) {
    asked.clear();
    CHECK(w.node() == chosen);
    CHECK(asked.filter == filtered);
    Names both = scored;
    both.insert(scored.begin(), scored.end());
    CHECK(asked.score == both);
  };
  then("n1", {}, {});
  REQUIRE(w.cluster
              ->add_pods(std::vector<const Pod*>{fake_pod("q").get()}.data(),
                         std::vector<Str>{"n1"}.data(), 1)
              .ok());
  then("n1", {}, {});  // pods are not read
  w.label("n2", "{top: a}");
  then("n2", {"n2"}, all);
  w.label("n2", "{top: a, bad: a}");
  then("n1", {"n2"}, {"n1", "n3"});  // n2 is not scored, for it is not feasible
  REQUIRE(w.cluster->fork().ok());
  w.label("n2", "{}");
  w.label("n3", "{top: a}");
  then("n3", {"n2", "n3"}, all);
  REQUIRE(w.cluster->revert().ok());
  then("n1", {"n2", "n3"}, {"n1", "n3"});
  w.add("n0", "{top: a}");
  then("n0", {"n0"}, {"n0", "n1", "n3"});
  REQUIRE(w.cluster->remove_node("n1").ok());
  then("n0", {}, {"n0", "n3"});
  REQUIRE(w.cluster->remove_node("n0").ok());
  // One node is feasible: upstream does not score then.
  then("n3", {}, {});
  w.add("n1");
  then("n3", {"n1"}, {"n1", "n3"});
  CHECK(w.evaluator.classes().served() == 2);
}

TEST_CASE("of a node whose score follows its pods only that score is asked for again") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kOften})});
  w.know_labels("{top: a, bad: a}");
  CHECK(w.node() == "n1");
  const auto then = [&](const std::string& chosen, const Names& filtered, const Names& scored) {
    asked.clear();
    CHECK(w.node() == chosen);
    CHECK(asked.filter == filtered);
    CHECK(asked.score == scored);
  };
  then("n1", {}, {});
  w.label("n2", "{top: a}");
  then("n2", {"n2"}, {"n2"});
  w.label("n2", "{top: a, bad: a}");
  then("n1", {"n2"}, {"n2"});
  w.label("n2", "{}");
  w.label("n3", "{top: a}");
  then("n3", {"n2", "n3"}, {"n2", "n3"});
  CHECK(w.evaluator.classes().served() == 4);
}

TEST_CASE("rows are judged again in the cycles after one in which all were") {
  Asked asked;
  const Reads reads{kLabelsChanged, object_changed(StoredKind::kNamespace), false, false};
  KeptWorld w({labels_matter(&asked, {reads, {}})});
  bool known = true;
  const auto then = [&](const std::string& chosen, const Names& filtered) {
    asked.clear();
    CHECK(w.node() == chosen);
    // The first new texts get ids, so that all has to be prepared anew.
    if (known) CHECK(asked.filter == filtered);
  };
  for (int time = 0; time < 3; ++time) CHECK(w.node() == "n1");
  then("n1", {});
  for (const std::string name : {"left", "right", "far"}) {
    known = name != "left";
    const Result<ObjectSet> set =
        parse_objects("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}", {});
    REQUIRE(set.ok());
    REQUIRE(w.cluster->apply(*set).ok());
    then("n1", {"n1", "n2", "n3"});
    w.label("n1", "{bad: a}");
    then("n2", {"n1"});
    w.label("n1", "{}");
    then("n1", {"n1"});
  }
}

TEST_CASE(
    "a search goes on from what is kept of the class, and begins anew if that was forgotten") {
  constexpr uint64_t kClass = 7;
  for (const size_t most : {size_t{0}, size_t{1}}) {  // bytes; 0: the default
    CAPTURE(most);
    Asked asked;
    KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
    REQUIRE(w.evaluator.keep_classes(ClassMemoryMode::kAlways, most).ok());
    const View& v = w.evaluator.view();
    const auto search = [&] {
      asked.clear();
      CycleState state;
      const Result<PreFiltered> ran = w.evaluator.run_pre_filter(state, *w.pod, kClass);
      REQUIRE(ran->status.success());
      CHECK(ran->lasts);
      CHECK(ran->concerns == 0);  // labels are read row by row
      SearchOptions options;
      options.order = v.order();
      options.whole = true;
      options.class_number = kClass;
      std::vector<uint64_t> bits(v.word_count());
      const Result<size_t> found =
          w.evaluator.find_all(state, *w.pod, options, bits.data(), nullptr);
      REQUIRE_MESSAGE(found.ok(), found.error().text());
      return *found;
    };
    const Names all = {"n1", "n2", "n3"};
    CHECK(search() == 3);
    CHECK(search() == 3);
    CHECK(asked.filter == all);
    w.label("n2", "{bad: a}");
    CHECK(search() == 2);
    CHECK(asked.filter == (most == 0 ? Names{"n2"} : all));
    w.evaluator.forget_filters(kClass);
    CHECK(search() == 2);
    CHECK(asked.filter == all);
  }
}

TEST_CASE("a plugin without a declaration is asked each time, about what others leave") {
  Asked known, unknown;
  Fake first = labels_matter(&known, {kLabels, {}});
  first.score = nullptr;
  Fake second = labels_matter(&unknown, Dependencies::everything(), true);
  second.name = "Unknown";
  KeptWorld w({first, second});
  w.label("n2", "{bad: a}");
  for (int time = 0; time < 5; ++time) {
    known.clear();
    unknown.clear();
    CHECK(w.node() == "n1");
    CHECK(known.filter.size() == (time < 1 ? 3 : 0));
    CHECK(unknown.filter == Names{"n1", "n3"});
    CHECK(unknown.score == Names{"n1", "n3"});
  }
  CHECK(w.evaluator.classes().served() == 0);
}

TEST_CASE("a plugin that reads more than it declares is found out by mode kChecked") {
  for (const bool score : {false, true}) {
    Asked asked;
    KeptWorld w({labels_matter(&asked, {score ? kLabels : Reads{}, score ? Reads{} : kLabels})},
                ClassMemoryMode::kChecked);
    w.know_labels("{top: a, bad: a}");
    for (int time = 0; time < 3; ++time) CHECK(w.node() == "n1");
    w.label("n2", score ? "{top: a}" : "{bad: a}");
    const Result<CycleOutcome> out = w.run();
    REQUIRE(!out.ok());
    CHECK(out.error().rc == Rc::kInternal);
    CHECK(out.error().path == (score ? "" : "node n2"));
    CHECK(out.error().plugin == (score ? "" : "Labels"));
    CHECK(w.evaluator.keep_classes(ClassMemoryMode::kOff).ok());
    CHECK(w.node() == (score ? "n2" : "n1"));
  }
}

TEST_CASE("Errors, scores out of range and calls that end early are not kept") {
  Asked asked;
  bool error = false, huge = false;
  int until_cancelled = -1;
  std::atomic<bool> cancel{false};
  Fake fake = labels_matter(&asked, {kLabels, kLabels});
  const auto tick = [&] {
    if (until_cancelled >= 0 && until_cancelled-- == 0) cancel = true;
  };
  fake.filter = [&, was = fake.filter](const FilterCall& call, const Node& node) {
    tick();
    if (error && node.meta.name == "n3") return Status::from_error("broken");
    return was(call, node);
  };
  fake.score = [&, was = fake.score](const Node& node, int64_t* score) {
    tick();
    const Status s = was(node, score);
    if (huge && node.meta.name == "n3") *score = 101;
    return s;
  };
  KeptWorld w({fake});
  CHECK(w.node() == "n1");
  CHECK(w.node() == "n1");
  error = true;
  w.label("n3", "{c: c}");
  CHECK(w.run()->status.message().find("broken") != std::string::npos);
  error = false;
  CHECK(w.node() == "n1");
  CHECK(w.node() == "n1");
  huge = true;
  w.label("n3", "{a: a}");
  CHECK(w.run()->status.message().find("101") != std::string::npos);
  huge = false;
  w.label("n3", "{top: a}");
  for (int time = 0; time < 4; ++time) CHECK(w.node() == "n3");
  CycleOptions how;
  how.limits.cancel = &cancel;
  size_t ended = 0;
  for (int steps = 0; steps < 6; ++steps) {
    w.label("n3", steps % 2 == 0 ? "{}" : "{top: b}");
    w.label("n1", "{b: '" + std::to_string(steps) + "'}");
    until_cancelled = steps / 2;
    const Result<CycleOutcome> out = w.run(how);
    ended += !out.ok();
    until_cancelled = -1;
    cancel = false;
    for (int time = 0; time < 4; ++time) CHECK(w.node() == (steps % 2 == 0 ? "n1" : "n3"));
  }
  CHECK(ended == 6);
}

// Scores by the number in a label; normalised, the largest gets 100.
Fake raw_scores(const Dependencies& reads) {
  Fake fake;
  fake.name = "Raw";
  fake.score = [](const Node& node, int64_t* score) {
    const Label* l = find_label(node.meta.labels, "raw");
    *score = l == nullptr ? 1 : std::stoll(std::string(l->value));
    return Status();
  };
  fake.normalize = [](const ScoreSet& set, int64_t* scores) {
    default_normalize(set, false, scores);
    return Status();
  };
  fake.reads = reads;
  fake.foreign = false;
  return fake;
}

TEST_CASE("normalised totals follow the range of the feasible nodes") {
  Fake fake = raw_scores({kLabels, kOften});
  fake.filter = [](const FilterCall&, const Node& node) {
    return labelled(node, "bad") ? Status(Code::kUnschedulable, "no") : Status();
  };
  KeptWorld w({fake}, ClassMemoryMode::kChecked);
  for (const char* raw : {"0", "2", "5", "10"})
    w.know_labels("{raw: '" + std::string(raw) + "', bad: a}");
  for (int time = 0; time < 3; ++time) w.expect("n1", 100);
  w.label("n2", "{raw: '5'}");
  w.expect("n2", 100);
  w.label("n3", "{raw: '10'}");
  w.expect("n3", 100);
  w.label("n3", "{raw: '10', bad: a}");  // the end of the range is no longer feasible
  w.expect("n2", 100);
  w.label("n2", "{raw: '0'}");
  w.expect("n1", 100);
  w.label("n3", "{raw: '2'}");
  w.expect("n3", 100);
  CHECK(w.evaluator.classes().served() >= 6);
}

TEST_CASE("a node that a pod closes changes what the scores of the others are scaled to") {
  Fake fake = raw_scores({Reads{.row = kPodsChanged}, kLabels});
  fake.filter = [](const FilterCall& call, const Node& node) {
    const View& v = call.view;
    const int64_t pods = v.columns().requested(kPods, v.find_node(node.meta.name));
    return pods != 0 ? Status(Code::kUnschedulable, "no") : Status();
  };
  for (const ClassMemoryMode mode : {ClassMemoryMode::kAlways, ClassMemoryMode::kChecked}) {
    KeptWorld w({fake}, mode);
    w.label("n1", "{raw: '10'}");
    w.label("n2", "{raw: '5'}");
    for (int time = 0; time < 4; ++time) w.expect("n1", 100);
    REQUIRE(w.cluster
                ->add_pods(std::vector<const Pod*>{fake_pod("q").get()}.data(),
                           std::vector<Str>{"n1"}.data(), 1)
                .ok());
    for (int time = 0; time < 4; ++time) w.expect("n2", 100);
    REQUIRE(w.cluster->remove_pod("default", "q").ok());
    for (int time = 0; time < 4; ++time) w.expect("n1", 100);
  }
}

TEST_CASE("the first of the best nodes in upstream's heap, however many there are") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kOften})}, ClassMemoryMode::kChecked);
  for (size_t i = 4; i <= 400; ++i) w.add("n" + std::to_string(i));
  const auto pick = [&] { return w.node(); };
  for (int time = 0; time < 3; ++time) CHECK(pick() == "n1");
  // In pre-order position 4, in the left half, comes before position 2.
  w.label("n3", "{top: a}");
  CHECK(pick() == "n3");
  w.label("n5", "{top: a}");
  CHECK(pick() == "n5");
  w.label("n400", "{top: a}");
  CHECK(pick() == "n5");  // position 399 is in the right half
  w.label("n256", "{top: a}");
  CHECK(pick() == "n256");  // and 255 at the left end
  w.label("n5", "{top: a, bad: a}");
  static_cast<void>(pick());
  for (size_t i = 200; i < 390; ++i) w.label("n" + std::to_string(i), "{top: a}");
  static_cast<void>(pick());
  for (size_t i = 1; i < 100; ++i) w.label("n" + std::to_string(i), "{bad: a}");
  for (size_t i = 0; i < 3; ++i) {
    static_cast<void>(pick());
    w.label("n" + std::to_string(200 + i), "{}");
  }
  REQUIRE(w.cluster->remove_node("n150").ok());
  static_cast<void>(pick());
  CHECK(w.evaluator.classes().served() >= 8);
}

TEST_CASE("among many nodes as good the first of the heap over the feasible ones is picked") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kOften})}, ClassMemoryMode::kChecked);
  for (size_t i = 4; i <= 500; ++i) w.add("n" + std::to_string(i));
  std::set<std::string> picked;
  // Mode kChecked compares each pick with a fresh one.
  for (size_t round = 0; round < 4; ++round) {
    for (size_t i = 0; i < 60; ++i) {
      const std::string node = w.node();
      picked.insert(node);
      // The chosen node gives less, later it is not feasible; the set changes only now and then.
      w.label(node, i % 29 == 28 ? "{bad: a}" : "{top: a}");
      if (i % 20 == 3) w.label("n" + std::to_string(490 - i), "{top: a, bad: b}");
    }
    w.label("n" + std::to_string(100 + round), round % 2 == 0 ? "{bad: a}" : "{}");
    w.add("more" + std::to_string(round));
  }
  CHECK(picked.size() > 4);
  CHECK(w.evaluator.classes().served() >= 230);
}

PodRef numbered_pod(const std::string& name, const std::string& label) {
  const Result<PodRef> pod = parse_pod(
      "metadata: {name: " + name + ", labels: {of: " + label + "}}\nspec: {schedulerName: fakes}",
      {});
  REQUIRE(pod.ok());
  REQUIRE((*pod)->class_id != 0);
  return *pod;
}

TEST_CASE("of many classes only those are kept that come twice") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
  // How often each node was asked about for the classes' next pods.
  const auto asked_for = [&](size_t classes) {
    std::set<size_t> out;
    for (size_t i = 0; i < classes; ++i) {
      w.pod = numbered_pod("p", "of-" + std::to_string(i));
      asked.clear();
      CHECK(w.node() == "n1");
      if (i >= classes - 10) out.insert(asked.filter.count("n2"));
    }
    return out;
  };
  CHECK(asked_for(20) == std::set<size_t>{1});
  CHECK(asked_for(20) == std::set<size_t>{0});
  CHECK(asked_for(100) == std::set<size_t>{1});
  CHECK(asked_for(100) == std::set<size_t>{1});
  CHECK(asked_for(100) == std::set<size_t>{0});
}

TEST_CASE("a class is found by the number that its pods have") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
  for (const char* name : {"a1", "a2", "a3"}) {
    w.pod = numbered_pod(name, "a");
    CHECK(w.node() == "n1");
  }
  CHECK(w.evaluator.classes().size() == 1);
  for (const char* name : {"b1", "b2", "b3"}) {
    w.pod = numbered_pod(name, "b");
    CHECK(w.node() == "n1");
  }
  CHECK(w.evaluator.classes().size() == 2);
  asked.clear();
  for (const char* of : {"a", "b", "a"}) {
    w.pod = numbered_pod("c", of);
    CHECK(w.node() == "n1");
  }
  CHECK(asked.filter.empty());
  // The same class, though a copy has no number.
  w.pod = copy_pod(*w.pod, "");
  CHECK(w.node() == "n1");
  CHECK(asked.filter.empty());
  CHECK(w.evaluator.classes().size() == 2);
}

// As `kubectl get pods -o yaml` shows it.
std::string replica(const std::string& name, const std::string& token) {
  return R"(
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2026-01-01T00:00:00Z"
    generateName: web-5d9c7b8f4-
    labels: {app: web, pod-template-hash: 5d9c7b8f4}
    name: )" +
         name + R"(
    namespace: default
    ownerReferences:
    - {apiVersion: apps/v1, blockOwnerDeletion: true, controller: true, kind: ReplicaSet,
       name: web-5d9c7b8f4, uid: 0f6f8bd3-8f0e-4a8d-9a0b-6f6a4a3f2f11}
    resourceVersion: "8)" +
         std::to_string(name.size()) + R"("
    uid: uid-of-)" +
         name + R"(
  spec:
    containers:
    - image: nginx:1.29
      name: web
      resources: {requests: {cpu: 100m, memory: 64Mi}}
      volumeMounts:
      - {mountPath: /var/run/secrets/kubernetes.io/serviceaccount, name: )" +
         token + R"(, readOnly: true}
      - {mountPath: /scratch, name: scratch}
    schedulerName: fakes
    serviceAccountName: default
    volumes:
    - {emptyDir: {}, name: scratch}
    - name: )" +
         token + R"(
      projected:
        defaultMode: 420
        sources:
        - serviceAccountToken: {expirationSeconds: 3607, path: token}
        - configMap: {items: [{key: ca.crt, path: ca.crt}], name: kube-root-ca.crt}
        - downwardAPI:
            items: [{fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}, path: namespace}]
  status: {phase: Pending, qosClass: Burstable}
)";
}

TEST_CASE("replicas are of one class, though each has a token volume with a name of its own") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
  const Result<ObjectSet> set =
      parse_objects("apiVersion: v1\nkind: List\nitems:" +
                        replica("web-5d9c7b8f4-4xkzq", "kube-api-access-7hk2p") +
                        replica("web-5d9c7b8f4-zz8tn", "kube-api-access-q9wlm"),
                    {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(set->pods.size() == 2);
  CHECK(set->pods[0]->class_id != 0);
  CHECK(set->pods[0]->class_id == set->pods[1]->class_id);
  w.pod = set->pods[0];
  CHECK(w.node() == "n1");
  CHECK(asked.filter.size() == 3);
  asked.clear();
  w.pod = set->pods[1];
  CHECK(w.node() == "n1");
  CHECK(asked.filter.empty());
  CHECK(w.evaluator.classes().size() == 1);
  CHECK(w.evaluator.classes().served() == 1);
}

TEST_CASE("numbers of classes that were forgotten find nothing") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})});
  REQUIRE(w.evaluator.keep_classes(ClassMemoryMode::kAlways, 1).ok());  // one at a time
  for (int time = 0; time < 3; ++time)
    for (const char* of : {"a", "b", "c"}) {
      w.pod = numbered_pod("p", of);
      asked.clear();
      CHECK(w.node() == "n1");
      CHECK(asked.filter.size() ==
            3);  // nothing is prepared for a next pod, which would find nothing
    }
  REQUIRE(w.evaluator.keep_classes(ClassMemoryMode::kAlways).ok());
  CHECK(w.node() == "n1");
}

TEST_CASE("PreFilter and PreScore are shared by a class unless a plugin may say anything") {
  for (const bool foreign : {false, true}) {
    CAPTURE(foreign);
    Asked asked;
    size_t pre_filters = 0, others = 0;
    Fake fake = labels_matter(&asked, {{}, {}});
    fake.pre_filter = [&](const PreFilterCall&, PreFilterResult*) {
      ++pre_filters;
      return Status();
    };
    Fake second =
        labels_matter(&asked, foreign ? Dependencies::everything() : Dependencies(), foreign);
    second.name = "Second";
    second.filter = [&](const FilterCall&, const Node&) {
      ++others;
      return Status();
    };
    second.score = nullptr;
    KeptWorld w({fake, second});
    for (int time = 0; time < 8; ++time) CHECK(w.node() == "n1");
    // From the second pod on nothing is asked about a class of which all is known.
    CHECK(pre_filters == (foreign ? 8 : 1));
    CHECK(others == (foreign ? 24 : 3));
    CHECK(w.evaluator.classes().served() == (foreign ? 0 : 7));
  }
}

TEST_CASE("small clusters are not worth it") {
  Asked asked;
  KeptWorld w({labels_matter(&asked, {kLabels, kLabels})}, ClassMemoryMode::kAuto);
  for (int time = 0; time < 4; ++time) CHECK(w.node() == "n1");
  CHECK(w.evaluator.classes().size() == 0);
  for (size_t i = 4; i <= ClassMemory::kFewNodes; ++i) w.add("n" + std::to_string(i));
  for (int time = 0; time < 4; ++time) CHECK(w.node() == "n1");
  CHECK(w.evaluator.classes().size() == 1);
  CHECK(w.evaluator.classes().served() == 3);
}

}  // namespace libsched::class_memory_test
