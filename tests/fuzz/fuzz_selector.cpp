// Selectors: the compiled form over postings gives the same answer as the plain form for every
// node, row by row and for whole words at once.
#include <cstdlib>
#include <string>

#include "libsched/cluster/cluster.hpp"
#include "libsched/cluster/node_match.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

namespace {

// Reads short strings and small numbers from the fuzzer's bytes.
struct Reader {
  const uint8_t* at;
  const uint8_t* end;
  uint8_t byte() { return at < end ? *at++ : 0; }
  Str text(Arena& arena) {
    static const Str common[] = {"zone",          "a",  "b", "disk", "10", "9", "-3", "",
                                 "metadata.name", "n1", "n2"};
    const uint8_t n = byte();
    if (n < 200) return common[n % std::size(common)];
    const size_t len = std::min<size_t>(n % 8, static_cast<size_t>(end - at));
    const Str s = arena.copy(Str(reinterpret_cast<const char*>(at), len));
    at += len;
    return s;
  }
  Span<Requirement> requirements(Arena& arena, bool fields) {
    std::vector<Requirement> list;
    for (int n = byte() % 3; n > 0; --n) {
      Requirement r;
      r.key = text(arena);
      r.key_hash = hash_str(r.key);
      r.op = static_cast<SelectorOp>(byte() % 7);
      static const Str names[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Bogus"};
      r.op_text = names[static_cast<size_t>(r.op)];
      std::vector<Str> values;
      for (int k = byte() % 3; k > 0; --k) values.push_back(text(arena));
      r.values = arena.copy(values);
      r.values_present = !values.empty();
      r.valid = (fields ? field_requirement_error(r) : requirement_error(r)).empty();
      list.push_back(r);
    }
    return arena.copy(list);
  }
};

NodeRef node(Reader& in, const std::string& name) {
  Ref<Node> n = make_ref<Node>();
  n->meta.name = n->arena.copy(name);
  n->meta.key_hash = object_key_hash("", n->meta.name);
  std::vector<Label> labels;
  for (const Str key : {"disk", "zone"})
    if (in.byte() % 3 != 0) labels.push_back(make_label(key, in.text(n->arena)));
  n->meta.labels = n->arena.copy(labels);
  derive_node(*n);
  return n;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Reader in{data, data + size};
  Ref<Cluster> cluster = make_ref<Cluster>();
  const int count = 1 + in.byte() % 80;
  for (int i = 0; i < count; ++i)
    if (!cluster->update_node(node(in, "n" + std::to_string(i))).ok()) std::abort();
  Arena arena;
  NodeSelector selector;
  selector.present = in.byte() % 4 != 0;
  std::vector<NodeSelectorTerm> terms;
  for (int n = in.byte() % 3; n > 0; --n) {
    NodeSelectorTerm t;
    t.match_expressions = in.requirements(arena, false);
    t.match_fields = in.requirements(arena, true);
    terms.push_back(t);
  }
  selector.terms = arena.copy(terms);
  std::vector<Label> pairs;
  if (in.byte() % 3 == 0) pairs.push_back(make_label("zone", in.text(arena)));
  const View& view = cluster->view();
  const NodeMatch match(view, arena.copy(pairs), selector);
  std::vector<uint64_t> words(view.word_count());
  match.rows(view, 0, words.size(), words.data());
  for (uint32_t row = 0; row < view.row_count(); ++row) {
    const Node& n = *view.node(row);
    bool expected =
        !selector.present || node_selector_matches(selector, n.meta.labels, n.meta.name);
    for (const Label& p : pairs) {
      const Label* l = find_label(n.meta.labels, p.key);
      expected = expected && l != nullptr && l->value == p.value;
    }
    const bool in_words = (words[row / 64] >> (row % 64) & 1) != 0;
    if (match.matches(view, row) != expected || in_words != expected) std::abort();
  }
  return 0;
}
