// Decision: its JSON form, and upstream's FitError text with its sorted reason counts.
#include "libsched/framework/decision.hpp"

#include <algorithm>
#include <set>

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

void put_scores(Json* out, const Decision& d) {
  const auto name = [&](uint32_t i) { return std::string(d.nodes[i].node->meta.name); };
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

}  // namespace

std::string Decision::explain_json() const {
  Json out;
  out["pod"] = pod;
  out["profile"] = profile;
  out["fits"] = !feasible.empty() && error.empty() && !pre_enqueue;
  if (!error.empty()) out["error"] = error;
  if (pre_enqueue) put_status(&out["preEnqueue"], *pre_enqueue);
  if (pre_filter) {
    Json& p = out["preFilter"];
    put_status(&p, *pre_filter);
    p["allNodes"] = narrowed.all_nodes;
    if (!narrowed.nodes.empty()) p["nodeNames"] = narrowed.nodes;
    if (!narrowed.restricted.empty()) p["restrictedBy"] = narrowed.restricted;
    if (!skipped.empty()) p["skipFilter"] = skipped;
  }
  if (!nodes.empty()) {
    // One rendering per distinct status; most nodes share a few.
    Json list = Json::array();
    for (const NodeVerdict& n : nodes) {
      Json item;
      item["node"] = std::string(n.node->meta.name);
      put_status(&item, statuses[n.status]);
      if (n.excluded) item["excludedByPreFilter"] = true;
      list.push_back(std::move(item));
    }
    out["nodes"] = std::move(list);
  }
  Json names = Json::array();
  for (const uint32_t i : feasible) names.push_back(std::string(nodes[i].node->meta.name));
  out["feasible"] = std::move(names);
  if (!fit_error.empty()) out["fitError"] = fit_error;
  if (!unschedulable_plugins.empty()) out["unschedulablePlugins"] = unschedulable_plugins;
  if (!pending_plugins.empty()) out["pendingPlugins"] = pending_plugins;
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

void diagnose(Decision* d) {
  std::set<std::string> unschedulable(d->narrowed.restricted.begin(), d->narrowed.restricted.end());
  std::set<std::string> pending;
  const auto add = [&](const Status& s) {
    if (!s.rejected() || s.plugin.empty()) return;
    unschedulable.insert(s.plugin);
    if (s.code == Code::kPending) pending.insert(s.plugin);
  };
  if (d->pre_filter) add(*d->pre_filter);
  for (const Decision::NodeVerdict& n : d->nodes)
    if (!n.excluded) add(d->statuses[n.status]);
  d->unschedulable_plugins.assign(unschedulable.begin(), unschedulable.end());
  d->pending_plugins.assign(pending.begin(), pending.end());
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

std::string fit_error_text(const Decision& d, size_t all_nodes,
                           const std::optional<Status>& absent) {
  if (d.pre_filter && !d.pre_filter->success()) {
    const std::string message = d.pre_filter->message();
    if (!message.empty()) return fit_error_text(all_nodes, {}) + " " + message + ".";
  }
  std::map<std::string, size_t> histogram;
  size_t listed = 0;
  for (const Decision::NodeVerdict& n : d.nodes) {
    if (n.excluded) continue;
    ++listed;
    for (const std::string& r : d.statuses[n.status].reasons) ++histogram[r];
  }
  if (absent && listed < all_nodes)
    for (const std::string& r : absent->reasons) histogram[r] += all_nodes - listed;
  return fit_error_text(all_nodes, histogram);
}

}  // namespace libsched
