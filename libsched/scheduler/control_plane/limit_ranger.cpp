// See limit_ranger.hpp. The texts are upstream's.
#include "libsched/scheduler/control_plane/limit_ranger.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/objects/quantity_sums.hpp"

namespace libsched {
namespace {

constexpr int64_t kMostInThousandths = INT64_MAX / 1000;  // resource.MaxMilliValue

// Adds the amounts of `defaults` that `list` lacks, which it keeps sorted, and returns them.
std::vector<NamedQuantity> missing(ResourceList list, ResourceList defaults) {
  std::vector<NamedQuantity> out;
  for (const NamedQuantity& item : defaults)
    if (find_quantity(list, item.name) == nullptr) out.push_back(item);
  return out;
}

ResourceList merged(ResourceList list, const std::vector<NamedQuantity>& more, Arena& arena) {
  std::vector<NamedQuantity> all(list.begin(), list.end());
  for (const NamedQuantity& item : more) all.push_back({arena.copy(item.name), item.quantity});
  std::ranges::sort(all, {}, &NamedQuantity::name);
  return arena.copy(all);
}

ResourceList of(const std::vector<NamedQuantity>& list) { return {list.data(), list.size()}; }

// The default amounts of all items about containers; a later one takes the place of an earlier one.
std::vector<NamedQuantity> defaults_of(const LimitRange& range, ResourceList LimitRangeItem::* of) {
  QuantitySums sums;
  for (const LimitRangeItem& item : range.limits)
    if (item.type == "Container")
      for (const NamedQuantity& amount : item.*of) sums.set(amount.name, amount.quantity);
  const ResourceList list = sums.list();
  std::vector<NamedQuantity> out(list.begin(), list.end());
  std::ranges::sort(out, {}, &NamedQuantity::name);
  return out;
}

void add_to(Span<Container> PodSpec::* containers, const std::vector<NamedQuantity>& limits,
            const std::vector<NamedQuantity>& requests, PodDraft* pod,
            std::vector<std::string>* said) {
  const Span<Container> now = pod->now().spec.*containers;
  std::vector<Container> changed(now.begin(), now.end());
  bool any = false;
  for (Container& c : changed) {
    const std::vector<NamedQuantity> more_limits = missing(c.limits, of(limits));
    const std::vector<NamedQuantity> more_requests = missing(c.requests, of(requests));
    if (more_limits.empty() && more_requests.empty()) continue;
    any = true;
    Arena& arena = pod->change().arena;
    c.limits = merged(c.limits, more_limits, arena);
    c.requests = merged(c.requests, more_requests, arena);
    std::vector<std::string> given;
    if (!more_requests.empty()) given.push_back("requests of " + amounts_text(of(more_requests)));
    if (!more_limits.empty()) given.push_back("limits of " + amounts_text(of(more_limits)));
    said->push_back("container " + std::string(c.name) + " " + joined(given));
  }
  if (any) {
    Pod& made = pod->change();
    made.spec.*containers = made.arena.copy(changed);
  }
}

// Amounts as upstream compares them: rounded up to thousandths, or to whole numbers if one of them
// is too large for that.
class Compared {
 public:
  Compared(const Quantity* request, const Quantity* limit, const Quantity& bound)
      : Compared(request == nullptr ? Quantity() : *request, limit == nullptr ? Quantity() : *limit,
                 bound) {}

  int64_t request, limit, bound;

 private:
  Compared(const Quantity& r, const Quantity& l, const Quantity& b)
      : request(r.value()), limit(l.value()), bound(b.value()) {
    if (std::max({request, limit, bound}) > kMostInThousandths) return;
    request = r.milli_value();
    limit = l.milli_value();
    bound = b.milli_value();
  }
};

// The violations by one set of amounts.
class Bounds {
 public:
  Bounds(const LimitRangeItem& item, std::vector<std::string>* errors)
      : item_(item), errors_(*errors) {}

  void check(ResourceList requests, ResourceList limits) {
    for (const NamedQuantity& bound : item_.min) check_min(bound, requests, limits);
    for (const NamedQuantity& bound : item_.max) check_max(bound, requests, limits);
    for (const NamedQuantity& bound : item_.max_limit_request_ratio)
      check_ratio(bound, requests, limits);
  }

  // Of claims, which have no limits.
  void check_requests(ResourceList requests) {
    for (const NamedQuantity& bound : item_.min) check_min(bound, requests, {});
    for (const NamedQuantity& bound : item_.max) {
      const Quantity* const asked = find_quantity(requests, bound.name);
      if (asked == nullptr)
        add(head("maximum", bound) + ".  No request is specified");
      else if (const Compared c(asked, nullptr, bound.quantity); c.request > c.bound)
        add(head("maximum", bound) + ", but request is " + text(bound, *asked));
    }
  }

 private:
  static std::string text(const NamedQuantity& bound, const Quantity& amount) {
    return amount_text(bound.name, amount);
  }
  std::string head(const char* which, const NamedQuantity& bound) const {
    return std::string(which) + " " + std::string(bound.name) + " usage per " +
           std::string(item_.type) + " is " + text(bound, bound.quantity);
  }
  void add(std::string error) { errors_.push_back(std::move(error)); }

  void check_min(const NamedQuantity& bound, ResourceList requests, ResourceList limits) {
    const Quantity* const asked = find_quantity(requests, bound.name);
    const Quantity* const limit = find_quantity(limits, bound.name);
    const Compared c(asked, limit, bound.quantity);
    if (asked == nullptr)
      add(head("minimum", bound) + ".  No request is specified");
    else if (c.request < c.bound)
      add(head("minimum", bound) + ", but request is " + text(bound, *asked));
    else if (limit != nullptr && c.limit < c.bound)
      add(head("minimum", bound) + ", but limit is " + text(bound, *limit));
  }

  void check_max(const NamedQuantity& bound, ResourceList requests, ResourceList limits) {
    const Quantity* const asked = find_quantity(requests, bound.name);
    const Quantity* const limit = find_quantity(limits, bound.name);
    const Compared c(asked, limit, bound.quantity);
    if (limit == nullptr)
      add(head("maximum", bound) + ".  No limit is specified");
    else if (c.limit > c.bound)
      add(head("maximum", bound) + ", but limit is " + text(bound, *limit));
    else if (asked != nullptr && c.request > c.bound)
      add(head("maximum", bound) + ", but request is " + text(bound, *asked));
  }

  void check_ratio(const NamedQuantity& bound, ResourceList requests, ResourceList limits) {
    const std::string start = std::string(bound.name) + " max limit to request ratio per " +
                              std::string(item_.type) + " is " + text(bound, bound.quantity);
    const Quantity* const asked = find_quantity(requests, bound.name);
    const Quantity* const limit = find_quantity(limits, bound.name);
    const Compared c(asked, limit, bound.quantity);
    if (asked == nullptr || c.request == 0)
      return add(start + ", but no request is specified or request is 0");
    if (limit == nullptr || c.limit == 0)
      return add(start + ", but no limit is specified or limit is 0");
    const double ratio = static_cast<double>(c.limit) / static_cast<double>(c.request);
    const int64_t whole = bound.quantity.value();
    const bool too_much = whole <= kMostInThousandths
                              ? ratio * 1000 > static_cast<double>(bound.quantity.milli_value())
                              : ratio > static_cast<double>(whole);
    if (too_much) add(start + ", but provided ratio is " + std::to_string(ratio));
  }

  const LimitRangeItem& item_;
  std::vector<std::string>& errors_;
};

// What a pod asks for as a whole; pod-level amounts of cpu and memory take the place of its
// containers', and those of huge pages do not. Overhead does not count.
std::vector<NamedQuantity> total(const PodSpec& spec, ResourceList Container::* amounts,
                                 ResourceList of_pod) {
  QuantitySums sums, sidecars, init;
  for (const Container& c : spec.containers) sums.add(c.*amounts);
  for (const Container& c : spec.init_containers) {
    if (c.always_restarts) {
      sums.add(c.*amounts);
      sidecars.add(c.*amounts);
    } else {
      init.raise(c.*amounts, sidecars);
    }
    init.raise(sidecars.list());
  }
  sums.raise(init.list());
  for (const NamedQuantity& item : of_pod)
    if (item.name == "cpu" || item.name == "memory") sums.set(item.name, item.quantity);
  const ResourceList list = sums.list();
  std::vector<NamedQuantity> out(list.begin(), list.end());
  std::ranges::sort(out, {}, &NamedQuantity::name);
  return out;
}

// As upstream's aggregate of errors, which tells each text once.
std::string aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> told;
  for (const std::string& e : errors)
    if (std::ranges::find(told, e) == told.end()) told.push_back(e);
  if (told.size() == 1) return told.front();
  std::string out;
  for (const std::string& e : told) out += (out.empty() ? "[" : ", ") + e;
  return out.empty() ? out : out + "]";
}

}  // namespace

std::string add_limit_defaults(const LimitRange& range, PodDraft* pod) {
  const std::vector<NamedQuantity> limits = defaults_of(range, &LimitRangeItem::defaults);
  const std::vector<NamedQuantity> requests = defaults_of(range, &LimitRangeItem::default_requests);
  std::vector<std::string> said;
  add_to(&PodSpec::containers, limits, requests, pod, &said);
  add_to(&PodSpec::init_containers, limits, requests, pod, &said);
  if (said.empty()) return {};
  return "LimitRange " + std::string(range.meta.name) + " gives " + joined(said);
}

std::string limit_error(const LimitRange& range, const Pod& pod) {
  std::vector<std::string> errors;
  const PodSpec& spec = pod.spec;
  for (const LimitRangeItem& item : range.limits) {
    Bounds bounds(item, &errors);
    if (item.type == "Container") {
      for (const Container& c : spec.containers) bounds.check(c.requests, c.limits);
      for (const Container& c : spec.init_containers) bounds.check(c.requests, c.limits);
    } else if (item.type == "Pod") {
      bounds.check(of(total(spec, &Container::requests, spec.pod_requests)),
                   of(total(spec, &Container::limits, spec.pod_limits)));
    }
  }
  return aggregate(errors);
}

std::string limit_error(const LimitRange& range, const PersistentVolumeClaim& claim) {
  std::vector<NamedQuantity> requests;
  if (claim.request) requests.push_back({"storage", *claim.request});
  std::vector<std::string> errors;
  for (const LimitRangeItem& item : range.limits)
    if (item.type == "PersistentVolumeClaim") Bounds(item, &errors).check_requests(of(requests));
  return aggregate(errors);
}

}  // namespace libsched
