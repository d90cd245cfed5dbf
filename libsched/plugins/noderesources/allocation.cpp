// Allocation: the requests of a pod as each scorer counts them, and the columns of the resources
// that take part.
#include "libsched/plugins/noderesources/allocation.hpp"

#include <algorithm>

#include "libsched/base/wrapping.hpp"
#include "libsched/framework/scoring.hpp"
#include "libsched/objects/pod_requests.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/noderesources/device_totals.hpp"

namespace libsched {

Allocation::Allocation(const std::vector<ResourceSpec>& resources, Basis basis,
                       const PodAccounting& accounting)
    : basis_(basis), accounting_(accounting) {
  for (const ResourceSpec& r : resources)
    items_.push_back({r.name, hash_str(r.name), r.weight, is_scalar_resource_name(r.name),
                      r.name == "cpu"                 ? kCpu
                      : r.name == "memory"            ? kMemory
                      : r.name == "ephemeral-storage" ? kEphemeralStorage
                                                      : kNoId});
  for (const Item& item : items_) names_.push_back(item.name);
  pair_ = cpu_and_memory();
}

bool Allocation::lists(Str name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

// The pod's requests of cpu and memory, where those that were derived once (Pod) are counted in the
// same way.
std::optional<NonZero> Allocation::derived(const Pod& pod) const {
  if (basis_ == Basis::kRequested) {
    const AccountedPod counted(pod, accounting_);
    return NonZero{counted->occupied.milli_cpu, counted->occupied.memory};
  }
  if (pod.accounted_otherwise || status_counts(pod) || has_pod_level_requests(pod))
    return std::nullopt;
  return pod.occupied_nonzero;
}

std::shared_ptr<AllocationAsk> Allocation::ask(const Pod& pod) const {
  auto out = std::make_shared<AllocationAsk>(items_.size());
  if (cpu_and_memory()) {
    if (const std::optional<NonZero> known = derived(pod)) {
      for (size_t i = 0; i < items_.size(); ++i)
        out->amounts()[i] = items_[i].id == kCpu ? known->milli_cpu : known->memory;
      return out;
    }
  }
  const PodRequestOptions options =
      basis_ == Basis::kRequested
          ? PodRequestOptions{.use_status = accounting_.resizes,
                              .pod_level = accounting_.pod_level,
                              .pod_level_status = accounting_.pod_level_resizes,
                              .status_by_pod = accounting_.resizes_by_pod}
          : PodRequestOptions{.pod_level = false, .default_cpu = true, .default_memory = true};
  pod_request_values(pod, options, names_, out->amounts());
  return out;
}

AllocationColumns Allocation::columns(const Columns& columns, const AllocationAsk& ask) const {
  const std::span<const int64_t> amounts = ask.amounts();
  AllocationColumns out;
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    uint32_t id = item.id;
    if (item.scalar) {
      if (amounts[i] == 0) continue;
      const auto own = std::find_if(ask.devices.begin(), ask.devices.end(),
                                    [&](const auto& d) { return d.resource == i; });
      if (own != ask.devices.end()) {
        out.add() = {RowColumn::of(own->allocatable.data()),
                     RowColumn::of(own->left.data()),
                     {},
                     amounts[i],
                     item.weight};
        continue;
      }
      id = columns.find(item.name, item.hash);
    }
    if (id == kNoId) continue;  // "pods", or a name that upstream drops, or no node has it
    AllocationColumn& column = out.add();
    column.allocatable = columns.allocatable_column(id);
    column.left = columns.left_column(id);
    column.used = basis_ == Basis::kNonZero && (id == kCpu || id == kMemory)
                      ? columns.nonzero_column(id)
                      : RowColumn();
    column.ask = amounts[i];
    column.weight = item.weight;
    column.inverse = id == kCpu || id == kMemory ? columns.arrays(id).inverse : nullptr;
  }
  return out;
}

int64_t Allocation::fullness(const Columns& columns, Span<uint32_t> rows,
                             Span<GroupAssignment> pods) const {
  std::vector<int64_t> requested(items_.size());
  for (const GroupAssignment& assignment : pods) {
    const std::shared_ptr<AllocationAsk> asked = ask(*assignment.pod);
    for (size_t i = 0; i < items_.size(); ++i)
      requested[i] = wrapping_add(requested[i], asked->amounts()[i]);
  }
  int64_t sum = 0, weights = 0;
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    const uint32_t id = item.scalar ? columns.find(item.name, item.hash) : item.id;
    if (id == kNoId) continue;
    const bool nonzero = basis_ == Basis::kNonZero && (id == kCpu || id == kMemory);
    int64_t allocatable = 0;
    for (const uint32_t row : rows) {
      // A scalar counts from the first node on for which something has been requested.
      if (item.scalar && requested[i] == 0) continue;
      const int64_t there = columns.allocatable(id, row);
      if (there == 0) continue;
      allocatable = wrapping_add(allocatable, there);
      const int64_t used =
          nonzero ? columns.nonzero_column(id)[row] : wrapping_sub(there, columns.left(id, row));
      requested[i] = wrapping_add(requested[i], used);
    }
    if (allocatable == 0) continue;
    const int64_t full = std::min(requested[i], allocatable);
    const int64_t score = wrapping_div(wrapping_mul(full, kMaxNodeScore), allocatable);
    sum = wrapping_add(sum, wrapping_mul(score, item.weight));
    weights = wrapping_add(weights, item.weight);
  }
  return weights == 0 ? 0 : wrapping_div(sum, weights);
}

bool Allocation::lists_devices(const View& view, const Resources& asked) const {
  return std::any_of(asked.scalars.begin(), asked.scalars.end(), [&](const ScalarAmount& s) {
    return s.value != 0 && lists(s.name) && may_be_device_resource(view, s.name);
  });
}

void Allocation::add_devices(const View& view, const DeviceTotals& totals,
                             AllocationAsk* ask) const {
  const Columns& columns = view.columns();
  for (size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (!item.scalar || ask->amounts()[i] == 0) continue;
    if (!may_be_device_resource(view, item.name)) continue;
    DeviceTotals::Counts counts = totals.count(view, *view.objects().device_class_of(item.name));
    AllocationAsk::Devices own{i, std::move(counts.all), std::move(counts.allocated)};
    const uint32_t id = columns.find(item.name, item.hash);
    for (uint32_t row = 0; row < own.left.size(); ++row) {
      const bool itself =
          id != kNoId && row < view.row_count() && columns.allocatable(id, row) != 0;
      own.left[row] = itself ? columns.left(id, row) : own.allocatable[row] - own.left[row];
      if (itself) own.allocatable[row] = columns.allocatable(id, row);
    }
    ask->devices.push_back(std::move(own));
    ask->view_version = view.version();
  }
}

}  // namespace libsched
