// YAML: block and flow style, streams, scalars of every style, anchors, merge keys, comments.
#include "forms.hpp"

namespace growth {
namespace {

std::string digits(size_t i) { return std::to_string(i); }

std::string block_pod(size_t i, const std::string& indent) {
  std::string out;
  for (const char* const line :
       {"apiVersion: v1", "kind: Pod", "metadata:", "  name: pod-%", "  labels:", "    app: web",
        "    n: \"%\"", "spec:", "  containers:", "  - name: c", "    image: registry/web:1",
        "    args: [--one, \"two\", 'three']",
        "    resources:", "      requests:", "        cpu: 100m", "        memory: 1Gi"}) {
    std::string text = line;
    if (const size_t at = text.find('%'); at != std::string::npos) text.replace(at, 1, digits(i));
    out += (out.empty() ? "" : indent) + text + "\n";
  }
  return out;
}

const std::string kList = "apiVersion: v1\nkind: List\nitems:\n";
const std::string kNode = "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n";

Form scalar(const std::string& name, const std::string& begin, const std::string& part,
            const std::string& end) {
  return {"yaml: " + name,
          [=](size_t bytes) {
            return repeat(
                bytes, kNode + "  annotations:\n    a: " + begin, [&](size_t) { return part; }, "",
                end + "\n");
          },
          true};
}

}  // namespace

std::vector<Form> yaml_forms() {
  return {
      {"yaml: a List in block style",
       [](size_t n) {
         return repeat(n, kList, [](size_t i) { return "- " + block_pod(i, "  "); }, "", "");
       },
       true},
      {"yaml: a List in flow style",
       [](size_t n) {
         return repeat(n, "{apiVersion: v1, kind: List, items: [", pod, ",\n  ", "]}\n");
       },
       true},
      {"yaml: a stream",
       [](size_t n) {
         return repeat(n, "", [](size_t i) { return block_pod(i, ""); }, "---\n", "");
       },
       true},
      {"yaml: empty documents",
       [](size_t n) {
         return repeat(n, block_pod(0, ""), [](size_t) { return "---\n# none\n"; }, "", "");
       },
       true},
      {"yaml: one map",
       [](size_t n) {
         return repeat(
             n, kNode + "  labels:\n", [](size_t i) { return "    k" + digits(i) + ": v\n"; }, "",
             "");
       },
       true},
      {"yaml: one map in one line",
       [](size_t n) {
         return repeat(
             n, kNode + "  labels: {", [](size_t i) { return "k" + digits(i) + ": v"; }, ", ",
             "}\n");
       },
       true},
      {"yaml: one list in one line",
       [](size_t n) {
         return repeat(
             n, kNode + "spec: {podCIDRs: [", [](size_t i) { return "a" + digits(i); }, ", ",
             "]}\n");
       },
       true},
      {"yaml: words that end in a colon",
       [](size_t n) {
         return repeat(
             n, kNode + "spec: {podCIDRs: [",
             [](size_t i) { return "x::,\"b\",c" + digits(i) + ":"; }, ", ", "]}\n");
       },
       true},
      scalar("a literal text", "|\n", "      line: of text\n", ""),
      scalar("a folded text", ">-\n", "      line of text\n", ""),
      scalar("a plain text of many lines", "begin\n", "      word\n", ""),
      scalar("a long quoted text", "\"", "a \\t b", "\""),
      scalar("a long text in single quotes", "'", "it''s ", "'"),
      scalar("a long plain text", "x", "word word", ""),
      {"yaml: comments",
       [](size_t n) {
         return repeat(n, kNode, [](size_t) { return "# a comment\n"; }, "", "spec: {}\n");
       },
       true},
      {"yaml: anchors and aliases",
       [](size_t n) {
         return repeat(
             n, kNode + "spec:\n  podCIDRs:\n",
             [](size_t i) {
               const std::string name = "a" + digits(i);
               return "  - &" + name + " text-" + name + "\n  - *" + name + "\n";
             },
             "", "");
       },
       true},
      {"yaml: merge keys",
       [](size_t n) {
         return repeat(
             n, kNode + "status:\n  addresses:\n  - &a {type: x, address: \"1\"}\n",
             [](size_t i) { return "  - {<<: *a, address: \"" + digits(i) + "\"}\n"; }, "", "");
       },
       true},
      {"yaml: deep lists",
       [](size_t n) {
         return repeat(
             n, kNode + "spec:\n  podCIDRs:\n",
             [](size_t) { return "  - " + std::string(150, '[') + std::string(150, ']') + "\n"; },
             "", "");
       },
       true},
  };
}

}  // namespace growth
