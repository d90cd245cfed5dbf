// Allowed topologies and tracked storage capacity, as in checkVolumeProvisions of upstream's
// volumebinding/binder.go.
#include "libsched/plugins/volumebinding/provisioning.hpp"

#include <algorithm>

#include "libsched/cluster/node_match.hpp"

namespace libsched {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

NodeMatch topology_match(const View& view, Span<TopologySelectorTerm> allowed) {
  if (allowed.empty()) return NodeMatch();
  std::vector<std::vector<Requirement>> requirements;
  for (const TopologySelectorTerm& term : allowed) {
    std::vector<Requirement>& out = requirements.emplace_back();
    for (const TopologySelectorRequirement& t : term.requirements) {
      Requirement r;
      r.key = t.key;
      r.key_hash = hash_str(t.key);
      r.op = SelectorOp::kIn;
      r.op_text = "In";
      r.values = t.values;
      r.values_present = true;
      r.valid = requirement_error(r).empty();
      out.push_back(r);
    }
  }
  std::vector<NodeSelectorTerm> terms;
  for (const std::vector<Requirement>& r : requirements) terms.push_back({r, {}});
  NodeSelector selector;
  selector.present = true;
  selector.terms = terms;
  return NodeMatch(view, {}, selector);
}

void add_reaching_rows(const View& view, const LabelSelector& topology,
                       std::vector<uint64_t>* rows) {
  if (!topology.present || !label_selector_error(topology).empty()) return;
  NodeSelector selector;
  const NodeSelectorTerm term{topology.match_expressions, {}};
  if (!topology.match_expressions.empty()) {
    selector.present = true;
    selector.terms = {&term, 1};
  }
  std::vector<uint64_t> reached(rows->size());
  NodeMatch(view, topology.match_labels, selector).rows(view, 0, reached.size(), reached.data());
  for (size_t w = 0; w < reached.size(); ++w) (*rows)[w] |= reached[w];
}

bool provisions(const StorageClass* storage_class) {
  return storage_class != nullptr && !storage_class->provisioner.empty() &&
         storage_class->provisioner != "kubernetes.io/no-provisioner";
}

// Whether the driver of the claim's class tells how much storage is left.
bool is_tracked(const View& view, const PersistentVolumeClaim& claim, const StorageClass& of) {
  const auto* driver = view.objects().find<CsiDriver>(of.provisioner);
  return claim.request && driver != nullptr && driver->storage_capacity;
}

const std::optional<Quantity>& limit_of(const CsiStorageCapacity& c) {
  return c.maximum_volume_size ? c.maximum_volume_size : c.capacity;
}

}  // namespace

std::optional<int64_t> largest_volume(const View& view, Str class_name, uint32_t row) {
  std::optional<int64_t> out;
  std::vector<uint64_t> reached(view.word_count());
  view.objects().for_each_in<CsiStorageCapacity>(class_name, [&](const CsiStorageCapacity& c) {
    const std::optional<Quantity>& limit = limit_of(c);
    if (!limit || (out && *out >= limit->value())) return;
    reached[row / 64] = 0;
    add_reaching_rows(view, c.node_topology, &reached);
    if ((reached[row / 64] >> (row % 64) & 1) != 0) out = limit->value();
  });
  return out;
}

Provisioning::Provisioning(const View& view, const PersistentVolumeClaim& claim)
    : possible(view.word_count()), enough(view.word_count(), kAll) {
  const ObjectStore& objects = view.objects();
  const Str class_name = claim.storage_class();
  const auto* storage_class = objects.find<StorageClass>(class_name);
  if (!provisions(storage_class)) return;
  topology_match(view, storage_class->allowed_topologies)
      .rows(view, 0, possible.size(), possible.data());
  if (!is_tracked(view, claim, *storage_class)) return;
  enough.assign(enough.size(), 0);
  const int64_t size = claim.request->value();
  objects.for_each_in<CsiStorageCapacity>(class_name, [&](const CsiStorageCapacity& c) {
    const std::optional<Quantity>& limit = limit_of(c);
    if (limit && limit->value() >= size) add_reaching_rows(view, c.node_topology, &enough);
  });
}

std::vector<std::optional<int64_t>> node_capacities(const View& view,
                                                    const PersistentVolumeClaim& claim) {
  const size_t words = view.word_count();
  std::vector<std::optional<int64_t>> out(words * 64);
  const Str class_name = claim.storage_class();
  const auto* storage_class = view.objects().find<StorageClass>(class_name);
  if (storage_class == nullptr || !is_tracked(view, claim, *storage_class)) return out;
  const int64_t size = claim.request->value();
  std::vector<uint64_t> left(words, kAll), reached(words);
  view.objects().for_each_in<CsiStorageCapacity>(class_name, [&](const CsiStorageCapacity& c) {
    const std::optional<Quantity>& limit = limit_of(c);
    if (!limit || limit->value() < size) return;
    std::fill(reached.begin(), reached.end(), 0);
    add_reaching_rows(view, c.node_topology, &reached);
    for (size_t w = 0; w < words; ++w) {
      const uint64_t taken = left[w] & reached[w];
      left[w] &= ~taken;
      if (c.capacity)
        for_each_bit(taken, w * 64, [&](size_t row) { out[row] = c.capacity->value(); });
    }
  });
  return out;
}

void add_topology_facts(const View& view, const PersistentVolumeClaim& claim, uint32_t row,
                        const Fact& begun, Facts* out) {
  const auto* storage_class = view.objects().find<StorageClass>(claim.storage_class());
  if (!provisions(storage_class)) {
    out->add(begun).text("problem", "no provisioner");
    return;
  }
  const Labels labels = view.node(row)->meta.labels;
  const Span<TopologySelectorTerm> terms = storage_class->allowed_topologies;
  for (size_t i = 0; i < terms.size(); ++i) {
    Fact of_term = begun;
    of_term.text("problem", "topology").number("term", static_cast<int64_t>(i));
    if (terms[i].requirements.empty()) out->add(of_term);  // it allows no node
    for (const TopologySelectorRequirement& r : terms[i].requirements) {
      const Label* has = find_label(labels, r.key);
      if (has != nullptr &&
          std::find(r.values.begin(), r.values.end(), has->value) != r.values.end())
        continue;
      Fact& fact = out->add(of_term).text("key", r.key).text("operator", "In");
      fact.texts("values", r.values);
      if (has != nullptr) fact.text("found", has->value);
    }
  }
}

}  // namespace libsched
