// The search itself. Each step gives one device to one request, and goes on with all that follows
// within it, so a step that fails later takes its device back and tries the next one.
#include "libsched/plugins/dynamicresources/search.hpp"

#include <algorithm>

#include "libsched/plugins/dynamicresources/taints.hpp"

namespace libsched {
namespace {

// Steps within steps: API validation allows a pod far fewer devices and requests.
constexpr size_t kMaxDepth = 4000;

}  // namespace

DeviceSearch::Step DeviceSearch::fail(Error error) {
  error_ = std::move(error);
  return Step::kFailed;
}

bool DeviceSearch::in_use(const DeviceId& id) const {
  if (input_.in_use->whole(id)) return true;
  const auto at = taken_.find(id);
  return at != taken_.end() && !at->second.empty();
}

bool DeviceSearch::taken_by(const DeviceId& id, size_t claim) const {
  const auto at = taken_.find(id);
  return at != taken_.end() &&
         std::find(at->second.begin(), at->second.end(), claim) != at->second.end();
}

// Gives the device to the ask if it is free, and its counters, taints and the constraints allow it.
// If not, nothing has changed. `must`: a constraint that forbids the device is an error.
Result<bool> DeviceSearch::give(const Position& p, const Ask& ask, const Candidate& c, bool must,
                                Given& given) {
  const DeviceFeatures& features = input_.features;
  Claim& plan = plans_[p.claim];
  const Device& device = *c.device;
  const bool admin = ask.what->admin_access;
  const bool shared = features.consumable_capacity && device.allow_multiple_allocations;
  if (!shared && admin && taken_by(c.id, p.claim)) return false;
  if (!admin && in_use(c.id)) return false;
  if (!features.partitionable && !device.consumes.empty()) return false;

  const auto others = shares_.find(c.id);
  const bool has_share = input_.in_use->shared(c.id, !features.behaviours.shares_keep_counters) ||
                         (others != shares_.end() && !others->second.empty());
  if (!device.consumes.empty() && !(shared && has_share)) {
    if (!counters_.take(offers_.key_of(*c.pool), device, offers_.of(*c.pool, *input_.in_use)))
      return false;
    given.counters = true;
  }
  const auto refuse = [&] {
    take_back(p, ask, c, given);
    return false;
  };
  if (features.taints && taints_prevent(c.id, device, input_.rules, ask.what->tolerations))
    return refuse();
  for (ConstraintState& constraint : plan.constraints) {
    if (!constraint.add(ask.request, ask.alternative, device, c.id.driver)) {
      refuse();
      if (!must) return false;
      return invalid({}, "claim " + claim_key(*claims_[p.claim]) + ", request " +
                             std::string(ask.name()) + ": cannot add device " + device_text(c.id) +
                             " because a claim constraint would not be satisfied");
    }
    ++given.constraints;
  }
  if (!suffices(ask, device, c.id)) return refuse();
  if (shared) {
    shares_[c.id].push_back(&ask);
    given.share = true;
  } else {
    taken_[c.id].push_back(p.claim);
    given.marked = true;
  }
  plan.picked.push_back({&ask, c.slice, &device, shared});
  return true;
}

// Undoes a whole give(), of which the device was the last one picked, or a part of it.
void DeviceSearch::take_back(const Position& p, const Ask& ask, const Candidate& c,
                             const Given& given) {
  Claim& plan = plans_[p.claim];
  if (given.share || given.marked) plan.picked.pop_back();
  if (given.share) shares_[c.id].pop_back();
  if (given.marked) taken_[c.id].pop_back();
  for (size_t i = given.constraints; i-- > 0;)
    plan.constraints[i].remove(ask.request, ask.alternative);
  if (given.counters) counters_.give_back(offers_.key_of(*c.pool));
}

// All that follows the request. A claim border turns kExceeded into a plain failure: another
// choice before it may need fewer devices.
DeviceSearch::Step DeviceSearch::next_request(const Position& p) {
  return step({p.claim, p.request + 1, 0, 0}, false, {});
}

DeviceSearch::Step DeviceSearch::try_alternatives(Position p) {
  Request& request = plans_[p.claim].requests[p.request];
  bool all_exceeded = true;
  for (p.alternative = 0; p.alternative < request.asks.size(); ++p.alternative) {
    const Step result = step(p, true, {});
    if (result == Step::kExceeded) continue;
    all_exceeded = false;
    if (result == Step::kNo) continue;
    if (result == Step::kDone) request.chosen = p.alternative;
    return result;
  }
  return all_exceeded ? Step::kExceeded : Step::kNo;
}

DeviceSearch::Step DeviceSearch::take_all(const Position& p, const Ask& ask, bool chosen) {
  const Candidate& c = ask.devices[static_cast<size_t>(p.device)];
  Given given;
  const Result<bool> got = give(p, ask, c, /*must=*/true, given);
  if (!got.ok()) return fail(got.error());
  if (!*got) return Step::kNo;
  // Some releases go on with the first alternative.
  const size_t next = input_.features.behaviours.confuses_alternatives ? 0 : p.alternative;
  const Step result = step({p.claim, p.request, next, p.device + 1}, chosen, {});
  if (result != Step::kDone) take_back(p, ask, c, given);
  return result;
}

DeviceSearch::Step DeviceSearch::try_device(const Position& p, const Ask& ask, bool chosen,
                                            Place place) {
  const DevicePool& pool = *pools_[place.pool];
  const ResourceSlice& slice = *pool.slices[place.slice];
  const Device& device = slice.devices[place.device];
  const Candidate c{&pool, &slice, &device, pool.id_of(device)};
  if (ask.what->admin_access ? taken_by(c.id, p.claim) : in_use(c.id)) return Step::kNo;
  const Result<bool> fits = selectable(*claims_[p.claim], ask, slice, device);
  if (!fits.ok()) return fail(fits.error());
  if (!*fits) return Step::kNo;
  if (input_.features.behaviours.exact_capacity)
    if (auto ok = check_capacity(*claims_[p.claim], ask, device, device_text(c.id)); !ok.ok())
      return fail(std::move(ok.error()));
  if (!suffices(ask, device, c.id)) return Step::kNo;
  Given given;
  const Result<bool> got = give(p, ask, c, /*must=*/false, given);
  if (!got.ok()) return fail(got.error());
  if (!*got) return Step::kNo;
  const Place next{place.pool, place.slice, place.device + 1};
  const Step result = step({p.claim, p.request, p.alternative, p.device + 1}, chosen,
                           input_.features.every_order() ? Place{} : next);
  if (result != Step::kDone) take_back(p, ask, c, given);
  return result;
}

DeviceSearch::Step DeviceSearch::try_devices(const Position& p, const Ask& ask, bool chosen,
                                             Place start) {
  const DeviceFeatures& features = input_.features;
  for (Place at = start; at.pool < pools_.size(); at = {at.pool + 1, 0, 0}) {
    const DevicePool& pool = *pools_[at.pool];
    if (pool.invalid && features.behaviours.incomplete_pools)
      return fail(invalid({}, "pool " + std::string(pool.name) +
                                  " is invalid: duplicate device name " +
                                  std::string(pool.duplicate)));
    if (pool.invalid || (pool.incomplete && !features.behaviours.incomplete_pools)) continue;
    for (; at.slice < pool.slices.size(); ++at.slice, at.device = 0)
      for (; at.device < pool.slices[at.slice]->devices.size(); ++at.device) {
        const Step result = try_device(p, ask, chosen, at);
        if (result != Step::kNo) return result;
      }
  }
  return Step::kNo;
}

// Finds devices for all that is left from `p` on. `chosen`: the alternative is settled. `start` is
// the first device to try, so that a request gets its devices in the order of the pools; some
// allocators try them in every order.
DeviceSearch::Step DeviceSearch::step(const Position& p, bool chosen, Place start) {
  if (timed_out_()) return Step::kTimedOut;
  if (p.claim >= plans_.size()) return Step::kDone;
  struct Depth {
    explicit Depth(size_t& d) : depth(d) { ++depth; }
    ~Depth() { --depth; }
    size_t& depth;
  } depth(depth_);
  if (depth_ > kMaxDepth)
    return fail({Rc::kLimit, "the claims of the pod ask for more than " +
                                 std::to_string(kMaxDepth) + " devices and requests"});
  Claim& plan = plans_[p.claim];
  if (p.request >= plan.requests.size()) {
    const Step result = step({p.claim + 1, 0, 0, 0}, false, {});
    return result == Step::kExceeded ? Step::kNo : result;
  }
  Request& request = plan.requests[p.request];
  if (!chosen && request.has_alternatives) return try_alternatives(p);
  const Ask& ask = request.asks[p.alternative];
  if (ask.all && ask.devices.empty()) return Step::kNo;
  if (p.device >= ask.count) return next_request(p);
  const int64_t left = ask.count - p.device;
  if (left > kMostDevices - static_cast<int64_t>(plan.picked.size())) return Step::kExceeded;
  return ask.all ? take_all(p, ask, chosen) : try_devices(p, ask, chosen, start);
}

Result<AllocationOutcome> DeviceSearch::outcome() const {
  AllocationOutcome out;
  out.kind = AllocationOutcome::Kind::kAllocated;
  for (size_t c = 0; c < plans_.size(); ++c) {
    const std::vector<PickedDevice>& picked = plans_[c].picked;
    out.score += alternatives_score(*claims_[c], [&](Str request) {
      return std::any_of(picked.begin(), picked.end(),
                         [&](const PickedDevice& p) { return p.ask->full_name() == request; });
    });
    LIBSCHED_TRY(check_selectable(*claims_[c], picked, input_.features));
    if (only_whether_) continue;
    std::vector<const DeviceAsk*> asks;
    for (const Request& r : plans_[c].requests) asks.push_back(&r.asks[r.chosen]);
    out.allocations.push_back(
        make_allocation(*claims_[c], c, picked, asks, node_.name, input_.features));
  }
  return out;
}

Result<AllocationOutcome> DeviceSearch::run() {
  if (!pools_error_.empty()) return invalid({}, "gather pool information: " + pools_error_);
  LIBSCHED_TRY(check_claims());
  AllocationOutcome out;
  switch (step({}, false, {})) {
    case Step::kDone: return outcome();
    case Step::kFailed: return std::move(error_);
    case Step::kTimedOut: out.kind = AllocationOutcome::Kind::kTimedOut; return out;
    case Step::kExceeded: return invalid({}, "allocation max size exceeded");
    case Step::kNo: break;
  }
  const bool any_invalid = std::any_of(pools_.begin(), pools_.end(),
                                       [](const DevicePool* pool) { return pool->invalid; });
  out.kind =
      any_invalid ? AllocationOutcome::Kind::kInvalidPools : AllocationOutcome::Kind::kImpossible;
  return out;
}

int32_t alternatives_score(const ResourceClaim& claim, const std::function<bool(Str)>& uses) {
  // So many alternatives a request may have; the first counts most.
  constexpr int32_t kMostAlternatives = 8;
  int32_t out = 0;
  for (const DeviceRequest& request : claim.spec.requests) {
    if (request.exact) continue;
    for (size_t a = 0; a < request.first_available.size(); ++a)
      if (uses(std::string(request.name) + "/" + std::string(request.first_available[a].name)))
        out += kMostAlternatives - static_cast<int32_t>(a);
  }
  return out;
}

Result<AllocationOutcome> DeviceAllocator::allocate(const AllocationQuestion& question) {
  return DeviceSearch(input_, offers_, question).run();
}

}  // namespace libsched
