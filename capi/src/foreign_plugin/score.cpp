// Foreign plugins at PreScore, Score and NormalizeScore.
#include "foreign_plugin.hpp"
#include "scratch.hpp"

namespace libsched::capi {
namespace {

// The last failure of score() on this thread, for score_status(), which is called right after it.
// One status is enough, because upstream also ends at the first failure.
Status& failed() {
  static thread_local Status status;
  return status;
}

Scored fail(const ScoreSet& set, uint32_t row, Status status) {
  set.fail(row);
  failed() = std::move(status);
  return {};
}

}  // namespace

Status ForeignPlugin::pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>*) const {
  if (slots().pre_score == nullptr) return {};
  const Lent<NodeSet> nodes(&call.view, call.set.rows().data(), call.set.rows().size(), nullptr);
  SlotCall asked(*r_, &call.state);
  return asked.finish(slots().pre_score(self(), wrap(&call.state), wrap(&call.pod),
                                        wrap(nodes.get()), asked.status()),
                      slot_codes::kPreScore);
}

Scored ForeignPlugin::score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const {
  const Span<uint32_t> rows = set.rows();
  if (rows.empty()) return {};
  SlotCall asked(*r_, &call.state);
  if (slots().score_batch != nullptr) {
    Scratch scratch;
    scratch->scores.assign(rows.size(), 0);
    const int64_t* const batch = scratch->scores.data();
    std::vector<NodeSet::Answer> answers;
    const Lent<NodeSet> nodes(&call.view, rows.data(), rows.size(), nullptr);
    nodes->answers = &answers;
    Status s =
        asked.finish(slots().score_batch(self(), wrap(&call.state), wrap(&call.pod),
                                         wrap(nodes.get()), scratch->scores.data(), asked.status()),
                     slot_codes::kScoreBatch);
    if (nodes->out_of_memory) s = Status::from_error(std::string(kOutOfMemory));
    if (!s.success()) return fail(set, rows[0], std::move(s));
    NodeSet::Answer* first = nullptr;  // the first node that could not be scored
    for (NodeSet::Answer& answer : answers)
      if (!answer.status.success() && (first == nullptr || answer.index < first->index))
        first = &answer;
    if (first != nullptr) {
      Registered::check(slot_codes::kScoreBatch, &first->status);
      return fail(set, rows[first->index], std::move(first->status));
    }
    for (size_t i = 0; i < rows.size(); ++i) scores[rows[i]] = batch[i];
    return {};
  }
  const Lent<NodeInfo> info(NodeView(call.view, kNoId));
  uint32_t count = 0;
  for (const uint32_t row : rows) {
    if (++count % kLook == 0 && call.exceeded()) return {};  // this ends the whole call
    info->node = NodeView(call.view, row);
    int64_t score = 0;
    asked.reset();
    Status s = asked.finish(slots().score(self(), wrap(&call.state), wrap(&call.pod),
                                          wrap(info.get()), &score, asked.status()),
                            slot_codes::kScore);
    if (!s.success()) return fail(set, row, std::move(s));
    scores[row] = score;
  }
  return {};
}

Status ForeignPlugin::score_status(const ScoreCall&, uint32_t) const { return failed(); }

Status ForeignPlugin::normalize(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const {
  const Span<uint32_t> rows = set.rows();
  Scratch scratch;
  scratch->scores.resize(rows.size());
  int64_t* const batch = scratch->scores.data();
  for (size_t i = 0; i < rows.size(); ++i) batch[i] = scores[rows[i]];
  const Lent<NodeSet> nodes(&call.view, rows.data(), rows.size(), nullptr);
  SlotCall asked(*r_, &call.state);
  Status s = asked.finish(slots().normalize_score(self(), wrap(&call.state), wrap(&call.pod),
                                                  wrap(nodes.get()), batch, asked.status()),
                          slot_codes::kNormalizeScore);
  for (size_t i = 0; i < rows.size(); ++i) scores[rows[i]] = batch[i];
  return s;
}

}  // namespace libsched::capi
