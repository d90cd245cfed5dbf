// See device_totals.hpp.
#include "libsched/plugins/noderesources/device_totals.hpp"

#include <algorithm>

#include "libsched/cel/device_view.hpp"
#include "libsched/config/selector_options.hpp"
#include "libsched/objects/resource_slice.hpp"

namespace libsched {
namespace {

// Sums by row; what every node has stands apart until the end.
class Sums {
 public:
  explicit Sums(const View& view)
      : view_(view), all_(view.word_count() * 64), allocated_(all_.size()), failed_(all_.size()) {}

  struct Part {
    int64_t all = 0, allocated = 0;
    bool failed = false;
  };
  void add(const Part& part) {
    everywhere_.all += part.all;
    everywhere_.allocated += part.allocated;
    everywhere_.failed |= part.failed;
  }
  void add(uint32_t row, const Part& part) {
    all_[row] += part.all;
    allocated_[row] += part.allocated;
    if (part.failed) failed_[row] = true;
  }
  // Of the nodes that match; one where the selector cannot be read has nothing.
  void add(Str node_name, const NodeSelector& selector, const Part& part) {
    if (!node_name.empty()) {
      const uint32_t row = view_.find_node(node_name);
      if (row != kNoId) add(row, part);
      return;
    }
    for (uint32_t row = 0; row < view_.row_count(); ++row) {
      const Node* const node = view_.node(row);
      if (node == nullptr) continue;
      const Result<bool> match =
          node_matches({node->meta.name, node->meta.labels}, {}, false, selector);
      if (!match.ok()) add(row, {0, 0, true});
      if (match.ok() && *match) add(row, part);
    }
  }
  DeviceTotals::Counts take() {
    for (size_t row = 0; row < all_.size(); ++row) {
      const bool failed = everywhere_.failed || failed_[row];
      all_[row] = failed ? 0 : all_[row] + everywhere_.all;
      allocated_[row] = failed ? 0 : allocated_[row] + everywhere_.allocated;
    }
    return {std::move(all_), std::move(allocated_)};
  }

 private:
  const View& view_;
  Part everywhere_;
  std::vector<int64_t> all_, allocated_;
  std::vector<bool> failed_;
};

DeviceFeatures features_of(const DeviceTotals::Settings& settings) {
  DeviceFeatures out;
  out.consumable_capacity = settings.consumable_capacity;
  return out;
}

}  // namespace

std::optional<DeviceTotals::Settings> DeviceTotals::settings_of(const FeatureGates& gates,
                                                                const Behaviours& behaviours) {
  if (!gates.enabled(Gate::kDRAExtendedResource)) return std::nullopt;
  return Settings{gates.enabled(Gate::kDRAConsumableCapacity),
                  selector_options(behaviours, gates.enabled(Gate::kDRAListTypeAttributes))};
}

DeviceTotals::DeviceTotals(const Settings& settings)
    : settings_(settings),
      // Nothing is allocated here, so no selector is asked for.
      states_(features_of(settings), settings.selectors.takes_lists(),
              [] { return SelectorCompiler(); }),
      programs_(settings.selectors) {}

// Whether the device is of the class; a selector without an expression is passed over, as upstream
// does here.
DeviceTotals::Choice DeviceTotals::choose(const View& view, const DeviceClass& device_class) const {
  Choice out;
  cel::Scratch scratch;
  cel::DeviceView as_cel;
  std::vector<Result<Ref<const cel::Program>>> programs;
  for (const DeviceSelector& s : device_class.selectors)
    if (s.cel) programs.push_back(programs_.get(s.expression));
  const auto match = [&](const Device& device, Str driver) {
    if (programs.empty()) return cel::Match::kYes;
    // Upstream does not tell selectors here that a device may be shared.
    Device plain = device;
    plain.allow_multiple_allocations = false;
    for (const Result<Ref<const cel::Program>>& program : programs) {
      if (!program.ok()) return cel::Match::kError;
      const cel::Device& seen = as_cel.of(plain, driver, settings_.selectors.takes_lists());
      const cel::Match answer = (*program)->match(seen, scratch).match;
      if (answer != cel::Match::kYes) return answer;
    }
    return cel::Match::kYes;
  };
  view.objects().for_each<ResourceSlice>([&](const ResourceSlice& slice) {
    Chosen chosen{ObjectRef::share(&slice), {}, {}};
    for (const Device& device : slice.devices) {
      const cel::Match answer = match(device, slice.driver);
      if (answer == cel::Match::kYes) chosen.devices.push_back(&device);
      if (answer == cel::Match::kError) chosen.failed.push_back(&device);
    }
    if (!chosen.devices.empty() || !chosen.failed.empty()) out.push_back(std::move(chosen));
  });
  return out;
}

std::shared_ptr<const DeviceTotals::Choice> DeviceTotals::choice_of(
    const View& view, const DeviceClass& device_class) const {
  const uint64_t slices = view.objects().stamp(StoredKind::kResourceSlice);
  const std::lock_guard lock(mutex_);
  for (const Known& k : known_)
    if (k.slices == slices && k.device_class.get() == &device_class) return k.choice;
  auto made = std::make_shared<const Choice>(choose(view, device_class));
  if (known_.size() == kKept) known_.erase(known_.begin());
  known_.push_back({slices, DeviceClassRef::share(&device_class), made});
  return made;
}

DeviceTotals::Counts DeviceTotals::count(const View& view, const DeviceClass& device_class) const {
  const std::shared_ptr<const Choice> choice = choice_of(view, device_class);
  const std::shared_ptr<const DeviceState> state = states_.of(view);
  Sums sums(view);
  for (const Chosen& c : *choice) {
    const auto& slice = static_cast<const ResourceSlice&>(*c.slice);
    const auto part_of = [&](const Device& d) {
      return Sums::Part{1, state->in_use.any({slice.driver, slice.pool, d.name}) ? 1 : 0, false};
    };
    if (slice.per_device_node_selection) {
      const auto add = [&](const Device& d, const Sums::Part& part) {
        if (d.all_nodes) return sums.add(part);
        if (!d.node_name.empty() || d.node_selector.present)
          sums.add(d.node_name, d.node_selector, part);
      };
      for (const Device* d : c.devices) add(*d, part_of(*d));
      for (const Device* d : c.failed) add(*d, {0, 0, true});
      continue;
    }
    Sums::Part whole{0, 0, !c.failed.empty()};
    for (const Device* d : c.devices) {
      ++whole.all;
      whole.allocated += part_of(*d).allocated;
    }
    // A slice that selects no nodes counts on all of them.
    if (slice.all_nodes || (slice.node_name.empty() && !slice.node_selector.present))
      sums.add(whole);
    else
      sums.add(slice.node_name, slice.node_selector, whole);
  }
  return sums.take();
}

}  // namespace libsched
