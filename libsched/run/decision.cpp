// Decision: its details, its JSON form, and upstream's FitError text with its sorted reason counts.
#include "libsched/run/decision.hpp"

#include <algorithm>
#include <utility>

#include "libsched/ingest/write/json_text.hpp"

namespace libsched {
namespace {

void put_texts(JsonText& out, Str name, const std::vector<std::string>& texts) {
  out.list(name, Span<std::string>(texts), [&](const std::string& s) { out.string(s); });
}
void put_texts_if(JsonText& out, Str name, const std::vector<std::string>& texts) {
  if (!texts.empty()) put_texts(out, name, texts);
}

// The members of a status.
void put_status(JsonText& out, const Status& s) {
  const char* name = code_name(s.code);
  out.field("code", name == nullptr ? std::to_string(static_cast<int>(s.code)) : name);
  out.field_if("plugin", Str(s.plugin));
  std::vector<std::string> reasons = s.reasons;
  std::sort(reasons.begin(), reasons.end());
  put_texts_if(out, "reasons", reasons);
}

void put_value(JsonText& out, const Fact::Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) out.number(*number);
  if (const auto* flag = std::get_if<bool>(&value)) out.boolean(*flag);
  if (const auto* text = std::get_if<std::string>(&value)) out.string(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    out.open('[');
    for (const std::string& text : *texts) out.string(text);
    out.close(']');
  }
}

void put_facts(JsonText& out, Span<Fact> facts) {
  out.list_if("facts", facts, [&](const Fact& fact) {
    out.object([&] {
      out.field("reason", fact.reason);
      for (const Fact::Field& field : fact.fields) {
        out.key(field.name);
        put_value(out, field.value);
      }
    });
  });
}

void put_scores(JsonText& out, const Decision& d) {
  put_texts_if(out, "skipScore", d.skip_score);
  if (!d.score_error.empty()) {
    out.field("scoreError", d.score_error);
    return;
  }
  out.key("scores");
  out.open('[');
  for (size_t i = 0; i < d.scores.rows.size(); ++i) {
    out.object([&] {
      out.field("node", d.node(d.scores.rows[i]));
      out.number("total", d.scores.totals[i]);
      out.object("plugins", [&] {
        for (const ScoreTable::Column& c : d.scores.columns)
          out.object(c.plugin, [&] {
            out.number("raw", c.raw[i]);
            out.number("normalized", c.normalized[i]);
            out.number("weighted", c.weighted[i]);
          });
      });
    });
  }
  out.close(']');
  out.list("best", Span<uint32_t>(d.best), [&](uint32_t i) { out.string(d.node(i)); });
}

void put_pods(JsonText& out, Str name, const std::vector<PodRef>& pods) {
  out.list(name, Span<PodRef>(pods), [&](const PodRef& p) {
    out.string(std::string(p->meta.ns) + "/" + std::string(p->meta.name));
  });
}

void put_preemption(JsonText& out, const PreemptionReport& report) {
  using Candidate = PreemptionReport::Candidate;
  put_status(out, report.status);
  out.field_if("nominatedNode", Str(report.nominated_node));
  if (!report.victims.empty()) put_pods(out, "victims", report.victims);
  if (!report.victims.empty()) out.number("numPDBViolations", report.budget_violations);
  put_texts_if(out, "budgets", report.budgets);
  put_texts_if(out, "tied", report.tied);
  out.list_if("candidates", Span<Candidate>(report.candidates), [&](const Candidate& c) {
    out.object([&] {
      out.field("node", c.node);
      put_pods(out, "pods", c.victims);
      out.number("numPDBViolations", c.budget_violations);
      put_texts_if(out, "budgets", c.budgets);
    });
  });
  if (!report.dry_runs.empty()) {
    out.key("dryRun");
    out.open('[');
    for (const auto& [node, status] : report.dry_runs)
      out.object([&, &node = node, &status = status] {
        out.field("node", node);
        put_status(out, status);
      });
    out.close(']');
  }
  out.true_if("clearsNomination", report.clears_nomination);
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
  if (!source.narrowed.all_nodes && !source.framework->behaviours().no_absent_status)
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

// Names and reasons come from valid UTF-8, but a plugin's text may not be: json_quote() sees to
// that.
std::string Decision::explain_json() const {
  const Details& d = details();
  const Span<Fact> about_pod(pod_facts.list());
  JsonText out;
  out.object([&] {
    out.field("pod", std::string(pod->meta.ns) + "/" + std::string(pod->meta.name));
    out.field("profile", d.profile);
    out.boolean("fits", feasible_count != 0 && error.empty() && !pre_enqueue);
    out.field_if("error", Str(error));
    if (pre_enqueue)
      out.object("preEnqueue", [&] {
        put_status(out, *pre_enqueue);
        put_facts(out, about_pod.first(pre_enqueue_facts));
      });
    if (pre_filter)
      out.object("preFilter", [&] {
        put_status(out, *pre_filter);
        put_facts(out, about_pod.subspan(pre_enqueue_facts));
        out.boolean("allNodes", narrowed.all_nodes);
        put_texts_if(out, "nodeNames", narrowed.nodes);
        put_texts_if(out, "restrictedBy", narrowed.restricted);
        put_texts_if(out, "skipFilter", d.skipped);
      });
    if (node_count != 0) {
      out.key("nodes");
      out.open('[');
      for (size_t i = 0; i < node_count; ++i)
        out.object([&] {
          out.field("node", node(i));
          put_status(out, status(i));
          if (i < d.facts.size()) put_facts(out, d.facts[i].list());
          out.true_if("excludedByPreFilter", excluded(i));
        });
      out.close(']');
    }
    out.list("feasible", Span<uint32_t>(d.feasible), [&](uint32_t i) { out.string(node(i)); });
    out.field_if("fitError", Str(d.fit_error));
    put_texts_if(out, "unschedulablePlugins", d.unschedulable_plugins);
    put_texts_if(out, "pendingPlugins", d.pending_plugins);
    if (post_filter) {
      out.object("postFilter", [&] {
        put_status(out, *post_filter);
        if (nomination && nomination->override_node) out.field("nominatedNode", nomination->node);
      });
      out.field("fitErrorWithPostFilter", fit_error_with_post_filter);
    }
    if (preemption.ran) out.object("preemption", [&] { put_preemption(out, preemption); });
    if (scored) put_scores(out, *this);
    if (!extender_failures.empty())
      out.list("extenderFailures", Span<ExtenderFailure>(extender_failures),
               [&](const ExtenderFailure& f) {
                 out.object([&] {
                   out.field("extender", f.extender);
                   out.field("verb", f.verb);
                   out.field("error", f.error);
                 });
               });
  });
  return out.take();
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
