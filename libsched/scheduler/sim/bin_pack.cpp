// Sim: bin-packing of groups of pods on new nodes, step by step as the Cluster Autoscaler's
// estimator does it, so that both add the same number of nodes.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libsched/scheduler/sim/change.hpp"
#include "libsched/scheduler/sim/sim.hpp"
#include "libsched/scheduler/what_if/node_objects.hpp"

namespace libsched {
namespace {

// Upstream's reason of a spread constraint that a node does not meet: the estimator knows by it
// that a new node would not help, either.
constexpr Str kSpreadReason = "node(s) didn't match pod topology spread constraints";

bool spreads_over_hosts(const Pod& pod) {
  return std::any_of(pod.spec.spread.begin(), pod.spec.spread.end(),
                     [](const auto& c) { return c.topology_key == "kubernetes.io/hostname"; });
}

// The estimator's measure of a pod: the parts of a node's cpu and memory that its containers
// request, without init containers, overhead and requests of the pod.
double size_of(const Pod& pod, const Node& node) {
  Quantity cpu, memory;
  for (const Container& container : pod.spec.containers) {
    for (const NamedQuantity& entry : container.requests) {
      if (entry.name == "cpu") cpu.add(entry.quantity);
      if (entry.name == "memory") memory.add(entry.quantity);
    }
  }
  double out = 0;
  if (node.allocatable.milli_cpu > 0)
    out += static_cast<double>(cpu.milli_value()) / static_cast<double>(node.allocatable.milli_cpu);
  if (node.allocatable.memory > 0)
    out += static_cast<double>(memory.value()) / static_cast<double>(node.allocatable.memory);
  return out;
}

}  // namespace

class Sim::Packer {
 public:
  Packer(Sim* sim, Span<SimGroup> groups, uint64_t like, const SimPackOptions& options)
      : sim_(*sim), groups_(groups), like_(like), options_(options), out_(sim->packing_) {}

  // Packs in a fork, which the caller has opened. A limit that is reached ends the packing, and is
  // no error.
  Result<void> run();

 private:
  // The pods of a group that are still to be placed: from `next` to `end`.
  struct Rest {
    size_t next, end;
  };
  struct NewNode {
    uint32_t row;
    size_t pods = 0;  // how many pods of the groups are on it
  };

  Result<void> prepare();
  Result<void> on_existing(Known* known, Rest* rest);
  // Sets `more_` to false if no further node may be added.
  Result<void> on_new(Known* known, Rest* rest);
  Result<bool> on_last(Known* known, size_t pod);
  Result<bool> anywhere_but_on_last(Known* known, size_t pod);
  Result<bool> add_node();
  Result<SimVerdict> try_on(Known* known, uint32_t row, Status* status);
  Result<void> place(Known* known, uint32_t row, size_t pod);
  Result<SimHit> search(Known* known, SearchOptions options);
  size_t ring_start(size_t nodes) const {
    return options_.ring == nullptr || nodes == 0
               ? 0
               : (options_.ring->last + options_.ring->offset) % nodes;
  }
  size_t base() const { return sim_.order_.size() - new_.size(); }  // new nodes are the last ones

  Sim& sim_;
  Span<SimGroup> groups_;
  uint64_t like_;
  const SimPackOptions& options_;
  SimPacking& out_;
  Ref<const NodeContent> content_;
  std::vector<Known*> node_pods_;
  std::vector<NewNode> new_;
  std::vector<uint32_t> new_rows_, index_of_row_;
  std::vector<uint64_t> new_bits_;  // bitmap of new_rows_
  std::vector<uint64_t> accept_;
  std::optional<LimitWatch> watch_;
  size_t next_number_ = 0, steps_ = 0;
  bool more_ = true;
};

Result<void> Sim::Packer::prepare() {
  Result<Ref<const NodeContent>> content = sim_.node_content(like_);
  if (!content.ok()) return content.error();
  content_ = std::move(*content);
  for (const uint64_t pod : options_.node_pods) {
    const Result<Known*> known = sim_.know(pod);
    if (!known.ok()) return known.error();
    node_pods_.push_back(*known);
  }
  size_t pods = 0;
  for (const SimGroup& group : groups_) {
    const Result<Known*> known = sim_.know(group.pod);
    if (!known.ok()) return known.error();
    if (group.count > size_t{1} << 31 || (pods += group.count) > size_t{1} << 31)
      return Error{Rc::kLimit, "too many pods to pack"};
  }
  out_.nodes.clear();
  out_.on_node.assign(pods, SimPacking::kNone);
  out_.pod_ids.assign(pods, 0);
  out_.placed = 0;
  out_.stop = SimStop::kNone;
  if (options_.limits.cancel != nullptr || options_.limits.deadline_ns != 0)
    watch_.emplace(options_.limits, sim_.evaluator_->services().deadline_clock());
  return {};
}

Result<void> Sim::Packer::run() {
  LIBSCHED_TRY(prepare());
  std::vector<size_t> turn(groups_.size()), first(groups_.size());
  std::vector<double> sizes(groups_.size());
  const uint64_t call = ++sim_.calls_;
  size_t pods = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    turn[g] = g;
    first[g] = pods;
    pods += groups_[g].count;
    const Result<Known*> known = sim_.know(groups_[g].pod);
    if (!known.ok()) return known.error();
    Known& k = **known;
    if (std::exchange(k.sized_in, call) != call) k.size = size_of(k.pod(), *content_->node);
    sizes[g] = k.size;
  }
  if (!options_.keep_order)
    std::stable_sort(turn.begin(), turn.end(),
                     [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  for (const size_t g : turn) {
    const Result<Known*> known = sim_.know(groups_[g].pod);
    if (!known.ok()) return known.error();
    Known& k = **known;
    // An equal group has found no node in this state, and would find none again.
    if (k.failed_in == call && k.failed_at == sim_.view().version() && sim_.stands(&k)) continue;
    const uint64_t before = sim_.view().version();
    Rest rest{first[g], first[g] + groups_[g].count};
    LIBSCHED_TRY(on_existing(&k, &rest));
    if (more_ && out_.stop != SimStop::kDeadline) LIBSCHED_TRY(on_new(&k, &rest));
    if (out_.stop == SimStop::kDeadline) break;
    if (sim_.view().version() == before && rest.next < rest.end) {
      k.failed_in = call;
      k.failed_at = before;
    }
  }
  for (const NewNode& node : new_) out_.nodes.push_back(sim_.node_id(node.row));
  return {};
}

Result<SimVerdict> Sim::Packer::try_on(Known* known, uint32_t row, Status* status) {
  LIBSCHED_TRY(sim_.ready(known, {}));
  Known& k = *known;
  if (!k.pre_filter.success()) {
    *status = k.pre_filter;
    return SimVerdict{SimStage::kPreFilterRejected, k.pre_filter.code, 0};
  }
  const PreFilterResult& narrowed = k.state->pre_filter();
  if (!narrowed.all_nodes && !narrowed.allows(sim_.view().row(row).name))
    return SimVerdict{SimStage::kPreFilterExcluded, Code::kUnschedulableAndUnresolvable, 0};
  LIBSCHED_TRY(sim_.evaluator_->run_filter(*k.state, k.pod(), row, status));
  if (status->success()) return SimVerdict{};
  return SimVerdict{SimStage::kFilterRejected, status->code, 0};
}

Result<void> Sim::Packer::place(Known* known, uint32_t row, size_t pod) {
  Change change(&sim_);
  const Result<uint32_t> slot = sim_.place_pod(known, row);
  if (!slot.ok()) return slot.error();
  change.commit();
  const uint32_t index = row < index_of_row_.size() ? index_of_row_[row] : kNoId;
  out_.on_node[pod] = index == kNoId ? SimPacking::kOnOther : static_cast<int32_t>(index);
  out_.pod_ids[pod] = sim_.pod_id(*slot);
  ++out_.placed;
  if (index != kNoId) ++new_[index].pods;
  return {};
}

// A search in the present state; the pod is not placed yet. The autoscaler passes over nodes with
// spec.unschedulable.
Result<SimHit> Sim::Packer::search(Known* known, SearchOptions options) {
  options.skip_unschedulable = true;
  LIBSCHED_TRY(sim_.ready(known, {}));
  if (!known->pre_filter.success()) return SimHit{};
  return sim_.find(known, options, nullptr, false);
}

// The pods of a group, as long as one of the new nodes takes them.
Result<void> Sim::Packer::on_existing(Known* known, Rest* rest) {
  for (; rest->next < rest->end; ++rest->next) {
    if (watch_ && steps_++ % 64 == 0 && watch_->exceeded()) {
      out_.stop = SimStop::kDeadline;
      return {};
    }
    SearchOptions options;
    size_t shift = 0;
    if (options_.existing_too) {
      options.order = sim_.order_;
      options.whole = true;
      options.start = ring_start(sim_.order_.size());
    } else {
      options.order = new_rows_;
      // Of the rows that are accepted, so that none is looked up in the order.
      options.whole = true;
      options.places = index_of_row_;
      options.accept = new_bits_;
      options.accept_given = true;
      shift = base();
      const size_t start = ring_start(sim_.order_.size());
      options.start = start < shift ? 0 : start - shift;
    }
    if (options.order.empty()) return {};
    const Result<SimHit> hit = search(known, options);
    if (!hit.ok()) return hit.error();
    if (hit->node == 0) return {};
    if (options_.ring != nullptr) options_.ring->last = hit->position + shift;
    LIBSCHED_TRY(place(known, index_of(hit->node), rest->next));
  }
  return {};
}

Result<bool> Sim::Packer::on_last(Known* known, size_t pod) {
  if (new_.empty()) return false;
  Status status;
  const uint32_t last = new_.back().row;
  const Result<SimVerdict> verdict = try_on(known, last, &status);
  if (!verdict.ok()) return verdict.error();
  if (verdict->passed()) {
    LIBSCHED_TRY(place(known, last, pod));
    return true;
  }
  if (!spreads_over_hosts(known->pod()) || std::find(status.reasons.begin(), status.reasons.end(),
                                                     kSpreadReason) == status.reasons.end())
    return false;
  return anywhere_but_on_last(known, pod);
}

// On any node of the cluster, as the estimator allows here.
Result<bool> Sim::Packer::anywhere_but_on_last(Known* known, size_t pod) {
  const Bitmap& live = sim_.view().live();
  accept_.assign(live.data(), live.data() + live.word_count());
  const uint32_t last = new_.back().row;
  accept_[last / 64] &= ~(uint64_t{1} << (last % 64));
  SearchOptions options;
  options.order = sim_.order_;
  options.whole = true;
  options.accept = accept_;
  options.accept_given = true;
  options.start = ring_start(sim_.order_.size());
  const Result<SimHit> hit = search(known, options);
  if (!hit.ok()) return hit.error();
  if (hit->node == 0) return false;
  if (options_.ring != nullptr) options_.ring->last = hit->position;
  LIBSCHED_TRY(place(known, index_of(hit->node), pod));
  return true;
}

// Adds a node. Returns false if no further node may be added.
Result<bool> Sim::Packer::add_node() {
  if (options_.max_nodes != 0 && new_.size() >= options_.max_nodes) {
    out_.stop = SimStop::kNodes;
    return false;
  }
  if (options_.permit != nullptr && !options_.permit(options_.user_data)) {
    out_.stop = SimStop::kPermit;
    return false;
  }
  std::string name;
  do {
    name.assign(options_.prefix);
    name += std::to_string(next_number_++);
  } while (sim_.view().find_node(name) != kNoId);
  reserve_more(new_, 1);
  reserve_more(new_rows_, 1);
  Change change(&sim_);
  const Result<uint32_t> row = sim_.put_node(content_, like_, name);
  if (!row.ok()) return row.error();
  if (!options_.objects_of.empty())
    LIBSCHED_TRY(copy_node_objects(*sim_.cluster_, options_.objects_of, name));
  for (const Known* known : node_pods_) {
    const Result<uint32_t> slot = sim_.put_pod(known->content->pod, known->ref, *row);
    if (!slot.ok()) return slot.error();
  }
  if (index_of_row_.size() <= *row) index_of_row_.resize(*row + *row / 2 + 64, kNoId);
  if (new_bits_.size() <= *row / 64) new_bits_.resize(*row / 64 + *row / 128 + 1);
  change.commit();
  index_of_row_[*row] = static_cast<uint32_t>(new_.size());
  new_.push_back({*row});
  new_rows_.push_back(*row);
  new_bits_[*row / 64] |= uint64_t{1} << (*row % 64);
  return true;
}

Result<void> Sim::Packer::on_new(Known* known, Rest* rest) {
  for (; rest->next < rest->end; ++rest->next) {
    if (watch_ && steps_++ % 64 == 0 && watch_->exceeded()) {
      out_.stop = SimStop::kDeadline;
      return {};
    }
    const Result<bool> on = on_last(known, rest->next);
    if (!on.ok()) return on.error();
    if (*on) continue;
    // The pod does not fit on an empty new node: another one would not help.
    if (!new_.empty() && new_.back().pods == 0) return {};
    const Result<bool> added = add_node();
    if (!added.ok()) return added.error();
    if (!*added) {
      more_ = false;
      return {};
    }
    Status status;
    const Result<SimVerdict> verdict = try_on(known, new_.back().row, &status);
    if (!verdict.ok()) return verdict.error();
    // The node stays, empty: the pods behind this one are not tried on any other node, either.
    if (!verdict->passed()) return {};
    LIBSCHED_TRY(place(known, new_.back().row, rest->next));
  }
  return {};
}

Result<const SimPacking*> Sim::bin_pack(Span<SimGroup> groups, uint64_t like,
                                        const SimPackOptions& options) {
  LIBSCHED_TRY(fork());
  Result<void> done;
  try {
    done = Packer(this, groups, like, options).run();
  } catch (...) {
    static_cast<void>(revert());
    throw;
  }
  if (!done.ok()) {
    LIBSCHED_TRY(revert());
    return std::move(done.error());
  }
  return &packing_;
}

}  // namespace libsched
