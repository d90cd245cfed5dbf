// Decision: its details, its JSON form, and upstream's FitError text with its sorted reason counts.
#include "libsched/framework/decision.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace libsched {
namespace {

using Json = nlohmann::ordered_json;

void put_status(Json* out, const Status& s) {
  const char* name = code_name(s.code);
  (*out)["code"] = name == nullptr ? std::to_string(static_cast<int>(s.code)) : name;
  if (!s.plugin.empty()) (*out)["plugin"] = s.plugin;
  if (s.reasons.empty()) return;
  std::vector<std::string> reasons = s.reasons;
  std::sort(reasons.begin(), reasons.end());
  (*out)["reasons"] = reasons;
}

Json value_json(const Fact::Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

void put_facts(Json* out, std::span<const Fact> facts) {
  if (facts.empty()) return;
  Json& list = (*out)["facts"] = Json::array();
  for (const Fact& fact : facts) {
    Json item = {{"reason", fact.reason}};
    for (const Fact::Field& field : fact.fields) item[field.name] = value_json(field.value);
    list.push_back(std::move(item));
  }
}

void put_scores(Json* out, const Decision& d) {
  const auto name = [&](uint32_t i) { return std::string(d.node(i)); };
  if (!d.skip_score.empty()) (*out)["skipScore"] = d.skip_score;
  if (!d.score_error.empty()) {
    (*out)["scoreError"] = d.score_error;
    return;
  }
  Json list = Json::array();
  for (size_t i = 0; i < d.scores.rows.size(); ++i) {
    Json plugins = Json::object();
    for (const ScoreTable::Column& c : d.scores.columns)
      plugins[c.plugin] = {
          {"raw", c.raw[i]}, {"normalized", c.normalized[i]}, {"weighted", c.weighted[i]}};
    list.push_back({{"node", name(d.scores.rows[i])},
                    {"total", d.scores.totals[i]},
                    {"plugins", std::move(plugins)}});
  }
  (*out)["scores"] = std::move(list);
  Json best = Json::array();
  for (const uint32_t i : d.best) best.push_back(name(i));
  (*out)["best"] = std::move(best);
}

Json pod_list(const std::vector<PodRef>& pods) {
  Json out = Json::array();
  for (const PodRef& p : pods)
    out.push_back(std::string(p->meta.ns) + "/" + std::string(p->meta.name));
  return out;
}

Json preemption_json(const PreemptionReport& report) {
  Json out;
  put_status(&out, report.status);
  if (!report.nominated_node.empty()) out["nominatedNode"] = report.nominated_node;
  if (!report.victims.empty()) out["victims"] = pod_list(report.victims);
  if (!report.tied.empty()) out["tied"] = report.tied;
  for (const PreemptionReport::Candidate& c : report.candidates)
    out["candidates"].push_back({{"node", c.node},
                                 {"pods", pod_list(c.victims)},
                                 {"numPDBViolations", c.budget_violations}});
  for (const auto& [node, status] : report.dry_runs) {
    Json item;
    item["node"] = node;
    put_status(&item, status);
    out["dryRun"].push_back(std::move(item));
  }
  if (report.clears_nomination) out["clearsNomination"] = true;
  return out;
}

// The judged rows, by name.
std::shared_ptr<const NodeNames> judged_nodes(const Decision::Source& source) {
  const View& view = source.view();
  if (source.only == kNoId && (source.judge_excluded || source.narrowed.all_nodes))
    return source.sorted->get(view);
  auto names = std::make_shared<NodeNames>();
  if (source.only != kNoId) {
    if (source.judge_excluded || source.narrowed.allows(view.row(source.only).name))
      names->add(view, source.only);
  } else {
    for (const std::string& name : source.narrowed.nodes)
      if (const uint32_t r = view.find_node(name); r != kNoId) names->add(view, r);
  }
  return names;
}

void judge_nodes(const Decision::Source& source, Decision::Details* d) {
  StatusTable table =
      source.verdicts.statuses(*source.framework, {source.view(), *source.services}, *source.pod);
  std::vector<Facts> facts;
  if (source.facts)
    facts = source.verdicts.facts({source.view(), *source.services}, *source.pod, table);
  d->names = judged_nodes(source);
  d->statuses = std::move(table.list);
  const size_t count = d->names->rows.size();
  d->status.reserve(count);
  d->codes.reserve(count);
  for (const uint32_t row : d->names->rows) {
    d->status.push_back(table.of_row[row - table.first_row]);
    d->codes.push_back(static_cast<int8_t>(d->statuses[d->status.back()].code));
    if (source.facts) d->facts.push_back(std::move(facts[row - table.first_row]));
  }
}

Decision::Details make_details(const Decision::Source& source) {
  Decision::Details d;
  d.profile = source.framework->profile();
  d.statuses.resize(1);
  source.skipped.for_each(
      [&](size_t i) { d.skipped.push_back(source.framework->plugins()[i].name); });
  std::sort(d.skipped.begin(), d.skipped.end());
  Diagnosis diagnosis;
  const auto diagnosed = [&](std::string text) {
    d.fit_error = std::move(text);
    diagnosis.unschedulable_plugins.insert(source.narrowed.restricted.begin(),
                                           source.narrowed.restricted.end());
    if (source.extender_narrowed) diagnosis.unschedulable_plugins.insert(kExtenderName);
    d.unschedulable_plugins.assign(diagnosis.unschedulable_plugins.begin(),
                                   diagnosis.unschedulable_plugins.end());
    d.pending_plugins.assign(diagnosis.pending_plugins.begin(), diagnosis.pending_plugins.end());
  };
  if (!source.judged) {
    if (!source.pre_filter || !source.pre_filter->rejected()) return d;
    diagnosis.add(*source.pre_filter, 0);
    if (source.pre_filter->message().empty()) {
      diagnosis.add_absent(*source.pre_filter, source.all_nodes);
      diagnosed(fit_error_text(source.all_nodes, diagnosis.reasons));
    } else {
      diagnosed(fit_error_text(source.all_nodes, *source.pre_filter));
    }
    return d;
  }
  judge_nodes(source, &d);
  d.error = source.error;
  std::vector<size_t> counts(d.statuses.size());
  for (uint32_t i = 0; i < d.status.size(); ++i) {
    if (source.judge_excluded && !source.narrowed.allows(d.names->nodes[i]->meta.name)) continue;
    ++counts[d.status[i]];
    const Status& s = d.statuses[d.status[i]];
    if (s.code == Code::kError && d.error.empty()) d.error = s.message();
    if (s.success()) d.feasible.push_back(i);
  }
  if (!d.error.empty()) d.feasible.clear();  // an Error ends the search, as upstream's
  if (!d.error.empty() || !d.feasible.empty()) return d;
  for (size_t i = 0; i < counts.size(); ++i)
    // With extenders, a plugin counts that has rejected nodes whose statuses they have replaced.
    if (counts[i] != 0 || (source.extended && !source.judge_excluded))
      diagnosis.add(d.statuses[i], counts[i]);
  for (const Status& status : source.unknown) diagnosis.add(status, 1);
  if (!source.narrowed.all_nodes)
    diagnosis.add_absent(absent_status(source.narrowed), source.all_nodes);
  diagnosed(fit_error_text(source.all_nodes, diagnosis.reasons));
  return d;
}

}  // namespace

Decision::Decision(Source source)
    : pod(source.pod),
      pre_filter(source.pre_filter),
      narrowed(source.narrowed),
      answer_(std::make_shared<Answer>(std::move(source))) {}

const Decision::Details& Decision::details() const { return answer_->get(); }

void Decision::finish_before_change(Cluster& cluster) const {
  if (!answer_->done()) cluster.finish_before_change(answer_);
}

void Decision::Answer::finish() {
  std::optional<Source> used;  // its objects are released outside of the lock
  const std::lock_guard lock(mutex_);
  if (done_.load(std::memory_order_relaxed)) return;
  details_ = make_details(*source_);
  used.swap(source_);
  done_.store(true, std::memory_order_release);
}

std::string Decision::explain_json() const {
  const Details& d = details();
  const std::span<const Fact> about_pod = pod_facts.list();
  Json out;
  out["pod"] = std::string(pod->meta.ns) + "/" + std::string(pod->meta.name);
  out["profile"] = d.profile;
  out["fits"] = feasible_count != 0 && error.empty() && !pre_enqueue;
  if (!error.empty()) out["error"] = error;
  if (pre_enqueue) {
    put_status(&out["preEnqueue"], *pre_enqueue);
    put_facts(&out["preEnqueue"], about_pod.first(pre_enqueue_facts));
  }
  if (pre_filter) {
    Json& p = out["preFilter"];
    put_status(&p, *pre_filter);
    put_facts(&p, about_pod.subspan(pre_enqueue_facts));
    p["allNodes"] = narrowed.all_nodes;
    if (!narrowed.nodes.empty()) p["nodeNames"] = narrowed.nodes;
    if (!narrowed.restricted.empty()) p["restrictedBy"] = narrowed.restricted;
    if (!d.skipped.empty()) p["skipFilter"] = d.skipped;
  }
  if (node_count != 0) {
    Json list = Json::array();
    for (size_t i = 0; i < node_count; ++i) {
      Json item;
      item["node"] = std::string(node(i));
      put_status(&item, status(i));
      if (i < d.facts.size()) put_facts(&item, d.facts[i].list());
      if (excluded(i)) item["excludedByPreFilter"] = true;
      list.push_back(std::move(item));
    }
    out["nodes"] = std::move(list);
  }
  Json names = Json::array();
  for (const uint32_t i : d.feasible) names.push_back(std::string(node(i)));
  out["feasible"] = std::move(names);
  if (!d.fit_error.empty()) out["fitError"] = d.fit_error;
  if (!d.unschedulable_plugins.empty()) out["unschedulablePlugins"] = d.unschedulable_plugins;
  if (!d.pending_plugins.empty()) out["pendingPlugins"] = d.pending_plugins;
  if (post_filter) {
    Json& p = out["postFilter"];
    put_status(&p, *post_filter);
    if (nomination && nomination->override_node) p["nominatedNode"] = nomination->node;
    out["fitErrorWithPostFilter"] = fit_error_with_post_filter;
  }
  if (preemption.ran) out["preemption"] = preemption_json(preemption);
  if (scored) put_scores(&out, *this);
  // Names and reasons come from valid UTF-8, but a plugin's text may not be.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status absent_status(const PreFilterResult& narrowed, Str rejector) {
  std::vector<std::string> plugins = narrowed.restricted;
  const auto place = std::lower_bound(plugins.begin(), plugins.end(), rejector);
  if (!rejector.empty() && (place == plugins.end() || *place != rejector))
    plugins.insert(place, std::string(rejector));
  return Status(Code::kUnschedulableAndUnresolvable,
                "node(s) didn't satisfy plugin(s) " + go_list(plugins));
}

void Diagnosis::add(const Status& status, size_t count) {
  nodes += count;
  if (count != 0)
    for (const std::string& reason : status.reasons) reasons[reason] += count;
  if (!status.rejected() || status.plugin.empty()) return;
  unschedulable_plugins.insert(status.plugin);
  if (status.code == Code::kPending) pending_plugins.insert(status.plugin);
}

void Diagnosis::add_absent(const Status& status, size_t all) {
  if (nodes >= all) return;
  for (const std::string& reason : status.reasons) reasons[reason] += all - nodes;
}

std::string fit_error_text(size_t all_nodes, const std::map<std::string, size_t>& reasons) {
  std::string out = "0/" + std::to_string(all_nodes) + " nodes are available:";
  std::vector<std::string> lines;
  for (const auto& [reason, count] : reasons) lines.push_back(std::to_string(count) + " " + reason);
  std::sort(lines.begin(), lines.end());
  for (size_t i = 0; i < lines.size(); ++i) out += (i == 0 ? " " : ", ") + lines[i];
  if (!lines.empty()) out += ".";
  return out;
}

std::string fit_error_text(size_t all_nodes, const Status& pre_filter) {
  const std::string message = pre_filter.message();
  std::string out = fit_error_text(all_nodes, std::map<std::string, size_t>());
  return message.empty() ? out : out + " " + message + ".";
}

}  // namespace libsched
