// A scheduling plugin in Java: Filter beside upstream's plugins.
//
//     java DrainedZone CLUSTER POD ZONE     (files: JSON or YAML, plain or gzip)
//
// Keeps pods out of a zone that is being drained, and prints which plugin rejected each node.
// bindings/swig/build_java.sh makes the bindings; a plugin runs on the thread that calls the library.
import libsched.Cluster;
import libsched.Config;
import libsched.CycleState;
import libsched.Decision;
import libsched.Evaluator;
import libsched.FilterPlugin;
import libsched.Framework;
import libsched.Node;
import libsched.NodeInfo;
import libsched.Objects;
import libsched.ParseOptions;
import libsched.Pod;
import libsched.Registry;
import libsched.Sched;
import libsched.SchedConstants;
import libsched.SchedException;
import libsched.Status;

public final class DrainedZone extends FilterPlugin {
  private final String drained;

  DrainedZone(String drained) {
    super("DrainedZone");
    this.drained = drained;
  }

  @Override
  public int filter(CycleState state, Pod pod, NodeInfo info, Status status) {
    try (Node node = info.node()) {
      if (!drained.equals(node.label("topology.kubernetes.io/zone"))) {
        return Sched.CODE_SUCCESS;
      }
    }
    status.addReason("node(s) were in a zone that is being drained");
    return Sched.CODE_UNSCHEDULABLE;
  }

  private static final String CONFIG = """
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
      profiles:
      - plugins: {multiPoint: {enabled: [{name: DrainedZone}]}}
      """;

  static Framework framework(String zone) {
    try (Config config = Config.parse(CONFIG, null); Registry registry = Registry.create()) {
      registry.addPlugin(new DrainedZone(zone));
      return Framework.create(config, "", registry, null); // keeps what it needs
    }
  }

  static boolean print(Decision fit) {
    for (long i = 0; i < fit.nodeCount(); i++) {
      StringBuilder line = new StringBuilder(String.format("%-24s", fit.node(i)));
      boolean fits = fit.code(i) == Sched.CODE_SUCCESS;
      line.append(fits ? " fits" : String.format(" %-20s", fit.plugin(i)));
      for (long r = 0; r < fit.reasonCount(i); r++) {
        line.append(r == 0 ? " " : ", ").append(fit.reason(i, r));
      }
      System.out.println(line);
    }
    return fit.feasibleCount() > 0;
  }

  public static void main(String[] arguments) {
    if (arguments.length != 3) {
      System.err.println("usage: DrainedZone CLUSTER POD ZONE");
      System.exit(2);
    }
    ParseOptions options = new ParseOptions();
    options.setDefaults(true);
    int code = 2;
    try (Cluster cluster = Cluster.load(arguments[0]);
        Objects objects = Objects.load(arguments[1], options);
        Framework framework = framework(arguments[2]);
        Evaluator evaluator = Evaluator.create(framework, cluster, null);
        Pod pod = objects.getPod(0);
        Decision fit = evaluator.checkPodFits(pod, "", null)) {
      code = print(fit) ? 0 : 1;
    } catch (SchedException failure) {
      System.err.println(failure.path() + ": " + failure.getMessage());
    }
    System.exit(code);
  }
}
