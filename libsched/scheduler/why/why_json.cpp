// Why as JSON.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/ingest/write/json_text.hpp"
#include "libsched/scheduler/why/why.hpp"

namespace libsched {
namespace {

const char* name_of(SuggestionKind kind) {
  switch (kind) {
    case SuggestionKind::kAddNodes: return "AddNodes";
    case SuggestionKind::kTolerate: return "Tolerate";
    case SuggestionKind::kNodeSelector: return "NodeSelector";
    case SuggestionKind::kNodeAffinity: return "NodeAffinity";
    case SuggestionKind::kPodAffinity: return "PodAffinity";
    case SuggestionKind::kPodAntiAffinity: return "PodAntiAffinity";
    case SuggestionKind::kTopologySpread: return "TopologySpread";
    case SuggestionKind::kSpreadTaints: return "SpreadTaints";
    case SuggestionKind::kUncordon: return "Uncordon";
    case SuggestionKind::kTolerateDevice: return "TolerateDevice";
    case SuggestionKind::kSelectedNode: return "SelectedNode";
    default: return "LessResource";
  }
}

class Writer {
 public:
  explicit Writer(const Why& why) : why_(why) {}

  std::string all() {
    const Decision& d = *why_.decision;
    out_.object([&] {
      out_.field("pod", pod_key(*why_.pod));
      out_.field("profile", why_.profile->profile());
      number("nodes", d.node_count);
      number("fits", d.feasible_count);
      if (!d.error.empty()) {
        out_.field("text", d.error);
      } else if (d.feasible_count == 0) {
        out_.field("text", d.details().fit_error);
      }
      const std::span<const Fact> facts = d.pod_facts.list();
      if (d.pre_enqueue)
        out_.object("gate", [&] { status(*d.pre_enqueue, facts.first(d.pre_enqueue_facts)); });
      if (d.pre_filter && !d.pre_filter->success())
        out_.object("preFilter",
                    [&] { status(*d.pre_filter, facts.subspan(d.pre_enqueue_facts)); });
      if (d.feasible_count == 0 && d.node_count != 0) reasons();
      plugins();
      nearest();
      beyond();
      if (!why_.unbound_claims.empty()) strings("unboundClaims", why_.unbound_claims);
      if (d.preemption.ran) preemption(d.preemption);
      suggestions();
    });
    return out_.take();
  }

 private:
  void number(Str name, size_t value) { out_.number(name, static_cast<int64_t>(value)); }
  void real(Str name, double value) {
    std::array<char, 32> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    out_.key(name);
    out_.raw(Str(text.data(), static_cast<size_t>(end - text.data())));
  }
  template <typename T, typename F>
  void list(Str name, const T& items, F&& one) {
    out_.key(name);
    out_.open('[');
    for (const auto& item : items) one(item);
    out_.close(']');
  }

  void strings(Str name, const std::vector<std::string>& items) {
    list(name, items, [&](const std::string& item) { out_.string(item); });
  }

  void status(const Status& s, std::span<const Fact> facts) {
    const char* const name = code_name(s.code);
    out_.field("code", name == nullptr ? Str() : Str(name));
    if (!s.plugin.empty()) out_.field("plugin", s.plugin);
    std::vector<std::string> sorted = s.reasons;
    std::ranges::sort(sorted);
    if (!sorted.empty()) strings("reasons", sorted);
    if (!facts.empty()) list("facts", facts, [&](const Fact& f) { fact(f); });
  }
  void fact(const Fact& f) {
    out_.object([&] {
      out_.field("reason", f.reason);
      for (const Fact::Field& field : f.fields) {
        out_.key(field.name);
        std::visit([&](const auto& value) { write(value); }, field.value);
      }
    });
  }
  void write(int64_t value) { out_.number(value); }
  void write(bool value) { out_.boolean(value); }
  void write(const std::string& value) { out_.string(value); }
  void write(const std::vector<std::string>& values) {
    out_.open('[');
    for (const std::string& v : values) out_.string(v);
    out_.close(']');
  }

  void reasons() {
    const Decision& d = *why_.decision;
    const Decision::Details& details = d.details();
    std::vector<size_t> counts(details.statuses.size());
    for (size_t i = 0; i < d.node_count; ++i) ++counts[details.status[i]];
    std::map<std::pair<std::string, std::string>, size_t> of;
    for (size_t s = 0; s < counts.size(); ++s) {
      const Status& status = details.statuses[s];
      if (counts[s] == 0 || status.success()) continue;
      for (const std::string& reason : status.reasons) of[{status.plugin, reason}] += counts[s];
      if (status.reasons.empty()) of[{status.plugin, "(no reason given)"}] += counts[s];
    }
    std::vector<std::pair<size_t, std::pair<std::string, std::string>>> ranked;
    for (const auto& [what, count] : of) ranked.emplace_back(count, what);
    std::ranges::sort(ranked, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    list("reasons", ranked, [&](const auto& r) {
      out_.object([&] {
        number("nodes", r.first);
        out_.field("plugin", r.second.first);
        out_.field("reason", r.second.second);
      });
    });
  }
  void plugins() {
    if (why_.plugins.empty()) return;
    list("plugins", why_.plugins, [&](const Rejections::ByPlugin& p) {
      out_.object([&] {
        out_.field("plugin", p.plugin);
        number("nodes", p.count);
      });
    });
  }
  void nearest() {
    if (why_.nearest.empty()) return;
    list("nearest", why_.nearest, [&](const NodeLacks& n) {
      out_.object([&] {
        out_.field("node", n.node);
        real("shortage", n.shortage);
        list("lacks", n.lacks, [&](const Lack& l) {
          out_.object([&] {
            Status s = l.status;
            s.plugin = l.plugin;
            status(s, l.facts.list());
          });
        });
      });
    });
  }
  void beyond() {
    if (why_.beyond.empty()) return;
    list("beyond", why_.beyond, [&](const Beyond& b) {
      out_.object([&] {
        out_.field("resource", b.resource);
        for (const auto& [name, value] :
             {std::pair("requested", b.requested), {"largest", b.largest}}) {
          out_.number(name, value);
        }
        out_.field_if("node", Str(b.node));
      });
    });
  }
  void preemption(const PreemptionReport& report) {
    out_.object("preemption", [&] {
      status(report.status, {});
      out_.field_if("nominatedNode", Str(report.nominated_node));
      if (!report.victims.empty())
        list("victims", report.victims, [&](const PodRef& pod) { out_.string(pod_key(*pod)); });
      if (!report.victims.empty()) {
        out_.number("numPDBViolations", report.budget_violations);
      }
      if (!report.budgets.empty()) strings("budgets", report.budgets);
    });
  }
  void suggestions() {
    list("suggestions", why_.suggestions, [&](const Suggestion& s) {
      out_.object([&] {
        out_.field("kind", name_of(s.kind));
        out_.field("subject", s.subject);
        out_.field_if("container", Str(s.container));
        out_.field("text", s.text);
        out_.field_if("edit", Str(s.edit));
        if (s.step != 0)
          for (const auto& [name, value] :
               {std::pair("from", s.from), {"to", s.to}, {"step", s.step}}) {
            out_.number(name, value);
          }
        number("nodes", s.nodes);
        out_.field("node", s.node);
        if (!s.alike.empty()) strings("alike", s.alike);
      });
    });
  }

  const Why& why_;
  JsonText out_;
};

}  // namespace

std::string Why::json() const { return Writer(*this).all(); }

}  // namespace libsched
