// Checks answers of calls by the model: the views of evaluators, the nodes that take a pod,
// the order of nodes, and the lengths of lent arrays.
#include <algorithm>

#include "effects.hpp"

namespace fuzz {
namespace {

std::string string_of(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }

// Returns the nodes that take the pod, if the model knows them: for a plain pod, an evaluator with
// upstream's default profile, and no pod that repels others or is nominated.
bool predicted(const Turn& t, Ev& evaluator, Po& pod, std::set<std::string>& nodes) {
  const auto facts = world().evaluators.find(evaluator.get());
  const Cluster* model = evaluator.watch().cluster().get();
  if (model == nullptr || t.depth != 0 || facts == world().evaluators.end() || !facts->second.plain)
    return false;
  if (world().nominating.count(libsched_evaluator_services(evaluator.get())) != 0) return false;
  if (model->now.nominated_unsure || !model->now.nominated.empty()) return false;
  const PodFacts asked = facts_of(pod.get());
  if (!asked.plain) return false;
  for (const auto& [key, other] : model->now.pods)
    if (other.repels) return false;
  for (const auto& [name, node] : model->now.nodes)
    if (model->now.fits(asked, name)) nodes.insert(name);
  return true;
}

// Compares the library's answer for the pod with the model's.
[[noreturn]] void differ(Turn& t, Ev& evaluator, Po& pod, const std::set<std::string>& expected) {
  std::string text = "answers otherwise than the model, by which these take the pod:";
  for (const std::string& name : expected) text += " " + name;
  libsched_decision* decision = nullptr;
  libsched_text* json = nullptr;
  if (libsched_check_pod_fits(evaluator.get(), pod.get(), LIBSCHED_ANY_NODE, nullptr, &decision,
                              nullptr) == LIBSCHED_OK &&
      libsched_decision_explain_json(decision, &json, nullptr) == LIBSCHED_OK)
    text += "; a decision says " + string_of(libsched_text_get(json));
  t.wrong(text);
}

template <typename T>
uint64_t sum(const T* list, size_t count) {
  uint64_t all = 0;
  for (size_t i = 0; i < count; ++i) all += static_cast<uint64_t>(list[i]);
  return all;
}
// Reads all of a list, so that a sanitizer sees one that is too short.
template <typename T>
void read_all(Turn& t, const T* list, size_t count) {
  if (list == nullptr && count != 0) t.wrong("lends no list where there are items");
  static thread_local volatile uint64_t seen;
  seen = seen + sum(list, count);
}

}  // namespace

std::shared_ptr<Cluster> model_of(const void* handle) {
  const auto found = world().clusters.find(handle);
  return found == world().clusters.end() ? nullptr : found->second;
}

void know_cluster(const void* handle, std::shared_ptr<Cluster> model) {
  world().clusters[handle] = std::move(model);
}

void know_evaluator(const void* handle, const void* framework,
                    const std::shared_ptr<Cluster>& model, const libsched_view* view) {
  EvaluatorFacts facts;
  facts.cluster = model;
  facts.view = view;
  facts.plain = world().plain_frameworks.count(framework) != 0;
  if (model != nullptr && world().default_counts.count(framework) == 0) model->recounted = true;
  world().evaluators[handle] = facts;
}

void after_libsched_cluster_create(Turn&, Rc rc, Options<libsched_cluster_options>& options,
                                   Out<libsched_cluster>& out, Fault&) {
  if (rc != LIBSCHED_OK) return;
  auto model = std::make_shared<Cluster>();
  model->by_insertion =
      libsched_view_order(libsched_cluster_view(out.made()), nullptr) != nullptr &&
      options.given() && options.value().node_order == LIBSCHED_ORDER_INSERTION;
  know_cluster(out.made(), std::move(model));
}

void after_libsched_cluster_load(Turn&, Rc rc, String&, Out<libsched_cluster>& out, Fault&) {
  if (rc == LIBSCHED_OK) know_cluster(out.made(), std::make_shared<Cluster>());
}

void after_libsched_cluster_clone(Turn& t, Rc rc, In<const libsched_cluster>& cluster,
                                  Out<libsched_cluster>& out, Fault&) {
  if (rc != LIBSCHED_OK) return;
  const auto model = model_of(cluster.get());
  // A slot that is notified of a change sees the cluster after it, but the model is still as
  // before.
  if (model == nullptr || t.depth != 0) {
    world().clusters.erase(out.made());
    return;
  }
  const auto copy = model->copy(false);
  know_cluster(out.made(), copy);
  copy->check(libsched_cluster_view(out.made()), t.name());
}

void after_libsched_cluster_snapshot(Turn& t, Rc rc, Cl& cluster, Out<libsched_snapshot>& out,
                                     Fault&) {
  const auto model = cluster.watch().cluster();
  if (rc != LIBSCHED_OK || model == nullptr) return;
  if (t.depth != 0) {
    if (world().pools.find(out.made())->refs == 1) world().clusters.erase(out.made());
    return;
  }
  auto& known = world().clusters[out.made()];
  if (known == nullptr || world().pools.find(out.made())->refs == 1) known = model->copy(true);
  known->check(libsched_snapshot_view(out.made()), t.name());
}

void after_libsched_framework_create(Turn&, Rc rc, In<const libsched_config>& config,
                                     String& profile, In<const libsched_registry>& registry,
                                     Options<libsched_framework_options>& options,
                                     Out<libsched_framework>& out, Fault&) {
  if (rc != LIBSCHED_OK) return;
  const bool counts =
      config.get() == nullptr && (!options.given() || (options.value().feature_gates.len == 0 &&
                                                       options.value().semantics.len == 0));
  const bool plain = counts && registry.get() == nullptr && profile.copy().empty() &&
                     (!options.given() || options.value().extender_count == 0);
  world().default_counts.erase(out.made());
  if (counts) world().default_counts.insert(out.made());
  world().plain_frameworks.erase(out.made());
  if (plain) world().plain_frameworks.insert(out.made());
}

void after_libsched_evaluator_create(Turn&, Rc rc, In<const libsched_framework>& framework,
                                     Cl& cluster, Options<libsched_evaluator_options>& options,
                                     Out<libsched_evaluator>& out, Fault&) {
  if (rc != LIBSCHED_OK) return;
  const bool of_cluster = cluster.get() != nullptr;
  const Watch watch =
      of_cluster ? cluster.watch() : Watch(Kind::snapshot, options.value().snapshot);
  // A slot that makes an evaluator while an outer call works on the cluster watches nothing, but
  // the evaluator outlives that call.
  know_evaluator(out.made(), framework.get(),
                 of_cluster ? model_of(cluster.get()) : watch.cluster(), watch.view());
}

void after_libsched_services_nominate(Turn&, Rc rc, In<libsched_services>& services, Po&,
                                      Options<libsched_nomination>&, Fault&) {
  if (rc == LIBSCHED_OK) world().nominating.insert(services.get());
}

void after_libsched_cluster_fork_depth(Turn& t, size_t depth, In<const libsched_cluster>& cluster) {
  const auto& model = cluster.watch().cluster();
  if (model != nullptr && t.depth == 0 && !t.must_refuse && depth != model->forks.size())
    t.wrong("says " + std::to_string(depth) + ", not " + std::to_string(model->forks.size()));
}

// The order has every node once; with insertion order, exactly as inserted.
void after_libsched_cluster_refresh(Turn& t, Rc rc, Cl& cluster, Fault&) {
  const auto& model = cluster.watch().cluster();
  if (rc != LIBSCHED_OK || model == nullptr || cluster.watch().disturbed()) return;
  size_t count = 0;
  const uint32_t* rows = libsched_view_order(cluster.watch().view(), &count);
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(
        string_of(libsched_node_name(libsched_view_node(cluster.watch().view(), rows[i]))));
  std::vector<std::string> expected = model->now.order;
  if (!model->by_insertion) {
    std::sort(names.begin(), names.end());
    std::sort(expected.begin(), expected.end());
  }
  if (names != expected) t.wrong("leaves another order of nodes than the model's");
}

void after_libsched_filter_nodes(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod,
                                 Options<libsched_filter_options>& options,
                                 Buffer<uint64_t>& feasible, Output<size_t>& count,
                                 Output<uint32_t>& first, Fault&) {
  if (rc != LIBSCHED_OK || evaluator.watch().cluster() == nullptr) return;
  const libsched_view* view = evaluator.watch().view();
  std::set<std::string> found;
  for (size_t row = 0; row < feasible.length() * 64; ++row)
    if ((feasible.get()[row / 64] >> row % 64 & 1) != 0) {
      const libsched_node* node = libsched_view_node(view, static_cast<uint32_t>(row));
      if (node == nullptr && !evaluator.watch().disturbed()) t.wrong("found a row without a node");
      found.insert(string_of(libsched_node_name(node)));
    }
  if (evaluator.watch().disturbed()) return;
  if (count.given() && count.value() != found.size()) t.wrong("counts otherwise than its bitmap");
  if (first.given() && found.empty() != (first.value() == LIBSCHED_NO_ROW))
    t.wrong("has a wrong first row");
  std::set<std::string> expected;
  if (!predicted(t, evaluator, pod, expected)) return;
  const bool all =
      !options.given() || (options.value().limit == 0 && options.value().accept == nullptr);
  if (all ? found != expected
          : !std::includes(expected.begin(), expected.end(), found.begin(), found.end()))
    differ(t, evaluator, pod, expected);
}

// The found node is at its position in the order, and a node is found if the model has one.
void after_libsched_first_fit(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod,
                              Options<libsched_filter_options>& options, Filled<libsched_fit>& fit,
                              Su& status, Fault&) {
  if (rc != LIBSCHED_OK || !fit.whole() || evaluator.watch().disturbed()) return;
  const bool found = fit.value().row != LIBSCHED_NO_ROW;
  if (found != (libsched_status_code(status.get()) == LIBSCHED_CODE_SUCCESS))
    t.wrong("has a status that does not go with its row");
  size_t count = 0;
  if (evaluator.watch().view() == nullptr) return;  // of a snapshot that the model does not know
  const uint32_t* order = libsched_view_order(evaluator.watch().view(), &count);
  if (found && (fit.value().position >= count || order[fit.value().position] != fit.value().row))
    t.wrong("found a node that is not at its position");
  std::set<std::string> expected;
  if (!predicted(t, evaluator, pod, expected)) return;
  const bool all = !options.given() || options.value().accept == nullptr;
  if (found ? expected.count(string_of(fit.value().node_name)) == 0 : all && !expected.empty())
    differ(t, evaluator, pod, expected);
}

void after_libsched_check_pod_fits(Turn& t, Rc rc, Ev& evaluator, Po& pod, String& node,
                                   Options<libsched_check_options>&, Out<libsched_decision>& out,
                                   Fault&) {
  if (rc != LIBSCHED_OK) return;
  std::set<std::string> found, expected;
  for (size_t i = 0; i < libsched_decision_feasible_count(out.made()); ++i)
    found.insert(string_of(libsched_decision_feasible(out.made(), i)));
  libsched_text* text = nullptr;
  if (libsched_decision_explain_json(out.made(), &text, nullptr) != LIBSCHED_OK)
    t.wrong("gave a decision that cannot be explained");
  t.look(libsched_text_get(text));
  libsched_text_unref(text);
  if (evaluator.watch().disturbed() || libsched_decision_error(out.made()).len != 0 ||
      !predicted(t, evaluator, pod, expected))
    return;
  if (!node.copy().empty()) {
    const bool fits = expected.count(node.copy()) != 0;
    expected.clear();
    if (fits) expected.insert(node.copy());
  }
  if (found != expected) differ(t, evaluator, pod, expected);
}

void after_libsched_run_filter_plugins(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod, String& node,
                                       Options<libsched_run_filter_options>& options, Su& status,
                                       Fault&) {
  std::set<std::string> expected;
  if (rc != LIBSCHED_OK || !predicted(t, evaluator, pod, expected)) return;
  // The model predicts without nominated pods, and nothing while there are any.
  const std::string name = options.given() && options.value().by_row
                               ? string_of(libsched_node_name(libsched_view_node(
                                     evaluator.watch().view(), options.value().row)))
                               : node.copy();
  // A state without a PreFilter makes plugins fail, as upstream's do.
  if (libsched_status_code(status.get()) == LIBSCHED_CODE_ERROR) return;
  if ((libsched_status_code(status.get()) == LIBSCHED_CODE_SUCCESS) != (expected.count(name) != 0))
    differ(t, evaluator, pod, expected);
}

void after_libsched_run_cycle(Turn& t, Rc rc, Ev& evaluator, St&, Po& pod,
                              Options<libsched_cycle_options>&,
                              Filled<libsched_cycle_outcome>& outcome, Su&, Fault&) {
  std::set<std::string> expected;
  if (rc != LIBSCHED_OK || !outcome.whole() || !predicted(t, evaluator, pod, expected)) return;
  const std::string name = string_of(outcome.value().node_name);  // the name of a node may be empty
  if (outcome.value().row == LIBSCHED_NO_ROW ? !name.empty() : expected.count(name) == 0)
    differ(t, evaluator, pod, expected);
}

void after_libsched_view_order(Turn& t, const uint32_t* rows, In<const libsched_view>&,
                               Output<size_t>& count) {
  if (count.given()) read_all(t, rows, count.value());
}
void after_libsched_view_resources(Turn& t, size_t count, In<const libsched_view>&,
                                   Buffer<libsched_str>& out) {
  for (size_t i = 0; i < out.length(); ++i) {
    if (i < count)
      t.look(out.get()[i]);
    else if (out.get()[i].ptr != nullptr)
      t.wrong("wrote more names than there are");
  }
}
void after_libsched_decision_codes(Turn& t, const int8_t* codes,
                                   In<const libsched_decision>& decision) {
  read_all(t, codes, libsched_decision_node_count(decision.get()));
}
void after_libsched_decision_best(Turn& t, const uint32_t* best, In<const libsched_decision>&,
                                  Output<size_t>& count) {
  if (best != nullptr && count.given()) read_all(t, best, count.value());
}
void after_libsched_score_table_totals(Turn& t, const int64_t* totals,
                                       In<const libsched_score_table>& table) {
  read_all(t, totals, libsched_score_table_row_count(table.get()));
}
void after_libsched_score_table_rows(Turn& t, const uint32_t* rows,
                                     In<const libsched_score_table>& table) {
  read_all(t, rows, libsched_score_table_row_count(table.get()));
}
void after_libsched_score_table_raw(Turn& t, const int64_t* scores,
                                    In<const libsched_score_table>& table, Number<size_t>&) {
  if (scores != nullptr) read_all(t, scores, libsched_score_table_row_count(table.get()));
}
void after_libsched_score_table_weighted(Turn& t, const int64_t* scores,
                                         In<const libsched_score_table>& table,
                                         Number<size_t>& column) {
  after_libsched_score_table_raw(t, scores, table, column);
}

}  // namespace fuzz
