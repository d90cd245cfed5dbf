// Gives SWIG's classes methods, and a text: `java AddMethods.java FOLDER` changes the files of a folder.
//
// SWIG makes a static function of Sched of each C function. A class gets those about it under a shorter name:
//   Sched.podName(pod)                  pod.name()                 its first parameter, and the prefix, is the class
//   Sched.podParse(text, options)       Pod.parse(text, options)   it makes an object of the class
//   Sched.capacityOf(evaluator, p, n)   evaluator.capacity(p, n)   it makes an object for another one
//   Sched.checkPodFits(evaluator, ...)  evaluator.checkPodFits(...)
// A class whose text is not given below prints its name; options print their values.
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class AddMethods {
  /** Classes whose functions begin with another word than their name. */
  private static final Map<String, String> PREFIXES = Map.of("TimedWorkload", "workload", "ResultTable", "table");

  /** Words that are no names of methods here: Java's own, and those that free an object. */
  private static final Set<String> TAKEN = Set.of("close", "delete", "finalize", "wait", "notify", "notifyAll", "getClass",
      "hashCode", "equals", "toString", "new", "default", "class", "package", "import", "return", "switch", "case");

  /** What toString gives, in the words of the methods. */
  private static final Map<String, String> TEXTS = Map.ofEntries(
      Map.entry("Pod", "\"Pod \" + namespace() + \"/\" + name() + (nodeName().isEmpty() ? \"\" : \" on \" + nodeName())"),
      Map.entry("Node", "\"Node \" + name()"),
      Map.entry("Objects", "\"Objects: \" + " + counted("podCount()", "pod") + " + \", \" + "
          + counted("nodeCount()", "node") + " + \", \" + " + counted("workloadCount()", "workload")),
      Map.entry("Cluster", "\"Cluster: \" + " + counted("view().nodeCount()", "node") + " + \", \" + "
          + counted("view().podCount()", "pod")),
      Map.entry("Snapshot", "\"Snapshot: \" + " + counted("view().nodeCount()", "node") + " + \", \" + "
          + counted("view().podCount()", "pod")),
      Map.entry("View", "\"View: \" + " + counted("nodeCount()", "node") + " + \", \" + "
          + counted("podCount()", "pod")),
      Map.entry("NodeInfo", "\"NodeInfo of row \" + row() + \", \" + " + counted("podCount()", "pod")),
      Map.entry("NodeSet", "\"NodeSet: \" + " + counted("count()", "node")),
      Map.entry("Status", "Sched.codeName(code()) + (plugin().isEmpty() ? \"\" : \" by \" + plugin())"
          + " + (reasonCount() == 0 ? \"\" : \": \" + reason(0)) + (reasonCount() > 1 ? \", ...\" : \"\")"),
      Map.entry("Framework", "\"Framework \" + profile()"),
      Map.entry("Decision", "!error().isEmpty() ? \"Decision: no answer: \" + error()"
          + " : \"Decision: fits \" + "
          + counted("feasibleCount()", "node") + " + (fitError().isEmpty() ? \"\" : \": \" + fitError())"),
      Map.entry("ScoreTable", "\"ScoreTable: \" + " + counted("rowCount()", "node") + " + \", \" + "
          + counted("columnCount()", "plugin")),
      Map.entry("PreFilterResult", "allNodes() ? \"PreFilterResult: all nodes\" : \"PreFilterResult: \" + "
          + counted("nodeCount()", "node")),
      Map.entry("Capacity", "(end() == Sched.CAPACITY_STOPPED ? \"\" : \"at least \") + count() + \" more fit\""
          + " + (why().isEmpty() ? \"\" : \"; the next: \" + why())"),
      Map.entry("Drain", "\"Drain: \" + "
          + counted("podCount()", "pod") + " + \", \" + (complete() ? \"complete\" : \"not complete\")"),
      Map.entry("Comparison", "\"Comparison: \" + "
          + counted("podCount()", "pod") + " + \", \" + changedCount() + \" changed\""),
      Map.entry("Edited", "\"Edited: \" + " + counted("podCount()", "pod")),
      Map.entry("EventMap", "\"EventMap: \" + " + counted("count()", "event")),
      Map.entry("WriterQueue", "\"WriterQueue: \" + " + counted("pending()", "message")),
      Map.entry("WaitingPod", "\"WaitingPod \" + pod()"),
      Map.entry("Cancel", "isSet() ? \"Cancel: set\" : \"Cancel: not set\""),
      Map.entry("Clock", "\"Clock at \" + now() + \" ns\""),
      Map.entry("TimedWorkload", "\"TimedWorkload: \" + " + counted("podCount()", "pod")),
      Map.entry("Catalog", "\"Catalog: \" + " + counted("podCount()", "pod") + " + \", \" + "
          + counted("nodeCount()", "node")),
      Map.entry("Sim", "\"Sim: \" + " + counted("nodeCount()", "node") + " + \", \" + " + counted("podCount()", "pod")),
      Map.entry("Simulation", "\"Simulation at \" + now() + \" ns\""),
      Map.entry("ResultTable", "\"ResultTable: \" + " + counted("rowCount()", "row")));

  /** An expression for a number with its noun. */
  private static String counted(String number, String noun) {
    return number + " + (" + number + " == 1 ? \" " + noun + "\" : \" " + noun + "s\")";
  }

  private static final Pattern FUNCTION =
      Pattern.compile("^  public static ([\\w.\\[\\]]+) (\\w+)\\(([^)]*)\\)", Pattern.MULTILINE);
  private static final Pattern GETTER =
      Pattern.compile("^  public (?:int|long|double|boolean|String) (get|is)([A-Z]\\w*)\\(\\)", Pattern.MULTILINE);
  private static final Pattern CLOSE = Pattern.compile("^  @Override public void close\\(\\) \\{ delete\\(\\); \\}$", Pattern.MULTILINE);

  private final Map<String, String> sources = new TreeMap<>();
  private final Map<String, List<String>> methods = new TreeMap<>();

  public static void main(String[] arguments) throws IOException {
    new AddMethods().change(Path.of(arguments[0]));
  }

  private void change(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.java")) {
      for (Path file : files) {
        String source = Files.readString(file);
        // A plugin is derived from, and has methods of its own.
        if (CLOSE.matcher(source).find() && !source.contains("swigDirectorDisconnect")) {
          sources.put(file.getFileName().toString().replace(".java", ""), source);
        }
      }
    }
    Matcher found = FUNCTION.matcher(Files.readString(folder.resolve("Sched.java")));
    while (found.find()) add(found.group(1), found.group(2), found.group(3));
    for (Map.Entry<String, String> one : sources.entrySet()) {
      String made = String.join("", methods.getOrDefault(one.getKey(), List.of())) + text(one.getKey(), one.getValue());
      String source = CLOSE.matcher(one.getValue()).replaceFirst(Matcher.quoteReplacement(
          "  @Override public void close() { delete(); }\n" + made));
      Files.writeString(folder.resolve(one.getKey() + ".java"), source);
    }
  }

  private void add(String type, String name, String parameters) {
    String[] listed = parameters.isEmpty() ? new String[0] : parameters.split(", ");
    String first = listed.length == 0 ? "" : listed[0].split(" ")[0];
    if (begins(name, first)) {
      method(first, type, shorter(name, first), name, listed);
    } else if (begins(name, type) && name.endsWith("Of") && sources.containsKey(first)) {
      method(first, type, name.substring(0, name.length() - 2), name, listed);
    } else if (begins(name, type)) {
      StringBuilder given = new StringBuilder();
      for (String one : listed) given.append(given.length() == 0 ? "" : ", ").append(one.split(" ")[1]);
      write(type, "static ", type, shorter(name, type), name, parameters, given.toString());
    } else if (sources.containsKey(first)) {
      method(first, type, name.endsWith("Of") ? name.substring(0, name.length() - 2) : name, name, listed);
    }
  }

  private void method(String owner, String type, String name, String function, String[] listed) {
    StringBuilder parameters = new StringBuilder();
    StringBuilder given = new StringBuilder("this");
    for (int i = 1; i < listed.length; i++) {
      parameters.append(i == 1 ? "" : ", ").append(listed[i]);
      given.append(", ").append(listed[i].split(" ")[1]);
    }
    write(owner, "", type, name, function, parameters.toString(), given.toString());
  }

  private void write(String owner, String kind, String type, String name, String function, String parameters, String given) {
    methods.computeIfAbsent(owner, unused -> new ArrayList<>()).add(
        "\n  /** {@link Sched#" + function + "} */\n  public " + kind + type + " " + name + "(" + parameters + ") { "
        + (type.equals("void") ? "" : "return ") + "Sched." + function + "(" + given + "); }\n");
  }

  private String prefix(String owner) {
    return PREFIXES.getOrDefault(owner, owner);
  }

  /** Whether the function's name is the class's, and another word. */
  private boolean begins(String name, String owner) {
    String prefix = prefix(owner);
    return sources.containsKey(owner) && name.length() > prefix.length()
        && name.regionMatches(true, 0, prefix, 0, prefix.length()) && Character.isUpperCase(name.charAt(prefix.length()));
  }

  private String shorter(String name, String owner) {
    String rest = name.substring(prefix(owner).length());
    String made = Character.toLowerCase(rest.charAt(0)) + rest.substring(1);
    return TAKEN.contains(made) ? name : made;
  }

  private String text(String owner, String source) {
    StringBuilder values = new StringBuilder();
    Matcher found = GETTER.matcher(source);
    while (found.find()) {
      String name = found.group(2);
      values.append(values.length() == 0 ? " + \" {" : " + \", ").append(Character.toLowerCase(name.charAt(0)))
          .append(name.substring(1)).append("=\" + ").append(found.group(1)).append(name).append("()");
    }
    String said = TEXTS.getOrDefault(owner,
        "\"" + owner + "\"" + (values.length() == 0 ? "" : values + " + \"}\""));
    return "\n  /** A text for people; \"" + owner + " (closed)\" once it is closed. */\n"
        + "  @Override public String toString() { return swigCPtr == 0 ? \"" + owner + " (closed)\" : " + said + "; }\n";
  }
}
