// What the Java bindings promise, one check by name: `Checks NAME` prints "NAME: ok" or throws.
import java.util.Arrays;
import java.util.BitSet;
import libsched.*;

public final class Checks {
  static final String NODE = """
      {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "%s", "labels": {"name": "na\\u00efve \\ud83d\\ude00"}},
       "status": {"allocatable": {"cpu": "%d", "memory": "8Gi", "pods": "10"}}}""";
  static final String POD = """
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
       "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}]}}""";

  static void must(boolean holds, Object seen) {
    if (!holds) throw new AssertionError(seen);
  }

  static Cluster cluster(int... cpus) {
    Cluster made = Sched.clusterCreate(null);
    for (int i = 0; i < cpus.length; i++) {
      try (Node node = Sched.nodeParse(String.format(NODE, "n" + i, cpus[i]), null)) {
        Sched.clusterAddNode(made, node);
      }
    }
    return made;
  }

  static Framework framework(Plugin plugin, String name) {
    try (Registry registry = Sched.registryCreate();
        Config config = Sched.configParse("apiVersion: kubescheduler.config.k8s.io/v1\n"
            + "kind: KubeSchedulerConfiguration\n"
            + "profiles: [{plugins: {multiPoint: {enabled: [{name: " + name + "}]}}}]\n", null)) {
      Sched.registryAddPlugin(registry, plugin);
      return Sched.frameworkCreate(config, "", registry, null);
    }
  }

  static Decision decide(Cluster cluster, Framework framework, boolean score) {
    CheckOptions options = new CheckOptions();
    options.setScore(score);
    options.setFacts(true);
    try (Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null);
        Pod pod = Sched.podParse(POD, null)) {
      return Sched.checkPodFits(evaluator, pod, "", options);
    }
  }

  static void methods() {
    try (Cluster cluster = Cluster.create(null); Node node = Node.parse(String.format(NODE, "n0", 4), null);
        Pod pod = Pod.parse(POD, null); Framework framework = Framework.create(null, "", null, null)) {
      cluster.addNode(node);
      must(node.label("none") == null && node.allocatable("cpu") == 4000, node.allocatable("cpu"));
      must(pod.name().equals("web") && pod.request("cpu") == 1500 && pod.priority() == 0, pod.name());
      try (Evaluator evaluator = Evaluator.create(framework, cluster, null);
          Decision fit = evaluator.checkPodFits(pod, "", null);
          Capacity capacity = evaluator.capacity(pod, 0);
          Cluster clone = cluster.clone()) {
        must(fit.feasibleCount() == 1 && fit.feasible(0).equals("n0"), fit);
        must(capacity.count() == 2 && capacity.nodeName(0).equals("n0"), capacity);
        clone.removeNode("n0");
        must(clone.view().nodeCount() == 0 && cluster.view().nodeCount() == 1, clone);
      }
      try (Clock clock = Clock.createVirtual(5)) {
        clock.advanceTo(7);
        must(clock.now() == 7, clock.now());
      }
      try {
        Pod.parse("{\"kind\": \"Pod\", \"spec\": {\"nodeName\": 1}}", null);
        throw new AssertionError("parsed");
      } catch (SchedException failure) {
        must(failure.path().equals("spec.nodeName"), failure.path());
      }
    }
  }

  static void printed() throws ReflectiveOperationException {
    try (Cluster cluster = cluster(1, 4); Pod pod = Pod.parse(POD, null); Pod bound = pod.copy(null, null, null, "n1");
        Framework framework = Framework.create(null, "", null, null);
        Evaluator evaluator = Evaluator.create(framework, cluster, null);
        Decision fit = evaluator.checkPodFits(pod, "", null); Capacity capacity = evaluator.capacity(pod, 0);
        Capacity most = evaluator.capacity(pod, 1); Status status = Status.create(); CheckOptions options = new CheckOptions();
        Objects objects = Objects.parse(POD, null); Cancel cancel = Cancel.create()) {
      must(pod.toString().equals("Pod shop/web") && bound.toString().equals("Pod shop/web on n1"), bound);
      must(cluster.toString().equals("Cluster: 2 nodes, 0 pods"), cluster);
      must(cluster.view().node(0).toString().equals("Node n0"), cluster.view().node(0));
      must(framework.toString().equals("Framework default-scheduler"), framework);
      must(fit.toString().equals("Decision: fits 1 node"), fit);
      must(capacity.toString().startsWith("2 more fit; the next: 0/2 nodes are available: "), capacity);
      must(most.toString().equals("at least 1 more fit"), most);
      status.set(Sched.CODE_UNSCHEDULABLE);
      status.addReason("no");
      must(status.toString().equals("Unschedulable: no"), status);
      options.setFacts(true);
      must(options.toString().startsWith("CheckOptions {") && options.toString().contains("facts=true"), options);
      must(objects.toString().equals("Objects: 1 pod, 0 nodes, 0 workloads"), objects);
      must(cancel.toString().equals("Cancel: not set"), cancel);
      Pod closed = pod.copy(null, null, null, null);
      closed.close();
      must(closed.toString().equals("Pod (closed)"), closed);
      for (Object one : new Object[] {evaluator, new Timing(), Registry.create(), ScoreTable.create(), CycleState.create(),
          PreFilterResult.create(), NodeStatuses.create(), WriterQueue.create(), Clock.createVirtual(0), Comparison.create(),
          TimedWorkload.create(), cluster.snapshot(), cluster.view(), framework.events(), MemoryApi.create(), new QueueCounts()}) {
        must(!one.toString().contains("@") && one.toString().startsWith(one.getClass().getSimpleName()), one);
        // Each class says it in words of its own.
        must(one.getClass().getMethod("toString").getDeclaringClass() == one.getClass(), one);
      }
    }
  }

  static void texts() {
    Node node = Sched.nodeParse(String.format(NODE, "n", 4), null);
    must("na\u00efve \ud83d\ude00".equals(Sched.nodeLabel(node, "name")), "not the label");
    must(Sched.nodeLabel(node, "none") == null, "a label that is not there");
    Pod pod = Sched.podParse(POD, null);
    Pod copy = Sched.podCopy(pod, "\u540d", null, null, "n");
    must(Sched.podName(copy).equals("\u540d") && Sched.podNamespace(copy).equals("shop"), "copy");
    must(Sched.podRequest(pod, "cpu") == 1500, Sched.podRequest(pod, "cpu"));
    must(Sched.codeName(Sched.CODE_UNSCHEDULABLE).equals("Unschedulable"), "codeName");
  }

  static void outputs() {
    Node node = Sched.nodeParse("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"n\"},"
        + " \"spec\": {\"taints\": [{\"key\": \"gpu\", \"effect\": \"NoSchedule\"}]}}", null);
    StringBuilder key = new StringBuilder();
    StringBuilder effect = new StringBuilder();
    must(Sched.nodeTaint(node, 0, key, null, effect), "no taint");
    must((key + "=" + effect).equals("gpu=NoSchedule"), key + "=" + effect);
    must(!Sched.nodeTaint(node, 1, null, null, null), "a second taint");
    String deployment = "{\"apiVersion\": \"apps/v1\", \"kind\": \"Deployment\", \"metadata\": {\"name\": \"d\"},"
        + " \"spec\": {\"replicas\": 3, \"template\": {\"spec\": {\"containers\": [{\"name\": \"c\"}]}}}}";
    StringBuilder kind = new StringBuilder();
    long[] replicas = new long[1];
    try (Pod pod = Sched.objectsGetWorkload(Sched.objectsParse(deployment, null), 0, kind, replicas)) {
      must(Sched.podName(pod).equals("d") && kind.toString().equals("Deployment"), kind);
      must(replicas[0] == 3, replicas[0]);
    }
  }

  static void errors() {
    try {
      Sched.podParse("{\"kind\": \"Pod\", \"spec\": {\"nodeName\": 1}}", null);
      throw new AssertionError("parsed");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_INVALID, failure.code());
      must(failure.path().equals("spec.nodeName"), failure.path());
      must(!failure.getMessage().isEmpty() && failure.plugin().isEmpty(), failure);
    }
    try (Cluster cluster = cluster(1); Pod pod = Sched.podParse(POD, null)) {
      Sched.clusterAddPod(cluster, pod, "n0");
      Sched.clusterAddPod(cluster, pod, "n0");
      throw new AssertionError("added twice");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_EXISTS, failure.code());
    }
    try {
      Sched.podRaw(Sched.podParse(POD, null));
      throw new AssertionError("raw");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_STATE, failure.code());
    }
  }

  static void ownership() {
    Objects objects = Sched.objectsParse(POD, null);
    Pod pod = Sched.objectsGetPod(objects, 0);
    objects.close();
    objects.close();
    must(Sched.podName(pod).equals("web"), "a pod outlives its document");
    must(Sched.objectsGetPod(Sched.objectsParse(POD, null), 1) == null, "out of range");
    Cluster cluster = cluster(4);
    Framework framework = Sched.frameworkCreate(null, "", null, null);
    Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null);
    cluster.close();
    framework.close();
    try (Decision fit = Sched.checkPodFits(evaluator, pod, "", null)) {
      evaluator.close();
      must(Sched.decisionFeasible(fit, 0).equals("n0"), "a decision outlives its evaluator");
    }
  }

  static void forks() {
    try (Cluster cluster = cluster(1); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Node big = Sched.nodeParse(String.format(NODE, "big", 8), null)) {
      Sched.clusterFork(cluster);
      Sched.clusterAddNode(cluster, big);
      must(Sched.decisionFeasibleCount(decide(cluster, framework, false)) == 1, "big");
      Sched.clusterRevert(cluster);
      try (Decision fit = decide(cluster, framework, false)) {
        must(Sched.decisionFeasibleCount(fit) == 0, "reverted");
        must(Sched.decisionReason(fit, 0, 0).equals("Insufficient cpu"), Sched.decisionReason(fit, 0, 0));
        must(Sched.decisionExplainJson(fit).contains("\"fits\":false"), Sched.decisionExplainJson(fit));
        must(Sched.decisionFactReason(fit, 0, 0).equals("Insufficient cpu"), "a fact's reason");
        must(Sched.decisionFactFieldName(fit, 0, 0, 0).equals("resource"), "a fact's field");
        must(Sched.decisionFactText(fit, 0, 0, 0, 0).equals("cpu"), "a fact's text");
        must(Sched.decisionFactNumber(fit, 0, 0, 4) == 1000, "a fact's number");
      }
    }
  }

  static void changes() {
    try (Cluster cluster = cluster(1); Changes changes = Sched.changesCreate(); Pod pod = Sched.podParse(POD, null);
        Node big = Sched.nodeParse(String.format(NODE, "big", 8), null)) {
      long[] count = new long[1];
      Sched.changesPutNode(changes, big, Sched.PUT_NEW);
      Sched.changesPutPod(changes, pod, "big", Sched.PUT_APPLY);
      Sched.changesRemove(changes, "Node", "", "n0");
      Sched.clusterApplyChanges(cluster, changes, count);
      must(count[0] == 3, "three changes");
      try {
        Sched.clusterApplyChanges(cluster, changes, null);
        must(false, "there already");
      } catch (SchedException e) {
        must(e.getMessage().contains("\"big\" is there already"), e.getMessage());
      }
      must(Sched.viewNodeCount(Sched.clusterView(cluster)) == 1, "one node");
    }
  }

  static void nominated() {
    String waiting = """
        {"kind": "Pod", "metadata": {"name": "p1"}, "status": {"nominatedNodeName": "n0"}, "spec": {"priority": 9,
         "containers": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}}""";
    try (Cluster cluster = cluster(4); Framework framework = Framework.create(null, "", null, null);
        Changes changes = Sched.changesCreate(); Pod pod = Sched.podParse(waiting, null)) {
      Sched.changesPutPod(changes, pod, "", Sched.PUT_APPLY);
      Sched.clusterApplyChanges(cluster, changes, null);
      try (Decision fit = decide(cluster, framework, false)) {
        must(fit.feasibleCount() == 0, "a nominated pod keeps room");
        must(Sched.decisionExplainJson(fit).contains("\"nominatedPod\""), Sched.decisionExplainJson(fit));
      }
    }
  }

  static void options() {
    FrameworkOptions options = new FrameworkOptions();
    options.setSemantics("1.31");
    options.setSemantics("1.29");
    must(options.getSemantics().equals("1.29"), options.getSemantics());
    try {
      Sched.frameworkCreate(null, "", null, options);
      throw new AssertionError("1.29");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_UNSUPPORTED && failure.getMessage().contains("1.29"), failure);
    }
    options.close();
    try (ConfigOptions reading = new ConfigOptions()) {
      reading.setSemantics("1.37");
      must(reading.getSemantics().equals("1.37"), reading.getSemantics());
      String text = """
          {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
           "profiles": [{"plugins": {"podGroupPostFilter": {}}}]}""";
      Sched.configParse(text, reading).close();
      reading.setSemantics("1.36");
      try {
        Sched.configParse(text, reading);
        throw new AssertionError("podGroupPostFilter");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_INVALID, failure);
      }
    }
  }

  static void cancel() {
    try (Cluster cluster = cluster(4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null); Pod pod = Sched.podParse(POD, null);
        Cancel cancel = Sched.cancelCreate(); CheckOptions options = new CheckOptions()) {
      options.setCancel(cancel);
      Sched.checkPodFits(evaluator, pod, null, options).close();
      Sched.cancelSet(cancel);
      must(Sched.cancelIsSet(cancel), "set");
      try {
        Sched.checkPodFits(evaluator, pod, null, options);
        throw new AssertionError("cancelled");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_CANCELLED, failure);
      }
      Sched.cancelReset(cancel);
      Sched.checkPodFits(evaluator, pod, null, options).close();
    }
  }

  static void scores() {
    ScorePlugin plugin = new ScorePlugin("Later") {
      @Override
      public long score(CycleState state, Pod pod, NodeInfo node) {
        return Sched.nodeInfoRow(node) * 10;
      }
    };
    try (Cluster cluster = cluster(4, 4, 4); Framework framework = framework(plugin, "Later");
        Decision fit = decide(cluster, framework, true)) {
      must(Sched.decisionExplainJson(fit).contains("\"best\":[\"n2\"]"), Sched.decisionExplainJson(fit));
    }
  }

  static void bitmaps() {
    int[] cpus = new int[70];
    for (int i = 0; i < cpus.length; i++) cpus[i] = i % 3 == 0 ? 4 : 1;
    try (Cluster cluster = cluster(cpus); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null); Pod pod = Sched.podParse(POD, null);
        CycleState state = Sched.cycleStateCreate(); Status status = Sched.statusCreate();
        PreFilterResult left = Sched.prefilterResultCreate()) {
      View view = Sched.clusterView(cluster);
      try {
        Sched.filterRows(evaluator, state, view, pod, null, 0, 0);
        throw new AssertionError("without PreFilter");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_STATE, failure);
      }
      Sched.runPreFilterPlugins(evaluator, state, pod, left, status);
      long[] all = Sched.filterRows(evaluator, state, view, pod, null, 0, 0);
      BitSet expected = new BitSet();
      for (int i = 0; i < cpus.length; i += 3) expected.set(i);
      must(BitSet.valueOf(all).equals(expected) && all.length == 2, BitSet.valueOf(all));
      long[] some = Sched.filterRows(evaluator, state, view, pod, new long[] {0b1011, 32}, 0, 0);
      must(BitSet.valueOf(some).toString().equals("{0, 3, 69}"), BitSet.valueOf(some));
      must(BitSet.valueOf(Sched.filterRows(evaluator, state, view, pod, new long[0], 0, 0)).isEmpty(), "none");
      must(BitSet.valueOf(Sched.filterRows(evaluator, state, view, pod, null, 1, 0)).cardinality() == 1, "limit");
      Sched.preScoreRows(evaluator, state, pod, some, status);
      long[] totals = Sched.scoreRows(evaluator, state, pod, some, status);
      must(Sched.statusCode(status) == Sched.CODE_SUCCESS && totals.length == 128, totals.length);
      must(totals[0] > 0 && totals[0] == totals[3] && totals[0] == totals[69], totals[0] + " " + totals[69]);
      try {
        Sched.preScoreRows(evaluator, state, pod, new long[1], status);
        throw new AssertionError("too few words");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_BUFFER, failure);
      }
    }
  }

  static void throwing() {
    FilterPlugin plugin = new FilterPlugin("Broken") {
      @Override
      public int filter(CycleState state, Pod pod, NodeInfo node, Status status) {
        throw new IllegalStateException("the disk is on fire");
      }
    };
    try (Cluster cluster = cluster(4); Framework framework = framework(plugin, "Broken");
        Decision fit = decide(cluster, framework, false)) {
      must(Sched.decisionError(fit).contains("the disk is on fire"), Sched.decisionError(fit));
    }
  }

  static void collected() {
    // Nothing in Java holds the plugin but the framework.
    try (Cluster cluster = cluster(4); Framework framework = framework(new Refusing("Refusing"), "Refusing")) {
      for (int i = 0; i < 5; i++) {
        System.gc();
        must(Sched.decisionFeasibleCount(decide(cluster, framework, false)) == 0, "not asked");
      }
    }
  }

  static void refused() {
    try (Registry registry = Sched.registryCreate()) {
      Sched.registryAddPlugin(registry, new Refusing("Mine"));
      Refusing second = new Refusing("Mine");
      try {
        Sched.registryAddPlugin(registry, second); // takes it in any case
        throw new AssertionError("added twice");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_EXISTS, failure.code());
      }
      second.close();
    }
  }

  static void answers() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null); Pod pod = Sched.podParse(POD, null)) {
      try (Capacity capacity = Sched.capacityOf(evaluator, pod, 0)) {  // 1.5 of 4 cpu
        must(Sched.capacityCount(capacity) == 2 && Sched.capacityEnd(capacity) == Sched.CAPACITY_STOPPED, Sched.capacityCount(capacity));
        must(Sched.capacityNodeCount(capacity) == 2, Sched.capacityNodeCount(capacity));
        must(Sched.capacityNodeName(capacity, 1).equals("n1"), Sched.capacityNodeName(capacity, 1));
        must(Sched.capacityPodsOn(capacity, 1) == 2 && Sched.capacityPodsOn(capacity, 0) == 0, "on n1");
        must(Sched.capacityWhy(capacity).startsWith("0/2 nodes are available: "), Sched.capacityWhy(capacity));
      }
      try (Capacity one = Sched.capacityOf(evaluator, pod, 1)) {
        must(Sched.capacityEnd(one) == Sched.CAPACITY_MAXIMUM && Sched.capacityWhy(one).isEmpty(), Sched.capacityEnd(one));
      }
      String why = Sched.whyOf(evaluator, pod, 0, 1);
      must(why.contains("\"fits\":1") && why.endsWith("\"suggestions\":[]}"), why);
      Sched.clusterAddPod(cluster, pod, "n1");
      try (Drain drain = Sched.drainOf(evaluator, "n0,n1", false, false)) {
        must(!Sched.drainComplete(drain) && Sched.drainPodCount(drain) == 1, Sched.drainPodCount(drain));
        DrainedPod drained = new DrainedPod();
        must(Sched.drainPod(drain, 0, drained) && !Sched.drainPod(drain, 1, drained), "one pod");
        must(drained.getOutcome() == Sched.DRAIN_REFUSED && drained.getFromNode().equals("n1"), drained.getOutcome());
        must(drained.getName().equals("web") && drained.getText().contains("no controller"), drained.getText());
        must(drained.getToNode().isEmpty() && drained.getBudget().isEmpty(), drained.getToNode());
      }
      try (Drain forced = Sched.drainOf(evaluator, "n1", true, false)) {
        must(Sched.drainComplete(forced), "forced");
      }
      Sched.drainOf(evaluator, "n7", false, false);
      throw new AssertionError("drained");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_NOT_FOUND, failure);
    }
  }

  static void compared() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null); Pod pod = Sched.podParse(POD, null);
        Comparison comparison = Sched.comparisonCreate()) {
      Sched.comparisonPlaceWith(comparison, false, evaluator, pod, false);
      Sched.clusterEditWith(cluster, "cordon n1", null, "", 0).close();
      Sched.comparisonPlaceWith(comparison, true, evaluator, pod, true);
      must(Sched.comparisonPodCount(comparison) == 1 && Sched.comparisonChangedCount(comparison) == 1, "one");
      try (Pod same = Sched.comparisonGet(comparison, 0)) {
        must(Sched.podName(same).equals("web") && Sched.comparisonChanged(comparison, 0), "web");
      }
      must(Sched.comparisonNode(comparison, 0, false).equals("n1"), Sched.comparisonNode(comparison, 0, false));
      must(Sched.comparisonNode(comparison, 0, true).isEmpty(), Sched.comparisonNode(comparison, 0, true));
      must(Sched.comparisonWhy(comparison, 0, true).startsWith("0/2 nodes are available: "), Sched.comparisonWhy(comparison, 0, true));
    }
  }

  static void daemons() {
    try (Cluster cluster = cluster(1, 4); Pod template = Sched.podParse(POD, null);
        Pod pod = Sched.daemonPod(template, "n1", "web-1")) {
      must(Sched.daemonWants(Sched.clusterView(cluster), 1, template), "n1");
      must(!Sched.daemonWants(Sched.clusterView(cluster), 7, template), "no node");
      must(Sched.podName(pod).equals("web-1"), Sched.podName(pod));
      try (Objects claims = Sched.missingClaims(Sched.clusterView(cluster), template)) {
        must(Sched.objectsPodCount(claims) == 0, "no StatefulSet");
      }
    }
  }

  static void edits() {
    try (Cluster cluster = cluster(1, 4); Pod pod = Sched.podParse(POD, null)) {
      try (Edited edited = Sched.clusterEditWith(cluster, "add-node n1=2\nset default/web:priority=7\nscale default/web=5", pod,
          "Deployment", 2)) {
        must(Sched.editedPodCount(edited) == 1 && Sched.editedReplicas(edited, 0) == 5, Sched.editedReplicas(edited, 0));
        try (Pod changed = Sched.editedGet(edited, 0)) {
          must(Sched.podName(changed).equals("web") && Sched.podPriority(changed) == 7, Sched.podPriority(changed));
        }
        must(Sched.editedGet(edited, 1) == null, "no other");
      }
      must(Sched.viewNodeCount(Sched.clusterView(cluster)) == 4, "four nodes");
      Sched.clusterEditWith(cluster, "cordon n0\ncordon n7", null, "", 0);
      throw new AssertionError("edited");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_NOT_FOUND, failure);
    }
  }

  static void scheduling() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null);
        WriterQueue writer = Sched.writerQueueCreate(); Status status = Sched.statusCreate();
        Pod pod = Sched.podParse(POD, null); CycleState state = Sched.cycleStateCreate()) {
      SchedulingOptions options = new SchedulingOptions();
      options.setWriter(writer);
      options.setState(state);
      SchedulingOutcome outcome = new SchedulingOutcome();
      try (Scheduling scheduling = Sched.schedulePod(evaluator, pod, options)) {
        Sched.schedulingGet(scheduling, outcome);
        must(outcome.getAttempt() == Sched.ATTEMPT_ASSUMED, outcome.getAttempt());
        must(outcome.getNodeName().equals("n1"), outcome.getNodeName());
        must(outcome.getProfile().equals("default-scheduler"), outcome.getProfile());
        must(outcome.getFeasible() == 1 && outcome.getEvaluated() == 2, outcome.getEvaluated());
        Thread binder = new Thread(() -> Sched.schedulingBind(scheduling, status));
        binder.start();
        try {
          binder.join();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        Sched.schedulingGet(scheduling, outcome);
        must(outcome.getAttempt() == Sched.ATTEMPT_BOUND, Sched.statusReason(status, 0));
        must(Sched.writerQueuePending(writer) == 1, "one message");
        long[] applied = new long[1];
        long[] dropped = new long[1];
        Sched.writerQueueApply(writer, cluster, applied, dropped);
        must(applied[0] == 1 && dropped[0] == 0, applied[0]);
      }
      try (Pod big = Sched.podParse(POD.replace("1500m", "64").replace("web", "big").replace("\"u\"", "\"b\""), null);
          CycleState fresh = Sched.cycleStateCreate()) {
        options.setState(fresh);
        try (Scheduling failed = Sched.schedulePod(evaluator, big, options)) {
          Sched.schedulingGet(failed, outcome);
          must(outcome.getAttempt() == Sched.ATTEMPT_FAILED, outcome.getAttempt());
          Sched.schedulingStatus(failed, status);
          must(Sched.statusReason(status, 0).startsWith("0/2 nodes are available: "), Sched.statusReason(status, 0));
          must(Sched.schedulingRejector(failed, false, 0).equals("NodeResourcesFit"), "rejector");
          must(Sched.schedulingRejector(failed, false, 1).isEmpty(), "one rejector");
        }
      }
      try (Pod other = Sched.podParse(POD.replace("\"spec\": {", "\"spec\": {\"schedulerName\": \"x\", "), null)) {
        Sched.schedulePod(evaluator, other, options);
        throw new AssertionError("scheduled");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_NOT_FOUND, failure);
      }
      options.setOtherProfile("default-scheduler");
      must(options.getOtherProfile().equals("default-scheduler"), options.getOtherProfile());
    }
  }

  static void queue() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Evaluator evaluator = Sched.evaluatorCreate(framework, cluster, null);
        Queue queue = Sched.queueOf(evaluator, null); Pod pod = Sched.podParse(POD, null)) {
      must(Sched.queuePop(queue) == null, "an empty queue");
      Sched.queueAdd(queue, pod);
      QueuedPodInfo info = new QueuedPodInfo();
      QueueCounts counts = new QueueCounts();
      try (QueuedPod popped = Sched.queuePop(queue)) {
        Sched.queuedPodGet(popped, info);
        must(info.getAttempts() == 1 && info.getGatingPlugin().isEmpty(), info.getAttempts());
        Sched.queueReject(queue, popped, "NodeResourcesFit");
      }
      Sched.queueGet(queue, counts);
      must(counts.getUnschedulable() == 1 && counts.getActive() == 0, counts.getUnschedulable());
      Sched.queueMove(queue, "*", 8191);
      Sched.queueGet(queue, counts);
      must(counts.getUnschedulable() == 0 && counts.getBackoff() == 1, counts.getBackoff());
      must(Sched.queueMetricsJson(queue).contains("\"incoming\""), Sched.queueMetricsJson(queue));
      QueueOptions options = new QueueOptions();
      must(options.getInitial_backoff_ns() == 1_000_000_000L, options.getInitial_backoff_ns());
    }
  }

  static void apiServer() {
    ApiServerOptions options = new ApiServerOptions();
    options.setKeep_calls(true);
    try (ApiServer server = Sched.apiServerCreate(options);
        Objects objects = Sched.objectsParse("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\n"
            + "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\n", null)) {
      Sched.apiServerCreateObjects(server, objects);
      Sched.apiServerBind(server, "d", "p", "n1");
      try (Pod bound = Sched.apiServerFindPod(server, "d", "p"); Objects all = Sched.apiServerObjects(server)) {
        must(Sched.podNodeName(bound).equals("n1"), Sched.podNodeName(bound));
        must(Sched.objectsPodCount(all) == 1, Sched.objectsPodCount(all));
      }
      must(Sched.apiServerTakeCallsJson(server).equals("[]"), "no scheduler has called");
      Sched.apiServerFault(server, "bind", "d/p", "conflict", 1, 0);
      Sched.apiServerFault(server, "eat", "", "", 0, 0);
      throw new AssertionError("a wrong verb");
    } catch (SchedException failure) {
      must(failure.code() == Sched.ERR_INVALID, failure);
    }
  }

  static void scheduler() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Clock clock = Sched.clockCreateVirtual(1_000_000_000L); MemoryApi api = Sched.memoryApiCreate();
        Scheduler scheduler = Sched.schedulerOf(framework, cluster, clock, api); Pod pod = Sched.podParse(POD, null)) {
      Sched.schedulerStart(scheduler);
      Sched.schedulerDeliverPod(scheduler, null, pod);
      boolean[] acted = new boolean[1];
      Sched.schedulerRunOne(scheduler, acted);
      must(acted[0], "a pod is ready");
      Sched.schedulerSettle(scheduler, false, 0);
      String requests = Sched.memoryApiRequestsJson(api);
      must(requests.contains("\"verb\":\"bind\""), requests);
      SchedulerState state = new SchedulerState();
      Sched.schedulerGet(scheduler, state);
      must(state.getBindings() == 0 && !state.getIn_cycle(), state.getBindings());
      long[] due = new long[1];
      must(Sched.schedulerNextDue(scheduler, due) && due[0] > state.getNow_ns(), due[0]);
      Sched.schedulerRunUntil(scheduler, 5_000_000_000L, null);
      must(Sched.clockNow(clock) >= 5_000_000_000L, Sched.clockNow(clock));
      must(Sched.schedulerMetricsText(scheduler).contains("scheduler_schedule_attempts_total"), "metrics");
      QueueCounts counts = new QueueCounts();
      Sched.queueGet(Sched.schedulerQueue(scheduler), counts);
      must(counts.getScheduling_cycle() == 1, counts.getScheduling_cycle());
      must(Sched.servicesClock(Sched.schedulerServices(scheduler)) != null, "services");
      Sched.schedulerStop(scheduler);
    }
  }

  static void registeredEvents() {
    try (Framework framework = Sched.frameworkCreate(null, "", null, null);
        EventMap events = Sched.frameworkEvents(framework)) {
      boolean found = false;
      for (long i = 0; i < Sched.eventMapCount(events); i++) {
        found |= Sched.eventMapPlugin(events, i).equals("NodeResourcesFit")
            && Sched.eventMapResource(events, i).equals("Node") && Sched.eventMapHasHint(events, i)
            && (Sched.eventMapActions(events, i) & 1) == 1 && Sched.eventMapLabel(events, i).startsWith("Node");
      }
      must(found, "NodeResourcesFit waits for nodes");
      must(Sched.extensionPointName(0).equals("preFilter"), Sched.extensionPointName(0));
      must(Sched.frameworkPluginCount(framework, "score") > 5 && Sched.frameworkPluginCount(framework, "Score") == 0,
          Sched.frameworkPluginCount(framework, "score"));
      must(Sched.frameworkPlugin(framework, "score", 0).equals("TaintToleration"), Sched.frameworkPlugin(framework, "score", 0));
      must(Sched.frameworkPluginWeight(framework, "score", 0) == 3, Sched.frameworkPluginWeight(framework, "score", 0));
    }
  }

  static void filterOptions() {
    try (Cluster cluster = cluster(1, 4); Framework framework = Sched.frameworkCreate(null, "", null, null);
        Snapshot snapshot = Sched.clusterSnapshot(cluster); Pod pod = Sched.podParse(POD, null);
        CycleState state = Sched.cycleStateCreate(); Status status = Sched.statusCreate()) {
      EvaluatorOptions on = new EvaluatorOptions();
      on.setSnapshot(snapshot);
      try (Evaluator evaluator = Sched.evaluatorCreate(framework, null, on)) {
        Sched.runPreFilterPlugins(evaluator, state, pod, null, status);
        RunFilterOptions at = new RunFilterOptions();
        at.setBy_row(true);
        at.setRow(Sched.viewFindNode(Sched.snapshotView(snapshot), "n1"));
        Sched.runFilterPlugins(evaluator, state, pod, null, at, status);
        must(Sched.statusCode(status) == Sched.CODE_SUCCESS, Sched.statusCode(status));
        Sched.runFilterPlugins(evaluator, state, pod, "n0", null, status);
        must(Sched.statusReason(status, 0).equals("Insufficient cpu"), Sched.statusReason(status, 0));
      }
    }
  }

  static void sim() {
    try (Framework framework = Sched.frameworkCreate(null, "", null, null); Catalog catalog = Catalog.create();
        Sim sim = Sched.simCreate(framework, catalog); Pod one = Pod.parse(POD, null); Node shape = Node.parse(
            "{\"kind\": \"Node\", \"metadata\": {\"name\": \"any\"}, \"status\": {\"allocatable\": {\"cpu\": \"4\", "
            + "\"memory\": \"8Gi\", \"pods\": \"10\"}}}", null)) {
      long pod = catalog.addPod(one, null);
      long like = catalog.addNode(shape, null);
      must(pod == catalog.addPod(one, null) && catalog.hasPod(pod) && !catalog.hasPod(12345), pod);
      try (Pod content = catalog.pod(pod)) {
        must(content.name().isEmpty() && content.request("cpu") == one.request("cpu"), content.request("cpu"));
      }
      long a = sim.addNode(like, "a");
      long b = sim.addNode(like, "b");
      must(Arrays.equals(sim.nodeIds(), new long[] {a, b}) && sim.findNode("b") == b, "nodes");
      must(sim.nodeName(b).equals("b") && sim.position(b) == 1 && sim.nodeRef(b) == like, "a node");
      SimVerdict verdict = new SimVerdict();
      sim.check(pod, a, null, verdict);
      must(verdict.getStage() == Sched.STAGE_PASSED, verdict.getStage());
      SimQuery query = new SimQuery();
      query.setPlace(true);
      query.setStart(1);
      SimHit hit = new SimHit();
      sim.first(pod, query, hit, verdict);
      must(hit.getNode() == b && sim.podNode(hit.getPod()) == b && hit.getPosition() == 1, hit.getNode());
      must(sim.requestedOf(b)[3] == 1 && sim.allocatableOf(b)[0] == 4000 && sim.resource(0).equals("cpu"), "amounts");
      long[] copies = sim.copiesOn(pod, new long[] {a, b}, 0, null);
      must(copies[0] > 1 && copies[1] == copies[0] - 1, Arrays.toString(copies));
      long[] many = new long[9];
      Arrays.fill(many, pod);
      sim.fork();
      long[] placed = sim.placeAll(many, null);
      must(placed[0] != 0 && placed[8] == 0 && sim.feasibleIds(pod, null).length == 0, Arrays.toString(placed));
      sim.check(pod, a, null, verdict);
      must(verdict.getStage() == Sched.STAGE_FILTER_REJECTED && sim.verdictReason(verdict.getTexts(), 0).equals(
          "Insufficient cpu") && sim.verdictPlugin(verdict.getTexts()).equals("NodeResourcesFit"), verdict.getTexts());
      long[] rejected = sim.checkAll(new long[] {pod}, new long[] {a, b}, null);
      must(sim.plugin(rejected[1] - 1).equals("NodeResourcesFit"), Arrays.toString(rejected));
      try (SimQuery some = new SimQuery()) {
        some.setPlugins(new long[0]);
        must(sim.feasibleIds(pod, some).length == 2 && sim.copiesOn(pod, new long[] {a}, 5, some)[0] == 5, "no plugin");
        BitSet all = new BitSet();
        all.set(0, (int) sim.pluginCount());
        some.setPlugins(all.toLongArray());
        must(sim.checkAll(new long[] {pod}, new long[] {a}, some)[0] == rejected[0], "all plugins");
        all.clear((int) rejected[0] - 1);
        some.setPlugins(all.toLongArray());
        sim.check(pod, a, some, verdict);
        must(verdict.getStage() == Sched.STAGE_PASSED, verdict.getStage());
        some.setPlugins(null);
        some.setWithout(sim.podIds(a));
        must(Arrays.equals(sim.feasibleIds(pod, some), new long[] {a}), "without pods");
      }
      sim.revert();
      must(sim.podCount() == 1 && sim.feasibleIds(pod, null).length == 2, sim.podCount());
      must(sim.pack(new long[] {pod}, new long[] {3}, like, "new-", 0)[0] == 0 && sim.forkDepth() == 1, "pack");
      sim.revert();
      long[] moved = sim.move(b, sim.podIds(b), null, true);
      must(moved.length == 1 && moved[0] == a && Arrays.equals(sim.nodeIds(), new long[] {a}), Arrays.toString(moved));
      must(sim.explainJson(pod, a).contains("\"a\""), sim.explainJson(pod, a));
      sim.removeAll(sim.podIds(a));
      must(sim.toString().equals("Sim: 1 node, 0 pods") && catalog.toString().equals("Catalog: 1 pod, 1 node"), sim);
      try {
        sim.addPod(12345, a);
        throw new AssertionError("a stale reference");
      } catch (SchedException failure) {
        must(failure.code() == Sched.ERR_STALE, failure);
      }
    }
  }

  private static final class Refusing extends FilterPlugin {
    Refusing(String name) {
      super(name);
    }

    @Override
    public int filter(CycleState state, Pod pod, NodeInfo node, Status status) {
      Sched.statusAddReason(status, "not today");
      return Sched.CODE_UNSCHEDULABLE;
    }
  }

  public static void main(String[] arguments) throws ReflectiveOperationException {
    Checks.class.getDeclaredMethod(arguments[0]).invoke(null);
    System.out.println(arguments[0] + ": ok");
  }
}
