// The mistakes of the plugin guide: `Mistakes NAME` prints what is said.
import libsched.*;

public final class Mistakes {
  private static class Team extends FilterPlugin {
    private final int code;

    Team(int code) {
      super("Team");
      this.code = code;
    }

    @Override
    public int filter(CycleState state, Pod pod, NodeInfo node, Status status) {
      if (code < 0) throw new IllegalStateException("boom");
      return code;
    }
  }

  private static Plugin misspelt() {
    class Team extends FilterPlugin {
      Team() {
        super("Team");
      }

      public int fliter(CycleState state, Pod pod, NodeInfo node, Status status) {
        return Sched.CODE_UNSCHEDULABLE;
      }
    }
    return new Team();
  }

  private static Plugin permitting() {
    class Team extends Mistakes.Team {
      Team() {
        super(0);
      }

      public int permit(CycleState state, Pod pod, String node, Status status) {
        return Sched.CODE_WAIT;
      }
    }
    return new Team();
  }

  private static Plugin of(String mistake) {
    return switch (mistake) {
      case "a misspelt method" -> misspelt();
      case "a method of a point that Java lacks" -> permitting();
      case "a code that the point does not know" -> new Team(Sched.CODE_SKIP);
      case "an unknown code" -> new Team(77);
      case "Error without a reason" -> new Team(Sched.CODE_ERROR);
      case "an exception" -> new Team(-1);
      case "none: a plugin that no configuration names" -> new Team(Sched.CODE_UNSCHEDULABLE);
      default -> throw new IllegalArgumentException(mistake);
    };
  }

  public static void main(String[] arguments) {
    try (Registry registry = Registry.create()) {
      registry.addPlugin(of(arguments[0]));
      try (Framework framework = Framework.create(null, "", registry, null); Cluster cluster = Checks.cluster(4);
          Decision fit = Checks.decide(cluster, framework, false)) {
        System.out.println(fit.error().isEmpty() ? fit.feasibleCount() + " nodes" : fit.error());
      }
    } catch (SchedException refused) {
      System.out.println(refused.code() == Sched.ERR_INVALID ? refused.getMessage() : refused.toString());
    }
  }
}
