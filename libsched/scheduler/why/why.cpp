// See why.hpp.
#include "libsched/scheduler/why/why.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/scheduler/control_plane/claims.hpp"
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"
#include "libsched/scheduler/profiles.hpp"
#include "libsched/scheduler/what_if/change_pod.hpp"
#include "libsched/scheduler/what_if/edits.hpp"
#include "libsched/scheduler/why/findings.hpp"
#include "libsched/scheduler/why/machines.hpp"
#include "libsched/scheduler/why/object_variants.hpp"
#include "libsched/scheduler/why/variants.hpp"

namespace libsched {
namespace {

constexpr size_t kMostShapes = 32;  // of nodes that are tried
constexpr int64_t kMi = int64_t{1} << 20;

// An amount as the fields of edits take it.
struct Amount {
  int64_t asked = 0, step = 1;
  const char* unit = "";  // of `step`

  // As many as make at least what is asked for.
  int64_t steps() const { return asked / step + (asked % step != 0 ? 1 : 0); }
  std::string text(int64_t count) const { return std::to_string(count) + unit; }
};

Amount amount_of(Str resource, const Quantity& quantity) {
  if (resource == "cpu") return {quantity.milli_value(), 1, "m"};
  const int64_t asked = quantity.value();
  const bool bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return bytes && asked >= kMi ? Amount{asked, kMi, "Mi"} : Amount{asked, 1, ""};
}

// What changes least of what the pod asks for comes first.
size_t rank(SuggestionKind kind) {
  switch (kind) {
    case SuggestionKind::kAddNodes: return 0;
    case SuggestionKind::kUncordon: return 1;
    case SuggestionKind::kSelectedNode: return 2;
    case SuggestionKind::kSpreadTaints: return 3;
    case SuggestionKind::kTolerateDevice: return 5;
    case SuggestionKind::kLessResource: return 20;
    default: return 4 + 2 * static_cast<size_t>(kind);  // kTolerate is the first of them
  }
}

// Few pods belong there, so other tolerations come first.
bool for_control_plane(const Suggestion& s) {
  return s.kind == SuggestionKind::kTolerate &&
         (s.subject.starts_with("node-role.kubernetes.io/control-plane") ||
          s.subject.starts_with("node-role.kubernetes.io/master"));
}

class Search {
 public:
  Search(Evaluator& judge, const PodRef& pod, const WhyOptions& options)
      : judge_(judge), cluster_(*judge.cluster()), pod_(pod), options_(options) {}

  Result<std::vector<Suggestion>> run(const Rejections& rejections) {
    LIBSCHED_TRY(add_nodes(rejections));
    LIBSCHED_TRY(change_objects(rejections));
    const bool operators =
        judge_.framework().gates().enabled(Gate::kTaintTolerationComparisonOperators);
    for (Suggestion& s : variants(cluster_.view(), *pod_, rejections, operators)) {
      const PodRef pod = s.pod;
      LIBSCHED_TRY(keep_if_it_fits(std::move(s), pod));
    }
    if (rejections.of("NodeResourcesFit") != nullptr) LIBSCHED_TRY(less_resource());
    std::stable_sort(out_.begin(), out_.end(), [](const Suggestion& a, const Suggestion& b) {
      return std::tuple(rank(a.kind), for_control_plane(a), b.nodes) <
             std::tuple(rank(b.kind), for_control_plane(b), a.nodes);
    });
    return std::move(out_);
  }

 private:
  Result<Ref<const Decision>> check(const Pod& pod) {
    CycleState state;
    CheckOptions how;
    how.limits = options_.limits;
    return judge_.check(state, pod, {}, how);
  }
  Result<bool> fits(const Pod& pod) {
    const Result<Ref<const Decision>> d = check(pod);
    if (!d.ok()) return d.error();
    return (*d)->feasible_count != 0;
  }
  Result<void> keep_if_it_fits(Suggestion s, const PodRef& pod) {
    const Result<Ref<const Decision>> d = check(*pod);
    if (!d.ok()) return d.error();
    if ((*d)->feasible_count == 0) return {};
    s.nodes = (*d)->feasible_count;
    const std::vector<uint32_t>& feasible = (*d)->details().feasible;
    if (!feasible.empty()) s.node = std::string((*d)->node(feasible.front()));
    out_.push_back(std::move(s));
    return {};
  }

  // --- more nodes ---

  // An empty copy of a node has what these plugins read: it would be rejected like the node.
  static bool reads_node_alone(Str plugin) {
    for (const Str p : {"NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity",
                        "NodeDeclaredFeatures", "VolumeBinding", "VolumeZone"})
      if (plugin == p) return true;
    return false;
  }
  // One node more helps or none does, but for the spread over nodes, and for foreign plugins.
  static bool may_want_several(const Rejections& rejections) {
    return std::ranges::any_of(rejections.plugins, [](const Rejections::ByPlugin& by) {
      if (reads_node_alone(by.plugin)) return false;
      for (const Str p : {"NodeResourcesFit", "NodePorts", "VolumeRestrictions", "NodeVolumeLimits",
                          "InterPodAffinity"})
        if (by.plugin == p) return false;
      return true;
    });
  }

  // A node of each shape whose copies may take the pod: one of each kind of machine first, and
  // those of most nodes first.
  struct Shape {
    std::vector<std::string> names;  // of its nodes, sorted
    std::string machine;
  };
  std::vector<Shape> shapes(const Rejections& rejections) const {
    const View& v = cluster_.view();
    // A copy of a node has neither its cordon nor the taints of its conditions. So nodes that only
    // taints reject are told apart from hopeless ones.
    std::vector<uint64_t> hopeless(v.word_count()), by_taint(v.word_count());
    for (const Rejections::ByPlugin& by : rejections.plugins) {
      if (!reads_node_alone(by.plugin)) continue;
      const bool taint = by.plugin == "NodeUnschedulable" || by.plugin == "TaintToleration";
      for (size_t w = 0; w < hopeless.size(); ++w) (taint ? by_taint : hopeless)[w] |= by.rows[w];
    }
    std::map<std::string, Shape> found;
    for (uint32_t r = 0; r < v.row_count(); ++r) {
      if (v.node(r) == nullptr || has_bit(hopeless, r)) continue;
      std::vector<std::string> left_out;
      const NodeRef joining = as_joining(*v.node(r), &left_out);
      if (left_out.empty() && has_bit(by_taint, r)) continue;
      const Node& node = *joining;
      if (too_small(node.allocatable)) continue;
      Shape& shape = found[shape_of(node)];
      if (shape.names.empty()) shape.machine = machine_of(node);
      shape.names.emplace_back(node.meta.name);
    }
    std::vector<Shape> ranked;
    for (auto& [text, shape] : found) {
      std::ranges::sort(shape.names);
      ranked.push_back(std::move(shape));
    }
    std::ranges::sort(ranked, [](const Shape& a, const Shape& b) {
      return a.names.size() != b.names.size() ? a.names.size() > b.names.size()
                                              : a.names[0] < b.names[0];
    });
    std::set<std::string> machines;
    std::ranges::stable_partition(
        ranked, [&](const Shape& s) { return machines.insert(s.machine).second; });
    if (ranked.size() > kMostShapes) ranked.resize(kMostShapes);
    return ranked;
  }
  bool too_small(const Resources& node) const {
    const Resources& asked = pod_->requests;
    return asked.milli_cpu > node.milli_cpu || asked.memory > node.memory ||
           asked.ephemeral_storage > node.ephemeral_storage;
  }
  struct Tried {
    size_t nodes = 0;  // how many nodes take the pod
    std::string node;  // the first of them
  };
  Result<Tried> with_nodes(const std::string& edit) {
    Cluster::Transaction what_if(&cluster_);
    std::vector<AskedPod> none;
    const Str text = edit;
    LIBSCHED_TRY(apply_edits(cluster_, {&text, 1}, &none));
    const Result<Ref<const Decision>> d = check(*pod_);
    if (!d.ok()) return d.error();
    if ((*d)->feasible_count == 0) return Tried();
    return Tried{(*d)->feasible_count, std::string((*d)->node((*d)->details().feasible.front()))};
  }

  static std::string add_edit(const std::string& node, size_t count) {
    return "add-node " + node + "=" + std::to_string(count);
  }

  Result<void> add_nodes(const Rejections& rejections) {
    if (options_.max_nodes == 0) return {};
    const bool several = may_want_several(rejections);
    // One suggestion for each kind of machine and number of nodes; the value is its index in out_.
    std::map<std::pair<std::string, size_t>, size_t> told;
    for (const Shape& shape : shapes(rejections)) {
      const std::string& node = shape.names[0];
      size_t low = 0, high = 1;  // `low` do not suffice, `high` do
      Result<Tried> tried = with_nodes(add_edit(node, high));
      if (!tried.ok()) return tried.error();
      while (tried->nodes == 0 && several && high < options_.max_nodes) {
        low = high;
        high = std::min(2 * high, options_.max_nodes);
        tried = with_nodes(add_edit(node, high));
        if (!tried.ok()) return tried.error();
      }
      if (tried->nodes == 0) continue;
      while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        Result<Tried> half = with_nodes(add_edit(node, middle));
        if (!half.ok()) return half.error();
        (half->nodes != 0 ? high : low) = middle;
        if (half->nodes != 0) tried = std::move(half);
      }
      const auto [at, fresh] = told.try_emplace({shape.machine, high}, out_.size());
      if (!fresh) {
        std::vector<std::string>& alike = out_[at->second].alike;
        alike.insert(alike.end(), shape.names.begin(), shape.names.end());
        continue;
      }
      Suggestion& s = out_.emplace_back();
      s.kind = SuggestionKind::kAddNodes;
      s.alike.assign(shape.names.begin() + 1, shape.names.end());
      s.subject = node;
      s.edit = add_edit(node, high);
      s.text = "add " + std::to_string(high) + (high == 1 ? " node" : " nodes") + " like " + node;
      s.to = static_cast<int64_t>(high);
      s.step = 1;
      s.pod = pod_;
      s.nodes = tried->nodes;
      s.node = tried->node;
    }
    for (Suggestion& s : out_) std::ranges::sort(s.alike);
    return {};
  }

  // --- changed objects ---

  Result<void> change_objects(const Rejections& rejections) {
    std::map<std::string, size_t> told;  // kind of machine -> index in out_
    for (ObjectVariant& variant : uncordoned_nodes(cluster_.view(), rejections)) {
      const std::string machine = machine_of(*variant.node);
      const size_t before = out_.size();
      const std::string name = variant.suggestion.subject;
      LIBSCHED_TRY(keep_if_it_helps(std::move(variant)));
      if (out_.size() == before) continue;
      if (const auto [at, fresh] = told.try_emplace(machine, before); !fresh) {
        out_.pop_back();
        out_[at->second].alike.push_back(name);
      }
    }
    for (ObjectVariant& variant : object_variants(cluster_.view(), *pod_, rejections))
      LIBSCHED_TRY(keep_if_it_helps(std::move(variant)));
    return {};
  }
  Result<void> keep_if_it_helps(ObjectVariant variant) {
    Cluster::Transaction what_if(&cluster_);
    if (variant.node) LIBSCHED_TRY(cluster_.update_node(variant.node));
    for (const auto& [kind, object] : variant.objects)
      LIBSCHED_TRY(cluster_.put_object(kind, object));
    variant.suggestion.pod = pod_;
    return keep_if_it_fits(std::move(variant.suggestion), pod_);
  }

  // --- a smaller request ---

  Result<void> less_resource() {
    const PodSpec& spec = pod_->spec;
    const bool one = spec.containers.size() + spec.init_containers.size() == 1;
    for (const NamedQuantity& q : spec.pod_requests)
      LIBSCHED_TRY(less("requests." + std::string(q.name), {}, q));
    for (const Span<Container> list : {spec.containers, spec.init_containers})
      for (const Container& c : list)
        for (const NamedQuantity& q : c.requests) {
          if (find_quantity(spec.pod_requests, q.name) != nullptr) continue;
          const std::string name(c.name);
          LIBSCHED_TRY(
              less((one ? "" : "containers." + name + ".") + "requests." + std::string(q.name),
                   one ? std::string() : name, q));
        }
    return {};
  }

  Result<void> less(const std::string& field, const std::string& container,
                    const NamedQuantity& asked) {
    const Amount amount = amount_of(asked.name, asked.quantity);
    if (amount.asked <= 0) return {};
    const auto with = [&](int64_t steps) { return with_field(*pod_, field, amount.text(steps)); };
    // Bisects the amount: `low` steps fit, and `high` steps, at least what the pod asks for, don't.
    int64_t low = 0, high = amount.steps();
    for (bool first = true; high - low > 1 || first; first = false) {
      const int64_t steps = first ? std::min<int64_t>(1, high) : low + (high - low) / 2;
      if (first && high <= 1) return {};
      const Result<Ref<Pod>> changed = with(steps);
      if (!changed.ok()) return {};  // the API server would refuse the field
      const Result<bool> fit = fits(**changed);
      if (!fit.ok()) return fit.error();
      if (first && !*fit) return {};  // the smallest amount does not help
      (*fit ? low : high) = steps;
    }
    const Result<Ref<Pod>> changed = with(low);
    if (!changed.ok()) return {};
    Suggestion s;
    s.kind = SuggestionKind::kLessResource;
    s.subject = std::string(asked.name);
    s.container = container;
    s.from = amount.asked;
    s.step = amount.step;
    s.to = low * amount.step;
    s.text = "request at most " + amount.text(low) + " of " + s.subject +
             (container.empty() ? "" : " in the container " + container) + " instead of " +
             amount.text(amount.steps());
    s.edit = "set " + std::string(pod_->meta.ns) + "/" + std::string(pod_->meta.name) + ":" +
             field + "=" + amount.text(low);
    s.pod = PodRef(*changed);
    return keep_if_it_fits(std::move(s), PodRef(*changed));
  }

  Evaluator& judge_;
  Cluster& cluster_;
  const PodRef pod_;
  const WhyOptions& options_;
  std::vector<Suggestion> out_;
};

}  // namespace

Result<Why> why(Span<Evaluator*> profiles, const PodRef& given, const WhyOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  Cluster& cluster = *profiles[0]->cluster();
  if (cluster.judged()) return may_not_change();
  Evaluator* const judge = profile_of(profiles, *given, options.other_profile);
  if (judge == nullptr) return Error{Rc::kInvalid, no_profile_error(*given)};
  std::optional<Cluster::Transaction> claims;
  PodRef pod = given;
  if (options.claims_from_templates && has_made_claims(*pod)) {
    claims.emplace(&cluster);
    Result<PodRef> made = add_missing_claims(cluster, pod);
    if (!made.ok()) return std::move(made.error());
    pod = std::move(*made);
  }
  Why out;
  out.pod = given;
  out.profile = FrameworkRef::share(&judge->framework());
  CycleState state;
  CheckOptions how;
  how.judge_excluded = how.facts = how.post_filter = true;
  how.limits = options.limits;
  Result<Ref<const Decision>> decision = judge->check(state, *pod, {}, how);
  if (!decision.ok()) return std::move(decision.error());
  out.decision = std::move(*decision);
  out.unbound_claims = unbound_claims(cluster.view(), *pod);
  if (out.decision->feasible_count != 0) return out;
  if (!out.decision->error.empty()) {
    out.nearest = failing_nodes(*out.decision, options.nearest);
    return out;
  }
  Result<Rejections> rejections = reject_each(*judge, *pod, options.nearest, options.limits);
  if (!rejections.ok()) return std::move(rejections.error());
  Result<std::vector<Suggestion>> found = Search(*judge, pod, options).run(*rejections);
  if (!found.ok()) return std::move(found.error());
  out.suggestions = std::move(*found);
  if (rejections->of("NodeResourcesFit") != nullptr) out.beyond = beyond_all(cluster.view(), *pod);
  out.plugins = std::move(rejections->plugins);
  out.nearest = std::move(rejections->nearest);
  return out;
}

}  // namespace libsched
