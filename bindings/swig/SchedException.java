// The library's error as a Java exception.
package libsched;

import java.nio.charset.StandardCharsets;

public final class SchedException extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int code;
  private final String path;
  private final String plugin;

  SchedException(int code, byte[] message, byte[] path, byte[] plugin) {
    super(new String(message, StandardCharsets.UTF_8));
    this.code = code;
    this.path = new String(path, StandardCharsets.UTF_8);
    this.plugin = new String(plugin, StandardCharsets.UTF_8);
  }

  /** One of the LIBSCHED_ERR_* numbers. */
  public int code() {
    return code;
  }

  /** The place in the input: "spec.nodeName"; empty if there is none. */
  public String path() {
    return path;
  }

  /** The plugin concerned, or empty. */
  public String plugin() {
    return plugin;
  }
}
