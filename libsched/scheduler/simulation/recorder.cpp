// See recorder.hpp.
#include "libsched/scheduler/simulation/recorder.hpp"

#include <algorithm>
#include <utility>

namespace libsched {

const char* word_of(PodState state) {
  constexpr const char* kWords[] = {"waiting",   "pending", "running", "finished",
                                    "preempted", "ignored", "replaced"};
  return kWords[static_cast<size_t>(state)];
}

uint32_t Recorder::Words::of(Str word) {
  const auto found = numbers_.find(std::string(word));
  if (found != numbers_.end()) return found->second;
  words_.emplace_back(word);
  const auto number = static_cast<uint32_t>(words_.size());
  numbers_.emplace(word, number);
  return number;
}

void Recorder::move(uint32_t pod, PodState to, uint32_t reason) {
  Record& r = pods_[pod];
  --states_[static_cast<size_t>(r.state)];
  if (r.state == PodState::kPending) {
    --by_reason_[r.reason];
    if (to != PodState::kPending) messages_.erase(pod);
  }
  r.state = to;
  ++states_[static_cast<size_t>(to)];
  if (to == PodState::kPending) {
    if (by_reason_.size() <= reason) by_reason_.resize(reason + 1);
    ++by_reason_[reason];
    r.reason = reason;
  }
  ++events_;
}

uint32_t Recorder::arrived(const Arrivals::Arrival& arrival) {
  Record r;
  r.arrival_ns = arrival.at_ns;
  r.source = arrival.source;
  r.index = static_cast<uint32_t>(arrival.index);
  pods_.push_back(r);
  ++states_[static_cast<size_t>(PodState::kWaiting)];
  ++events_;
  return static_cast<uint32_t>(pods_.size() - 1);
}

void Recorder::rejected(uint32_t pod, Str reason, Str message) {
  move(pod, PodState::kPending, reasons_.of(reason));
  messages_[pod] = message;
  ++pods_[pod].attempts;
  ++attempts_;
}

void Recorder::bound(uint32_t pod, int64_t at_ns, Str node) {
  move(pod, PodState::kRunning, 0);
  Record& r = pods_[pod];
  r.bound_ns = at_ns;
  r.node = nodes_.of(node);
  r.reason = 0;
  ++r.attempts;
  ++attempts_;
  ++bound_;
}

void Recorder::gated(uint32_t pod, Str reason) {
  move(pod, PodState::kPending, reasons_.of(reason));
}

Recorder::Waits Recorder::waits() const {
  std::vector<int64_t> all;
  all.reserve(bound_);
  Waits out;
  for (const Record& r : pods_) {
    if (r.bound_ns == kNever) continue;
    all.push_back(r.bound_ns - r.arrival_ns);
    out.mean_ns += static_cast<double>(all.back()) / static_cast<double>(bound_);
  }
  if (all.empty()) return out;
  std::sort(all.begin(), all.end());
  // The smallest wait that so many percent do not exceed.
  const auto percentile = [&](size_t p) { return all[(all.size() * p + 99) / 100 - 1]; };
  out.median_ns = percentile(50);
  out.p90_ns = percentile(90);
  out.p99_ns = percentile(99);
  out.longest_ns = all.back();
  return out;
}

void Recorder::end(uint32_t pod, PodState state, int64_t at_ns) {
  move(pod, state, 0);
  pods_[pod].end_ns = at_ns;
}

void Recorder::preempted(std::optional<uint32_t> pod, Str victim_ns, Str victim_name, Str node,
                         Str preemptor, int64_t at_ns) {
  preemptions_.push_back({at_ns, std::string(victim_ns), std::string(victim_name),
                          std::string(node), std::string(preemptor)});
  if (!pod) return;
  end(*pod, PodState::kPreempted, at_ns);
}

void Recorder::sample(int64_t at_ns, const Fragmentation* resources) {
  if (samples_.size() == kMostSamples) {
    for (size_t i = 1; 2 * i < kMostSamples; ++i) samples_[i] = std::move(samples_[2 * i]);
    samples_.resize(kMostSamples / 2);
    stride_ *= 2;
  }
  Sample s;
  s.at_ns = at_ns;
  s.arrived = pods_.size();
  std::copy(std::begin(states_), std::end(states_), std::begin(s.states));
  s.by_reason = by_reason_;
  if (resources != nullptr) s.amounts = resources->amounts();
  samples_.push_back(std::move(s));
  sampled_at_ = events_;
}

std::vector<std::pair<std::string, uint64_t>> Recorder::pending_reasons() const {
  std::vector<std::pair<std::string, uint64_t>> out;
  for (uint32_t i = 1; i < by_reason_.size(); ++i)
    if (by_reason_[i] != 0) out.emplace_back(reasons_.text(i), by_reason_[i]);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return out;
}

namespace {

std::optional<int64_t> if_any(int64_t ns) {
  return ns < 0 ? std::optional<int64_t>() : std::optional(ns);
}

// A table with columns of these types.
Ref<Table> table_of(const char* name,
                    std::initializer_list<std::pair<const char*, ColumnType>> columns,
                    size_t rows) {
  auto table = make_ref<Table>(name);
  for (const auto& [column, type] : columns) {
    table->columns.emplace_back(column, type);
    table->columns.back().reserve(rows);
  }
  return table;
}

constexpr ColumnType kInt = ColumnType::kInt64, kReal = ColumnType::kDouble,
                     kTime = ColumnType::kNanoseconds, kText = ColumnType::kText,
                     kWord = ColumnType::kWord;

}  // namespace

TableRef Recorder::pods() const {
  Ref<Table> table = table_of("pods",
                              {{"namespace", kWord},
                               {"pod", kText},
                               {"state", kWord},
                               {"arrival", kTime},
                               {"bound", kTime},
                               {"wait", kTime},
                               {"end", kTime},
                               {"node", kWord},
                               {"attempts", kInt},
                               {"reason", kWord},
                               {"message", kWord}},
                              pods_.size());
  std::vector<Column>& c = table->columns;
  const auto word = [](Column& column, Str text) {
    text.empty() ? column.add_null() : column.add(text);
  };
  for (uint32_t i = 0; i < pods_.size(); ++i) {
    const Record& r = pods_[i];
    const bool pending = r.state == PodState::kPending;
    c[0].add(arrivals_.entry(r.source).pod->meta.ns);
    c[1].add(Str(arrivals_.pod_name(r.source, r.index)));
    c[2].add(Str(word_of(r.state)));
    c[3].add(r.arrival_ns);
    c[4].add(if_any(r.bound_ns));
    c[5].add(r.bound_ns < 0 ? std::optional<int64_t>() : r.bound_ns - r.arrival_ns);
    c[6].add(if_any(r.end_ns));
    word(c[7], nodes_.text(r.node));
    c[8].add(int64_t{r.attempts});
    word(c[9], pending ? reasons_.text(r.reason) : Str());
    const auto message = messages_.find(i);
    word(c[10], message == messages_.end() ? Str() : Str(message->second));
  }
  return table;
}

TableRef Recorder::series() const {
  Ref<Table> table = table_of("series", {{"time", kTime}, {"arrived", kInt}}, samples_.size());
  for (size_t i = 0; i < kPodStates; ++i)
    table->columns.emplace_back(word_of(static_cast<PodState>(i)), kInt);
  for (const Sample& s : samples_) {
    table->columns[0].add(s.at_ns);
    table->columns[1].add(static_cast<int64_t>(s.arrived));
    for (size_t i = 0; i < kPodStates; ++i)
      table->columns[2 + i].add(static_cast<int64_t>(s.states[i]));
  }
  return table;
}

TableRef Recorder::resources() const {
  Ref<Table> table = table_of("resources",
                              {{"time", kTime},
                               {"resource", kWord},
                               {"allocatable", kInt},
                               {"used", kInt},
                               {"free", kInt},
                               {"fragmented", kReal},
                               {"utilisation", kReal},
                               {"fragmentation", kReal}},
                              0);
  std::vector<Column>& c = table->columns;
  for (const Sample& s : samples_) {
    for (const Fragmentation::Amount& a : s.amounts) {
      c[0].add(s.at_ns);
      c[1].add(Str(a.resource));
      c[2].add(a.allocatable);
      c[3].add(a.used);
      c[4].add(a.free);
      c[5].add(a.fragmented);
      c[6].add(a.utilisation());
      c[7].add(a.fragmentation());
    }
  }
  return table;
}

TableRef Recorder::pending() const {
  Ref<Table> table = table_of("pending", {{"time", kTime}, {"reason", kWord}, {"pods", kInt}}, 0);
  for (const Sample& s : samples_) {
    for (uint32_t i = 1; i < s.by_reason.size(); ++i) {
      if (s.by_reason[i] == 0) continue;
      table->columns[0].add(s.at_ns);
      table->columns[1].add(reasons_.text(i));
      table->columns[2].add(static_cast<int64_t>(s.by_reason[i]));
    }
  }
  return table;
}

TableRef Recorder::preemptions() const {
  Ref<Table> table = table_of("preemptions",
                              {{"time", kTime},
                               {"namespace", kWord},
                               {"pod", kText},
                               {"node", kWord},
                               {"preemptor", kText}},
                              preemptions_.size());
  for (const Preemption& p : preemptions_) {
    table->columns[0].add(p.at_ns);
    table->columns[1].add(Str(p.ns));
    table->columns[2].add(Str(p.name));
    table->columns[3].add(Str(p.node));
    table->columns[4].add(Str(p.preemptor));
  }
  return table;
}

void Recorder::volume(const VolumeAction& a, int64_t at_ns) {
  Volume v{at_ns,
           a.kind,
           std::string(a.ns),
           std::string(a.claim),
           std::string(a.volume),
           std::string(a.storage_class),
           std::string(a.node),
           {}};
  if (a.kind == VolumeAction::Kind::kFailed) v.message = a.note;
  volumes_.push_back(std::move(v));
}

TableRef Recorder::volumes() const {
  constexpr Str kActions[] = {"provisioned", "bound", "failed"};
  Ref<Table> table = table_of("volumes",
                              {{"time", kTime},
                               {"action", kWord},
                               {"namespace", kWord},
                               {"claim", kText},
                               {"volume", kText},
                               {"storageClass", kWord},
                               {"node", kWord},
                               {"message", kWord}},
                              volumes_.size());
  for (const Volume& v : volumes_) {
    table->columns[0].add(v.at_ns);
    table->columns[1].add(kActions[static_cast<size_t>(v.action)]);
    table->columns[2].add(Str(v.ns));
    table->columns[3].add(Str(v.claim));
    size_t i = 4;
    for (const std::string* text : {&v.volume, &v.storage_class, &v.node, &v.message}) {
      Column& column = table->columns[i++];
      text->empty() ? column.add_null() : column.add(Str(*text));
    }
  }
  return table;
}

}  // namespace libsched
