// See fragmentation.hpp.
#include "libsched/scheduler/simulation/fragmentation.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "libsched/cluster/node_match.hpp"
#include "libsched/objects/pod_class.hpp"

namespace libsched {
namespace {

constexpr Str kUnschedulableTaint = "node.kubernetes.io/unschedulable";
constexpr uint32_t kCpuAmount = 0, kMemoryAmount = 1;

bool tolerated(const Pod& pod, Str key, Str value, TaintEffect effect, Str text, bool operators) {
  return std::any_of(
      pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
      [&](const Toleration& t) { return tolerates(t, key, value, effect, text, operators); });
}

// Whether the taints and spec.unschedulable admit the pod.
bool taints_admit(const Pod& pod, const Node& node, bool operators) {
  if (node.unschedulable &&
      !tolerated(pod, kUnschedulableTaint, {}, TaintEffect::kNoSchedule, "NoSchedule", operators))
    return false;
  return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& t) {
    return (t.effect != TaintEffect::kNoSchedule && t.effect != TaintEffect::kNoExecute) ||
           tolerated(pod, t.key, t.value, t.effect, t.effect_text, operators);
  });
}

bool constrained(const Pod& pod) {
  const PodSpec& s = pod.spec;
  return !s.node_selector.empty() || s.node_affinity.required.present || !s.tolerations.empty();
}

}  // namespace

Fragmentation::Fragmentation(Span<Shape> shapes, bool comparison_operators)
    : comparison_operators_(comparison_operators) {
  std::unordered_map<const Pod*, size_t> by_pod;
  std::map<std::string, size_t> by_class;
  for (const Shape& shape : shapes) {
    total_ += shape.count;
    const auto [same, fresh_pod] = by_pod.try_emplace(shape.pod.get(), templates_.size());
    if (fresh_pod) {
      const auto [equal, fresh] = by_class.try_emplace(pod_class(*shape.pod), templates_.size());
      same->second = equal->second;
      if (fresh) templates_.push_back({shape.pod, 0});
    }
    templates_[same->second].count += shape.count;
  }
  std::stable_sort(templates_.begin(), templates_.end(), [](const Shape& a, const Shape& b) {
    return a.pod->requests.milli_cpu < b.pod->requests.milli_cpu;
  });
  for (const Shape& shape : templates_) {
    if (constrained(*shape.pod)) constrained_.push_back(shape.pod);
    without_cpu_ += shape.pod->requests.milli_cpu <= 0 ? 1 : 0;
  }
}

uint32_t Fragmentation::resource_of(Str name) {
  for (uint32_t i = 0; i < amounts_.size(); ++i)
    if (amounts_[i].resource == name) return i;
  amounts_.push_back({std::string(name)});
  return static_cast<uint32_t>(amounts_.size() - 1);
}

void Fragmentation::find_resources(const View& view) {
  amounts_.clear();
  for (const char* name : {"cpu", "memory"}) resource_of(name);
  std::vector<std::string> more;
  const auto note = [&](Str name) { more.emplace_back(name); };
  view.live().for_each([&](size_t row) {
    const Resources& r = view.node(static_cast<uint32_t>(row))->allocatable;
    if (r.ephemeral_storage != 0) note("ephemeral-storage");
    for (const ScalarAmount& s : r.scalars) note(s.name);
    if (more.size() < 4096) return;
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
  });
  for (const Shape& shape : templates_) {
    const Resources& r = shape.pod->requests;
    if (r.ephemeral_storage > 0) note("ephemeral-storage");
    for (const ScalarAmount& s : r.scalars) note(s.name);
  }
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  for (const std::string& name : more) amounts_.push_back({name});
  columns_.clear();
  for (const Amount& a : amounts_) columns_.push_back(view.columns().find(a.resource));

  shapes_.clear();
  others_.clear();
  uint32_t next_constrained = 1;
  for (const Shape& shape : templates_) {
    const Resources& r = shape.pod->requests;
    Kind kind{r.milli_cpu, r.memory, shape.count, static_cast<uint32_t>(others_.size()), 0, 0};
    const auto other = [&](Str name, int64_t value) {
      if (value > 0) others_.push_back({resource_of(name), value});
    };
    other("ephemeral-storage", r.ephemeral_storage);
    for (const ScalarAmount& s : r.scalars) other(s.name, s.value);
    kind.others = static_cast<uint32_t>(others_.size()) - kind.first_other;
    if (constrained(*shape.pod)) kind.nodes = next_constrained++;
    shapes_.push_back(kind);
  }
}

void Fragmentation::find_admitted(const View& view) {
  const size_t words = view.word_count();
  admitted_.assign(constrained_.size() + 1, std::vector<uint64_t>(words));
  const auto plain = make_ref<Pod>();
  for (size_t i = 0; i < admitted_.size(); ++i) {
    const Pod& pod = i == 0 ? *plain : *constrained_[i - 1];
    std::vector<uint64_t>& rows = admitted_[i];
    NodeMatch(view, pod.spec.node_selector, pod.spec.node_affinity.required)
        .rows(view, 0, words, rows.data());
    for (size_t w = 0; w < words; ++w) rows[w] &= view.live().word(w);
    view.live().for_each([&](size_t row) {
      const Node& node = *view.node(static_cast<uint32_t>(row));
      if (!node.unschedulable && node.taints.empty()) return;
      if (!taints_admit(pod, node, comparison_operators_))
        rows[row / 64] &= ~(uint64_t{1} << (row % 64));
    });
  }
}

void Fragmentation::rebuild(const View& view) {
  built_ = false;
  find_resources(view);
  find_admitted(view);
  rows_ = view.row_count();
  parts_.assign(rows_ * amounts_.size(), {});
  sums_.assign(amounts_.size(), {});
  takers_.resize(amounts_.size());
  view.live().for_each([&](size_t row) { judge(view, static_cast<uint32_t>(row)); });
  epoch_ = view.columns().epoch();
  built_ = true;
}

// Takes the row's parts out of the sums.
void Fragmentation::leave(uint32_t row) {
  Part* const parts = &parts_[row * amounts_.size()];
  for (size_t r = 0; r < amounts_.size(); ++r) {
    sums_[r].allocatable -= parts[r].allocatable;
    sums_[r].used -= parts[r].used;
    sums_[r].free -= parts[r].free;
    sums_[r].fragmented -= Wide{parts[r].free} * (total_ - parts[r].takers);
    parts[r] = {};
  }
}

// Puts a row that has a node, and is in no sum, into the sums.
void Fragmentation::judge(const View& view, uint32_t row) {
  Part* const parts = &parts_[row * amounts_.size()];
  const Columns& columns = view.columns();
  std::fill(takers_.begin(), takers_.end(), 0);
  for (size_t r = 0; r < amounts_.size(); ++r) {
    if (columns_[r] == kNoId) continue;
    parts[r].allocatable = columns.allocatable(columns_[r], row);
    const int64_t left = columns.left(columns_[r], row);
    parts[r].used = wrapping_sub(parts[r].allocatable, left);
    parts[r].free = std::max<int64_t>(left, 0);
  }
  if (columns.left(kPods, row) > 0) {
    const auto end = std::upper_bound(shapes_.begin() + static_cast<std::ptrdiff_t>(without_cpu_),
                                      shapes_.end(), parts[kCpuAmount].free,
                                      [](int64_t cpu, const Kind& k) { return cpu < k.milli_cpu; });
    for (auto k = shapes_.begin(); k != end; ++k) {
      if (k->memory > parts[kMemoryAmount].free) continue;
      if ((admitted_[k->nodes][row / 64] >> (row % 64) & 1) == 0) continue;
      const Request* const other = others_.data() + k->first_other;
      bool fits = true;
      for (uint32_t i = 0; i < k->others && fits; ++i)
        fits = other[i].value <= parts[other[i].resource].free;
      if (!fits) continue;
      if (k->milli_cpu > 0) takers_[kCpuAmount] += k->count;
      if (k->memory > 0) takers_[kMemoryAmount] += k->count;
      for (uint32_t i = 0; i < k->others; ++i) takers_[other[i].resource] += k->count;
    }
  }
  for (size_t r = 0; r < amounts_.size(); ++r) {
    parts[r].takers = takers_[r];
    sums_[r].allocatable += parts[r].allocatable;
    sums_[r].used += parts[r].used;
    sums_[r].free += parts[r].free;
    sums_[r].fragmented += Wide{parts[r].free} * (total_ - parts[r].takers);
  }
}

void Fragmentation::update(const View& view) {
  constexpr ChangeKinds kRebuild =
      kNodeChanged | kLabelsChanged | kTaintsChanged | kAllocatableChanged;
  bool whole = !built_ || epoch_ != view.columns().epoch() || rows_ != view.row_count();
  if (!whole) {
    const bool known = view.log().for_each_since(cursor_, [&](uint32_t row, ChangeKinds kinds) {
      whole = whole || (row != kNoId && (kinds & kRebuild) != 0);
    });
    whole = whole || !known;
  }
  if (whole) {
    rebuild(view);
  } else {
    // A row may be named more than once: judging it again changes nothing then.
    view.log().for_each_since(cursor_, [&](uint32_t row, ChangeKinds kinds) {
      if (row == kNoId || (kinds & kPodsChanged) == 0 || view.node(row) == nullptr) return;
      leave(row);
      judge(view, row);
    });
  }
  cursor_ = view.log().cursor();
  publish();
}

void Fragmentation::publish() {
  for (size_t r = 0; r < amounts_.size(); ++r) {
    // Sums beyond 64 bits are shown as the largest number.
    const auto shown = [](Wide sum) {
      return static_cast<int64_t>(std::clamp<Wide>(sum, INT64_MIN, INT64_MAX));
    };
    amounts_[r].allocatable = shown(sums_[r].allocatable);
    amounts_[r].used = shown(sums_[r].used);
    amounts_[r].free = shown(sums_[r].free);
    // Without a workload all that is free is of use.
    amounts_[r].fragmented =
        total_ == 0 ? 0
                    : static_cast<double>(static_cast<long double>(sums_[r].fragmented) /
                                          static_cast<long double>(total_));
  }
}

}  // namespace libsched
