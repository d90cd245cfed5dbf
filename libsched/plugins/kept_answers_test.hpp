// For tests: the kept answers of one plugin about one pod, node by node. The change log brings them
// up to date: only nodes that the plugin's declaration (KeepsAnswers::depends_on) names are judged
// again. Kept answers must equal fresh answers after every change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libsched/framework/framework.hpp"

namespace libsched {

// The points at which a profile calls a plugin.
struct AskedAt {
  bool pre_filter = false, filter = false, pre_score = false, score = false;
};

// By row, a verdict with its reasons, or a raw score. `point` is the answer of PreFilter or
// PreScore, which holds for all rows; unless it is Success, the plugin is not called for rows.
struct Answers {
  bool asked = false;
  std::string point;
  std::map<uint32_t, std::string> rows;
};

inline std::string answer_text(const Status& s) {
  std::string out = code_name(s.code);
  for (const std::string& reason : s.reasons) out += "|" + reason;
  return out + "|" + s.error.value_or("");
}

class Asking {
 public:
  // All arguments must outlive the object.
  Asking(const Plugin& plugin, AskedAt at, const View& view, const Pod& pod)
      : plugin_(plugin), at_(at), pod_(pod), call_{view, *services_, nullptr, nullptr} {
    state_->tie(nullptr, 1);
    if (!at_.pre_filter) return;
    PreFilterResult result;
    const Result<Status> ran = plugin_.pre_filter({call_, pod_, *state_, &data_}, &result);
    if (!ran.ok()) {
      pre_filter_ = "error of " + ran.error().plugin;  // the text names the pod
    } else {
      pre_filtered_ = ran->success();
      pre_filter_ = answer_text(*ran);
      for (const std::string& name : result.nodes) pre_filter_ += " " + name;
    }
  }

  Answers filter(const std::vector<uint32_t>& rows) {
    Answers out{true, pre_filter_, {}};
    if (!at_.filter || (at_.pre_filter && !pre_filtered_)) return out;
    prepare();
    for (const uint32_t row : rows) {
      uint64_t alive = uint64_t{1} << (row % 64), errors = 0;
      const FilterCall call{call_, pod_, *state_, data_.get(), pre_filtered_};
      plugin_.filter(call, {row / 64, 1, &alive, &errors});
      if (alive != 0) {
        out.rows[row] = "Success";
        continue;
      }
      // What an earlier rejection has left is not part of the answer.
      Status status = Status::from_error("of another row");
      status.reasons.push_back("and another reason");
      plugin_.filter_status(call, row, &status);
      out.rows[row] = answer_text(status) + (errors != 0 ? " (Error)" : "");
    }
    return out;
  }

  // Judges only these rows.
  Answers score(const std::vector<uint32_t>& rows) {
    Answers out;
    if (!at_.score || rows.empty()) return out;
    out.asked = true;
    std::vector<uint64_t> bits(call_.view.word_count()), errors(bits.size());
    for (const uint32_t r : rows) bits[r / 64] |= uint64_t{1} << (r % 64);
    std::vector<uint32_t> listed;
    FeasibleOrder order(call_.view.order(), 0, bits.data(), rows.size(), &listed);
    bool failed = false;
    const ScoreSet set{bits.size(), rows.size(), bits.data(), &order, errors.data(), &failed};
    std::shared_ptr<PluginData> data;
    bool pre_scored = false;
    if (at_.pre_score) {
      const Status pre = plugin_.pre_score({call_, pod_, *state_, set}, &data);
      out.point = answer_text(pre);
      pre_scored = pre.success();
      if (!pre_scored) return out;
    }
    if (!at_.pre_filter || pre_filtered_) prepare();
    const ScoreCall call{call_, pod_, *state_, data.get(), data_.get(), pre_scored};
    std::vector<int64_t> column(bits.size() * 64);
    const Scored scored = plugin_.score(call, set, column.data());
    for (const uint32_t r : rows) {
      const bool failed = (errors[r / 64] >> (r % 64) & 1) != 0;
      out.rows[r] = failed ? answer_text(plugin_.score_status(call, r))
                           : std::to_string(scored.uniform ? scored.value : column[r]);
    }
    return out;
  }

 private:
  void prepare() {
    if (!data_ && !std::exchange(prepared_, true)) data_ = plugin_.prepare(call_, pod_);
  }

  const Plugin& plugin_;
  const AskedAt at_;
  const Pod& pod_;
  const Ref<Services> services_ = make_ref<Services>();
  const Ref<CycleState> state_ = make_ref<CycleState>();
  const Call call_;
  std::shared_ptr<PluginData> data_;
  bool prepared_ = false, pre_filtered_ = false;
  std::string pre_filter_;
};

class KeptAnswers {
 public:
  // `weaken` removes kinds of change from the plugin's declaration.
  using Weaken = std::function<void(Dependencies*)>;
  KeptAnswers(const Plugin& plugin, AskedAt at, PodRef pod, Weaken weaken = nullptr)
      : plugin_(&plugin), at_(at), pod_(std::move(pod)), weaken_(std::move(weaken)) {}

  // Judges the rows that may have changed since the last call. The view must be refreshed. Another
  // pod of the same class may be used.
  void bring_up_to_date(const View& view, const Pod& asked) {
    std::map<uint32_t, ChangeKinds> changed;
    ChangeKinds any = 0;
    const bool known = view.log().for_each_since(cursor_, [&](uint32_t row, ChangeKinds kinds) {
      changed[row] |= kinds;
      any |= kinds;
    });
    Asking asking(*plugin_, at_, view, asked);
    const auto renew = [&](const Reads& reads, Answers* kept, auto&& ask) {
      const bool all = !known || !kept->asked || reads.others || reads.any_hit(any);
      std::vector<uint32_t> rows;
      view.live().for_each([&](size_t r) {
        const auto row = static_cast<uint32_t>(r);
        const auto found = changed.find(row);
        if (all || (found != changed.end() && reads.row_hit(found->second))) rows.push_back(row);
      });
      std::erase_if(kept->rows,
                    [&](const auto& answer) { return all || view.node(answer.first) == nullptr; });
      judged_ += rows.size();
      live_ += view.node_count();
      if (!all && rows.empty()) return;
      Answers fresh = ask(rows);
      if (all) {
        kept->asked = fresh.asked;
        kept->point = std::move(fresh.point);
      }
      for (auto& [row, text] : fresh.rows) kept->rows[row] = std::move(text);
    };
    renew(reads_.filter, &filter_,
          [&](const std::vector<uint32_t>& rows) { return asking.filter(rows); });
    renew(reads_.score, &score_,
          [&](const std::vector<uint32_t>& rows) { return asking.score(rows); });
    // The declaration holds as long as nothing of any node changes that it names.
    const Dependencies before = reads_;
    const Dependencies now = plugin_->depends_on(view, asked);
    if (!known || before.filter.any_hit(any)) reads_.filter = weakened(now).filter;
    if (!known || before.score.any_hit(any)) reads_.score = weakened(now).score;
    cursor_ = view.log().cursor();
  }
  void bring_up_to_date(const View& view) { bring_up_to_date(view, *pod_); }

  // Describes the difference from fresh answers about all nodes and, for scores, about these; "" if
  // none.
  std::string difference(const View& view, const Pod& asked,
                         const std::vector<uint32_t>& scored) const {
    std::vector<uint32_t> rows;
    view.live().for_each([&](size_t r) { rows.push_back(static_cast<uint32_t>(r)); });
    Asking fresh(*plugin_, at_, view, asked);
    std::string out = difference(view, "Filter", filter_, fresh.filter(rows), rows);
    if (out.empty() && !scored.empty())
      out = difference(view, "Score", score_, fresh.score(scored),
                       reads_.score.others ? std::vector<uint32_t>() : scored);
    return out;
  }
  std::string difference(const View& view, const std::vector<uint32_t>& scored) const {
    return difference(view, *pod_, scored);
  }

  const Pod& pod() const { return *pod_; }
  // The rows that were judged, and the rows that existed, summed over all updates.
  size_t judged() const { return judged_; }
  size_t live() const { return live_; }

 private:
  Dependencies weakened(Dependencies reads) const {
    if (weaken_) weaken_(&reads);
    return reads;
  }
  static std::string difference(const View& view, const char* what, const Answers& kept,
                                const Answers& fresh, const std::vector<uint32_t>& rows) {
    const std::string where = std::string(what) + " ";
    if (kept.point != fresh.point)
      return where + "as a whole: kept '" + kept.point + "', fresh '" + fresh.point + "'";
    for (const uint32_t r : rows) {
      const auto text = [&](const Answers& a) {
        const auto found = a.rows.find(r);
        return found == a.rows.end() ? std::string("none") : found->second;
      };
      if (text(kept) != text(fresh))
        return where + "of " + view.row(r).name + ": kept '" + text(kept) + "', fresh '" +
               text(fresh) + "'";
    }
    return {};
  }

  const Plugin* plugin_;
  AskedAt at_;
  PodRef pod_;
  Weaken weaken_;
  ChangeLog::Cursor cursor_;
  Dependencies reads_ = Dependencies::everything();
  Answers filter_, score_;
  size_t judged_ = 0, live_ = 0;
};

}  // namespace libsched
