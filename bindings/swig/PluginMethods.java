// Refuses plugins with methods that the library would never call.
package libsched;

import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Set;

final class PluginMethods {
  /** Upstream's methods of plugins; the library asks plugins in Java for the first two. */
  private static final Set<String> POINTS = Set.of("filter", "score", "filterBatch", "scoreBatch", "normalizeScore",
      "less", "preEnqueue", "preFilter", "addPod", "removePod", "postFilter", "preScore", "reserve", "unreserve",
      "permit", "preBindPreFlight", "preBind", "bind", "postBind", "signPod", "eventsToRegister", "queueingHint");

  private PluginMethods() {}

  static void check(Plugin plugin) {
    Class<?> base = plugin instanceof FilterPlugin ? FilterPlugin.class : ScorePlugin.class;
    String asked = plugin instanceof FilterPlugin ? "filter" : "score";
    boolean answers = false;
    for (Class<?> type = plugin.getClass(); type != base; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        if (POINTS.contains(method.getName()) && !method.getName().equals(asked)) {
          throw refusal(plugin, "has a method " + method.getName() + ", but a " + base.getSimpleName()
              + " is asked for " + asked + " alone: plugins in Java have Filter or Score, each in a class of its own");
        }
        answers |= overrides(method, base, asked);
      }
    }
    if (!answers) {
      throw refusal(plugin, "does not override " + asked + " of " + base.getSimpleName());
    }
  }

  private static boolean overrides(Method method, Class<?> base, String asked) {
    try {
      return method.getName().equals(asked) && base.getDeclaredMethod(asked, method.getParameterTypes()) != null;
    } catch (NoSuchMethodException another) {
      return false;
    }
  }

  private static SchedException refusal(Plugin plugin, String why) {
    byte[] text = ("the plugin " + plugin.getClass().getSimpleName() + " " + why).getBytes(StandardCharsets.UTF_8);
    return new SchedException(Sched.ERR_INVALID, text, new byte[0], new byte[0]);
  }
}
