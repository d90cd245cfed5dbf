// FilterPass: upstream's order and short-circuits, in sets of rows.
#include "libsched/run/filter_pass.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "libsched/base/quote.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/framework/score_columns.hpp"
#include "libsched/run/nominations.hpp"

namespace libsched {
Error stale(const std::string& plugin) {
  return {Rc::kStale,
          "the view has changed since plugin " + go_quote(plugin) +
              " prepared itself: run PreFilter again",
          {},
          plugin};
}

// Prepares the plugin's data, which the state keeps.
const PluginData* FilterPass::prepare_data(const Plugin& plugin, const Stamps& now, uint32_t i) {
  std::shared_ptr<PluginData> made = plugin.prepare(call_, call_.pod);
  CycleState::Entry& own = call_.state.edit_entries()[i];
  own.data = std::move(made);
  // Data that a plugin has not finished is made again by the next call.
  own.prepared = call_.limits == nullptr || !call_.limits->found();
  if (own.data && own.data->ids_epoch != 0) own.data->ids_epoch = now.ids_epoch;
  return own.data.get();
}

// Sets `out` to the plugin's data, which is prepared now if need be. Returns false if the data
// belongs to another state of the view.
inline bool FilterPass::data_for(const Plugin& plugin, const Stamps& now, uint32_t i,
                                 const CycleState::Entry& entry, const PluginData** out) {
  const PluginData* data = entry.data.get();
  if (!entry.prepared ||
      (data != nullptr && data->ids_epoch != 0 && data->ids_epoch != now.ids_epoch))
    data = prepare_data(plugin, now, i);
  *out = data;
  return !bound_to_view(data) || data->view_version == now.version;
}

Result<void> FilterPass::judge(const NodeView& node, Status* status) {
  const uint32_t row = node.row();
  uint64_t alive = uint64_t{1} << (row % 64);
  uint64_t errors = 0;
  const RowSet set{row / 64, 1, &alive, &errors};
  FilterCall& call = call_;
  call.single = &node;
  const Stamps now = stamps();
  // Returns whether the plugin accepts the node.
  const auto accepts = [&](uint32_t i, const Plugin& plugin) {
    if (meter_ != nullptr) meter_->evaluated(CountedPoint::kFilter, i);
    const PluginTimer timer(timer_, TimedPoint::kFilter, i);
    plugin.filter(call, set);
    if (alive != 0) {
      timer.took(Code::kSuccess);
      return true;
    }
    reject(framework_, {i, &plugin, call.data, call.pre_filtered}, call, row, status);
    timer.took(status->code);
    if (facts_ != nullptr && (status->rejected() || plugin.explains_errors())) {
      CycleState none;
      plugin.node_facts({call, call.pod, none, call.data, call.pre_filtered, call.single}, row,
                        *status, facts_);
    }
    return false;
  };
  KeptSteps& kept = call_.state.filter_steps();
  if (const auto* steps = kept.find(call_.state.edits(), now.ids_epoch); steps != nullptr) {
    for (const FilterStep& step : *steps) {
      call.data = step.data;
      call.pre_filtered = step.pre_filtered;
      if (!accepts(step.index, *step.plugin)) return {};
    }
    status->reset();
    return {};
  }
  bool fits = true;
  for (const uint32_t i : framework_.at(ExtensionPoint::kFilter)) {
    const Plugin* plugin = framework_.plugins()[i].plugin.get();
    if (entry(i).skip_filter || plugin == nullptr) continue;
    if (!data_for(*plugin, now, i, entry(i), &call.data))
      return stale(framework_.plugins()[i].name);
    call.pre_filtered = entry(i).pre_filtered;
    if (!(fits = accepts(i, *plugin))) break;
  }
  if (kept.due(call_.state.edits(), now.ids_epoch)) {
    std::vector<FilterStep> steps;
    if (find_steps(now, &steps).ok()) keep_steps(now, steps);
  }
  if (fits) status->reset();
  return {};
}

// Keeps the steps for later passes with the state, if they stay the same.
void FilterPass::keep_steps(const Stamps& now, const std::vector<FilterStep>& steps) {
  if (call_.limits != nullptr && call_.limits->found()) return;  // the last data may be unfinished
  for (const FilterStep& s : steps)
    if (bound_to_view(s.data)) return;
  call_.state.filter_steps().keep(call_.state.edits(), now.ids_epoch, steps);
}

// Makes a copy of the node with the nominated pods that the pod has to yield to, and a state that
// has heard of them. False: there are none.
Result<bool> FilterPass::crowd(const NodeView& node, Crowded* out) const {
  const Nominations nominations = this->nominations();
  if (nominations.empty()) return false;
  out->pods = nominations.on(node.name(), call_.pod);
  if (out->pods.empty()) return false;
  out->node.emplace(node.copy());
  out->state = call_.state.clone();
  FilterPass with(framework_, *out->state, call_.pod, call_);
  with.meter_ = meter_;
  with.timer_ = timer_;
  for (const PodRef& p : out->pods) {
    out->node->add(p);
    Result<Status> added = with.change(Change::kAdd, *p, NodeView(*out->node));
    if (!added.ok()) return std::move(added.error());
    out->added = std::move(*added);
    if (!out->added.success()) break;
  }
  return true;
}

Result<void> FilterPass::judge_with_nominated(const NodeView& node, Status* status) {
  Crowded crowded;
  const Result<bool> yields = crowd(node, &crowded);
  if (!yields.ok()) return yields.error();
  if (!*yields) return judge(node, status);
  if (!crowded.added.success()) {
    *status = std::move(crowded.added);
    return {};
  }
  FilterPass with(framework_, *crowded.state, call_.pod, call_);
  with.meter_ = meter_;
  with.timer_ = timer_;
  Facts told;
  with.facts_ = facts_ == nullptr ? nullptr : &told;
  LIBSCHED_TRY(with.judge(NodeView(*crowded.node), status));
  if (status->success()) return judge(node, status);
  if (facts_ == nullptr || !status->rejected()) return {};
  // Judge the node again without the nominated pods, to tell whether they make a difference.
  Facts alone;
  Status without;
  Facts* const facts = std::exchange(facts_, &alone);
  PluginMeter* const meter = std::exchange(meter_, nullptr);
  PluginMeter* const timer = std::exchange(timer_, nullptr);
  const Result<void> asked = judge(node, &without);
  facts_ = facts;
  meter_ = meter;
  timer_ = timer;
  LIBSCHED_TRY(asked);
  for (const Fact& f : told.list()) facts_->add(f);
  if (!(without == *status && alone == told))
    add_nominated_facts(crowded.pods, node.name(), *status, facts_);
  return {};
}

Result<void> FilterPass::prepare(Workspace* workspace, bool nominated) {
  work_ = workspace;
  if (call_.limits != nullptr) LIBSCHED_TRY(call_.check_limits());
  const Stamps now = stamps();
  std::vector<FilterStep>& steps = work_->steps;
  KeptSteps& kept = call_.state.filter_steps();
  if (const auto* found = kept.find(call_.state.edits(), now.ids_epoch); found != nullptr) {
    steps.assign(found->begin(), found->end());
  } else {
    LIBSCHED_TRY(find_steps(now, &steps));
    if (kept.due(call_.state.edits(), now.ids_epoch)) keep_steps(now, steps);
  }
  apart_ = false;
  if (nominated)
    if (const Nominations all = nominations(); !all.empty())
      apart_ = all.mark(call_.pod, &work_->nominated);
  return {};
}

Result<void> FilterPass::find_steps(const Stamps& now, std::vector<FilterStep>* out) {
  const std::vector<uint32_t>& order = framework_.at(ExtensionPoint::kFilter);
  const Framework::Instance* const plugins = framework_.plugins().data();
  out->clear();
  out->reserve(order.size());
  for (const uint32_t i : order) {
    const CycleState::Entry& own = entry(i);
    const Plugin* const plugin = plugins[i].plugin.get();
    if (own.skip_filter || plugin == nullptr) continue;
    if (call_.limits != nullptr) LIBSCHED_TRY(call_.check_limits());
    const bool pre_filtered = own.pre_filtered;
    const PluginData* data = nullptr;
    if (!data_for(*plugin, now, i, own, &data)) return stale(plugins[i].name);
    out->push_back({i, plugin, data, pre_filtered});
  }
  return {};
}

// Judges the marked rows of the set one by one.
Result<void> FilterPass::judge_alone(const RowSet& set, Verdicts* verdicts) {
  Status status;
  Result<void> out;
  Facts facts;
  const bool telling = verdicts != nullptr && verdicts->wants_facts();
  set.for_each([&](uint32_t row) {
    if (!out.ok() || !(out = call_.check_limits()).ok()) return;
    if (telling) tell(&(facts = Facts()));
    out = judge_with_nominated(NodeView(call_.view, row), &status);
    if (!out.ok() || status.success()) return;
    if (status.rejected()) {
      set.reject(row);
    } else {
      set.reject_with_error(row);
    }
    if (verdicts != nullptr) verdicts->reject(row, status, facts);
  });
  tell(nullptr);
  return out.ok() ? call_.check_limits() : out;
}

namespace {

// The rows that plugins accept, to be taken from a set together.
class Accepted {
 public:
  explicit Accepted(const RowSet& set) : alive_(set.alive), words_(set.words) {}
  void add(const uint64_t* rows) {
    if (count_ == lists_.size()) apply();
    lists_[count_++] = rows;
  }
  void apply() {
    if (count_ != 0) column_kernels().intersect(alive_, words_, lists_.data(), count_);
    count_ = 0;
  }

 private:
  uint64_t* alive_;
  size_t words_, count_ = 0;
  std::array<const uint64_t*, 16> lists_;
};

}  // namespace

Result<void> FilterPass::judge(const RowSet& set, Verdicts* verdicts) {
  std::vector<uint64_t>& apart = work_->apart;
  if (apart_) {
    apart.assign(set.alive, set.alive + set.words);
    for (size_t w = 0; w < set.words; ++w) {
      apart[w] &= work_->nominated[set.first_word + w];
      set.alive[w] &= ~apart[w];
    }
    LIBSCHED_TRY(judge_alone({set.first_word, set.words, apart.data(), set.errors}, verdicts));
  }
  FilterCall call = call_;
  call.single = nullptr;
  const bool counts = meter_ != nullptr && verdicts == nullptr;
  if (counts) work_->asked.clear();
  Accepted accepted(set);
  for (const FilterStep& step : work_->steps) {
    if (call_.limits != nullptr) LIBSCHED_TRY(call_.check_limits());
    call.data = step.data;
    call.pre_filtered = step.pre_filtered;
    if (counts) {
      accepted.apply();
      work_->asked.insert(work_->asked.end(), set.alive, set.alive + set.words);
    }
    if (verdicts == nullptr) {
      if (step.accepted != nullptr) {
        accepted.add(step.accepted + set.first_word);
      } else {
        accepted.apply();
        ask(step, call, set);
      }
      continue;
    }
    verdicts->before(set.alive);
    step.plugin->filter(call, set);
    if (!verdicts->after(step, call_.state.entries()[step.index].data, set.alive)) break;
  }
  accepted.apply();
  LIBSCHED_TRY(call_.check_limits());
  if (apart_)
    for (size_t w = 0; w < set.words; ++w) set.alive[w] |= apart[w];
  if (verdicts == nullptr) return {};
  if (verdicts->wants_facts())
    for (const FilterStep& step : work_->steps)
      if (step.plugin->lists_gains())
        verdicts->accept(step, call_.state.entries()[step.index].data, set.alive);
  verdicts->take_foreign(framework_, call);
  return {};
}

// Calls the plugin. All nodes together are one execution, and an Error on any of them makes it
// fail.
void FilterPass::ask(const FilterStep& step, const FilterCall& call, const RowSet& set) {
  if (timer_ == nullptr) return step.plugin->filter(call, set);
  // Bits are only added, so a sum of the words says whether there are more.
  const auto failures = [&] {
    uint64_t out = 0;
    for (size_t w = 0; w < set.words; ++w) out += set.errors[w];
    return out;
  };
  const uint64_t before = failures();
  const PluginTimer timer(timer_, TimedPoint::kFilter, step.index);
  step.plugin->filter(call, set);
  timer.took_alone(failures() == before ? Code::kSuccess : Code::kError);
}

// Counts the rows that the latest judge() has asked each plugin about, out of `rows` (null: all).
// Rows that were judged one by one have been counted.
void FilterPass::count_asked(const uint64_t* rows) {
  const size_t words = call_.view.word_count();
  uint64_t* asked = work_->asked.data();
  for (const FilterStep& step : work_->steps) {
    if (rows != nullptr) column_kernels().intersect(asked, words, &rows, 1);
    meter_->evaluated_alone(CountedPoint::kFilter, step.index, column_kernels().ones(asked, words));
    asked += words;
  }
}

Result<FilterWalk> FilterPass::walk(const FilterPolicy& policy) {
  const size_t words = call_.view.word_count();
  std::vector<uint64_t>&errors = work_->errors, &found = work_->feasible, &chunk = work_->chunk;
  errors.assign(words, 0);
  FilterWalk out;
  const auto failed = [&] {
    return std::any_of(errors.begin(), errors.end(), [](uint64_t w) { return w != 0; });
  };
  const auto order = [&]() -> const std::vector<uint32_t>& {
    if (policy.refresh != nullptr) policy.refresh->refresh();
    return policy.order(call_.view);
  };
  // Without a limit, all nodes are judged at once, and the order matters only for the first.
  const bool all = policy.limit == FilterPolicy::kNoLimit;
  size_t size = 0;
  if (all) {
    found.assign(policy.rows, policy.rows + words);
    LIBSCHED_TRY(judge({0, words, found.data(), errors.data()}, nullptr));
    out.count = column_kernels().ones(found.data(), words);
    if (!failed()) {
      if (meter_ != nullptr) count_asked(nullptr);
      if (out.count == 0) {
        out.processed = policy.order(call_.view).size();
        return out;
      }
      const std::vector<uint32_t>& nodes = order();
      out.processed = nodes.size();
      for (size_t i = policy.start; out.first == kNoId; ++i) {
        out.position = i < nodes.size() ? i : i - nodes.size();
        if (const uint32_t r = nodes[out.position]; has_bit(found, r)) out.first = r;
      }
      return out;
    }
    out.count = 0;
    chunk.swap(found);
    size = order().size();
  } else {
    size = 64;
  }
  found.assign(words, 0);
  const std::vector<uint32_t>& nodes = order();
  for (size_t done = 0; done < nodes.size();) {
    const size_t end = std::min(nodes.size(), done + size);
    const auto row_at = [&](size_t i) {
      const size_t k = policy.start + i;
      return nodes[k < nodes.size() ? k : k - nodes.size()];
    };
    if (!all) {
      chunk.assign(words, 0);
      for (size_t i = done; i < end; ++i) chunk[row_at(i) / 64] |= uint64_t{1} << (row_at(i) % 64);
      for (size_t w = 0; w < words; ++w) chunk[w] &= policy.rows[w];
      LIBSCHED_TRY(judge({0, words, chunk.data(), errors.data()}, nullptr));
    }
    // The walk has come to the i-th node: upstream asks about none behind it.
    const auto walked = [&](size_t i) {
      if (meter_ == nullptr) return;
      work_->walked.assign(words, 0);
      for (size_t k = done; k <= i; ++k)
        work_->walked[row_at(k) / 64] |= uint64_t{1} << (row_at(k) % 64);
      count_asked(work_->walked.data());
    };
    for (size_t i = done; i < end; ++i) {
      const uint32_t r = row_at(i);
      if (has_bit(errors, r)) {
        walked(i);
        out.failed = r;
        return out;
      }
      if (has_bit(chunk, r)) {
        if (out.count == policy.limit) {
          walked(i);
          return out;
        }
        if (out.count++ == 0) {
          out.first = r;
          out.position = (policy.start + i) % nodes.size();
        }
        found[r / 64] |= uint64_t{1} << (r % 64);
        if (out.count == policy.limit && !policy.beyond) {
          walked(i);
          return out;
        }
      }
      ++out.processed;
    }
    walked(end - 1);
    done = end;
    size *= 4;
  }
  return out;
}

Result<Status> FilterPass::change(Change change, const Pod& other, const NodeView& node) {
  const auto left_out = [&](uint32_t i) {
    const Plugin* plugin = framework_.plugins()[i].plugin.get();
    return plugin == nullptr || !plugin->extends() || call_.state.entries()[i].skip_filter;
  };
  // This precedes all changes: an error leaves the state as it was.
  for (const uint32_t i : framework_.at(ExtensionPoint::kPreFilter)) {
    const PluginData* data = call_.state.entries()[i].data.get();
    if (!left_out(i) && bound_to_view(data) && data->view_version != call_.view.version())
      return stale(framework_.plugins()[i].name);
  }
  for (const uint32_t i : framework_.at(ExtensionPoint::kPreFilter)) {
    if (left_out(i)) continue;
    const Framework::Instance& instance = framework_.plugins()[i];
    std::shared_ptr<PluginData>& data = call_.state.edit_entries()[i].data;
    if (data && data.use_count() != 1) data = data->clone();
    const PodChange what{call_, call_.pod, call_.state, data.get(), other, node};
    const bool add = change == Change::kAdd;
    const PluginTimer timer(timer_, add ? TimedPoint::kAddPod : TimedPoint::kRemovePod, i);
    const Status s = add ? instance.plugin->add_pod(what) : instance.plugin->remove_pod(what);
    timer.took(s.code);
    if (!s.success())
      return Status::wrap(std::string("running ") + (add ? "AddPod" : "RemovePod") +
                              " on PreFilter plugin " + go_quote(instance.name) + ": ",
                          s);
  }
  return Status();
}

}  // namespace libsched
