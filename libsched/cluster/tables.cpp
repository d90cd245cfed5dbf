// Tables: making columns, counts and sums when they are first asked for, keeping them in step with
// every change, and dropping the least recently used.
#include "libsched/cluster/tables.hpp"

#include <algorithm>

#include "libsched/cluster/state.hpp"

namespace libsched {
namespace {

DomainSums make_sums(const CountTable& counts, const TopologyColumn& column,
                     Span<uint64_t> eligible) {
  DomainSums s;
  s.sum.resize(column.domains.size());
  s.rows.resize(column.domains.size());
  s.stamp = column.stamp;
  s.eligible.assign(eligible.begin(), eligible.end());
  for (size_t w = 0; w < eligible.size(); ++w) {
    for_each_bit(eligible[w] & column.labelled.word(w), w * 64, [&](size_t r) {
      const size_t d = static_cast<size_t>(column.domain[r]);
      s.sum[d] += counts.rows[r];
      ++s.rows[d];
    });
  }
  s.find_min();
  return s;
}

uint32_t free_place(std::vector<uint32_t>* free, size_t end) {
  if (free->empty()) return static_cast<uint32_t>(end);
  const uint32_t i = free->back();
  free->pop_back();
  return i;
}

bool same_words(const std::vector<uint64_t>& a, Span<uint64_t> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

size_t Tables::Table::bytes() const {
  size_t n = sizeof(Table) + 2 * text.size() + 512 + counts->rows.size() * 4;
  for (const Sums& s : sums) n += s.sums->bytes();
  return n;
}

Tables::Tables(const Tables& o) { *this = o; }

Tables& Tables::operator=(const Tables& o) {
  if (this == &o) return *this;
  const std::scoped_lock lock(mutex_, o.mutex_);
  topologies_ = o.topologies_;
  tables_ = o.tables_;
  free_topologies_ = o.free_topologies_;
  free_tables_ = o.free_tables_;
  topology_ids_ = o.topology_ids_;
  table_ids_ = o.table_ids_;
  index_ = o.index_;
  bytes_ = o.bytes_;
  judged_ = o.judged_;
  sets_ = o.sets_;
  topologies_in_use_ = o.topologies_in_use_;
  counting_ = o.counting_;
  limit_ = o.limit_;
  clock_ = o.clock_;
  return *this;
}

uint32_t Tables::find_topology(Str key, uint64_t hash) const {
  return topology_ids_.find(hash, [&](uint32_t i) { return topologies_[i].column->key == key; });
}

TopologyRef Tables::topology(const State& state, Str key) const {
  const std::lock_guard lock(mutex_);
  return or_drop_and_throw([&] {
    uint32_t i = find_topology(key);
    if (i == kNoId) {
      TopologyColumn column(key, state.columns().capacity());
      state.live().for_each([&](size_t r) {
        const uint32_t row = static_cast<uint32_t>(r);
        column.add(row, state.node(row)->meta.labels, state.labels());
      });
      i = free_place(&free_topologies_, topologies_.size());
      if (i == topologies_.size()) topologies_.emplace_back();
      topology_ids_.insert(column.key_hash, i);
      bytes_ += column.bytes();
      topologies_[i].column = TopologyRef(std::move(column));
      topologies_in_use_ = true;
      shrink(nullptr, &topologies_[i]);
    }
    topologies_[i].used = ++clock_;
    return topologies_[i].column;
  });
}

// From now on every pod's label set is known.
void Tables::track(const State& state) const {
  if (counting_) return;
  bool fresh = false;
  for (uint32_t s = 0; s < state.slot_count(); ++s)
    if (state.slot(s).pod) sets_.add(s, *state.slot(s).pod, &fresh);
  counting_ = true;
}

uint32_t Tables::make_table(const State& state, const CountKey& key, std::string text,
                            uint64_t hash) const {
  track(state);
  const uint32_t id = free_place(&free_tables_, tables_.size());
  if (id == tables_.size()) tables_.emplace_back();
  CountTable counts;
  counts.rows.resize(state.columns().capacity());
  counts.version = next_serial();
  counts.place = id;
  auto rule = std::make_shared<const CountRule>(key);
  std::vector<PodLabelSets::Set>& sets = sets_.sets();
  std::vector<bool> counted(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    if (!sets[i].owner || !rule->counts(*sets[i].owner)) continue;
    counted[i] = true;
    sets[i].tables.push_back(id);
    counts.total += sets[i].pods;
  }
  if (counts.total != 0) {
    const std::vector<uint32_t>& of_slot = sets_.of_slot();
    for (uint32_t s = 0; s < of_slot.size(); ++s)
      if (of_slot[s] != kNoId && counted[of_slot[s]]) ++counts.rows[state.slot(s).row];
  }
  table_ids_.insert(hash, id);
  tables_[id] = {std::move(rule),
                 std::move(text),
                 hash,
                 index_.add(key, id),
                 CountsRef(std::move(counts)),
                 {},
                 0};
  bytes_ += tables_[id].bytes();
  return id;
}

CountsRef Tables::counts(const State& state, const CountKey& key) const {
  std::string text = key.text();
  const uint64_t hash = hash_str(text);
  const std::lock_guard lock(mutex_);
  return or_drop_and_throw([&] {
    uint32_t id = table_ids_.find(hash, [&](uint32_t i) { return tables_[i].text == text; });
    if (id == kNoId) {
      id = make_table(state, key, std::move(text), hash);
      shrink(&tables_[id], nullptr);
    }
    tables_[id].used = ++clock_;
    return tables_[id].counts;
  });
}

SumsRef Tables::sums(const CountsRef& counts, const TopologyRef& topology,
                     Span<uint64_t> eligible) const {
  const std::lock_guard lock(mutex_);
  return or_drop_and_throw([&] {
    Table* const table = counts->place < tables_.size() ? &tables_[counts->place] : nullptr;
    const uint32_t place = find_topology(topology->key);
    // Dropped meanwhile by another thread, or from before a change: nothing to keep them with.
    if (table == nullptr || !table->counts.shares(counts) || place == kNoId ||
        topologies_[place].column->stamp != topology->stamp)
      return SumsRef(make_sums(*counts, *topology, eligible));
    for (Sums& s : table->sums) {
      if (s.topology != place || s.sums->stamp != topology->stamp) continue;
      if (!same_words(s.sums->eligible, eligible)) continue;
      s.used = ++clock_;
      return s.sums;
    }
    // In the place of one that no query can ask for any more, or of the least recently used.
    const auto worth = [&](const Sums& s) {
      const Topology& t = topologies_[s.topology];
      return t.column && t.column->stamp == s.sums->stamp ? s.used : 0;
    };
    std::vector<Sums>& list = table->sums;
    auto at = std::min_element(list.begin(), list.end(),
                               [&](const Sums& a, const Sums& b) { return worth(a) < worth(b); });
    if (at == list.end() || (worth(*at) != 0 && list.size() < kSumsPerTable))
      at = list.insert(list.end(), Sums{});
    else
      bytes_ -= at->sums->bytes();
    *at = {SumsRef(make_sums(*counts, *topology, eligible)), place, ++clock_};
    bytes_ += at->sums->bytes();
    const SumsRef made = at->sums;
    shrink(table, &topologies_[place]);
    return made;
  });
}

void Tables::set_limit(size_t bytes) const {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
  shrink(nullptr, nullptr);
}

size_t Tables::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

size_t Tables::count_tables() const {
  const std::lock_guard lock(mutex_);
  return table_ids_.size();
}

void Tables::shrink(const Table* keep_table, const Topology* keep_topology) const {
  if (bytes_ <= limit_) return;
  // Well below the limit, so that this walk is rare.
  const size_t goal = limit_ - limit_ / 4;
  std::vector<std::pair<uint64_t, uint32_t>> tables, topologies;  // by last use
  for (uint32_t i = 0; i < tables_.size(); ++i)
    if (tables_[i].rule && &tables_[i] != keep_table) tables.emplace_back(tables_[i].used, i);
  for (uint32_t i = 0; i < topologies_.size(); ++i)
    if (topologies_[i].column && &topologies_[i] != keep_topology)
      topologies.emplace_back(topologies_[i].used, i);
  std::sort(tables.begin(), tables.end());
  std::sort(topologies.begin(), topologies.end());
  std::vector<bool> is_gone(tables_.size());
  const auto gone = [&](uint32_t i) { return is_gone[i]; };
  RuleIndex::Places places;
  for (const auto& [used, i] : tables) {
    if (bytes_ <= goal) break;
    bytes_ -= tables_[i].bytes();
    table_ids_.erase(tables_[i].hash, i);
    places.insert(places.end(), tables_[i].places.begin(), tables_[i].places.end());
    tables_[i] = {};
    is_gone[i] = true;
    free_tables_.push_back(i);
  }
  index_.remove(std::move(places), gone);
  for (PodLabelSets::Set& s : sets_.sets()) std::erase_if(s.tables, gone);
  for (const auto& [used, i] : topologies) {
    if (bytes_ <= goal) break;
    bytes_ -= topologies_[i].column->bytes();
    topology_ids_.erase(topologies_[i].column->key_hash, i);
    topologies_[i] = {};
    free_topologies_.push_back(i);
  }
}

void Tables::drop() const noexcept {
  topologies_.clear();
  tables_.clear();
  free_topologies_.clear();
  free_tables_.clear();
  topology_ids_ = {};
  table_ids_ = {};
  index_ = {};
  sets_ = {};
  bytes_ = 0;
  topologies_in_use_ = counting_ = false;
}

void Tables::add_rows(size_t capacity) {
  bytes_ = 0;
  for (Topology& t : topologies_) {
    if (!t.column) continue;
    if (t.column->domain.size() < capacity) t.column.edit().reserve_rows(capacity);
    bytes_ += t.column->bytes();
  }
  for (Table& t : tables_) {
    if (!t.rule) continue;
    if (t.counts->rows.size() < capacity) t.counts.edit().rows.resize(capacity);
    bytes_ += t.bytes();
  }
}

// Calls f(topology) for those of which a node with these labels has a domain.
template <typename F>
void Tables::for_each_topology(Labels labels, F&& f) {
  for (const Label& l : labels)
    if (const uint32_t i = find_topology(l.key, l.key_hash); i != kNoId) f(topologies_[i]);
}

void Tables::add_node(uint32_t row, Labels labels, const LabelIndex& index) {
  for_each_topology(labels, [&](Topology& t) {
    const size_t before = t.column->bytes();
    t.column.edit().add(row, labels, index);
    bytes_ += t.column->bytes() - before;
  });
}

void Tables::remove_node(uint32_t row, Labels labels) {
  for_each_topology(labels, [&](Topology& t) { t.column.edit().remove(row); });
}

void Tables::add_pod(uint32_t slot, const Pod& pod, uint32_t row) {
  bool fresh = false;
  const uint32_t id = sets_.add(slot, pod, &fresh);
  PodLabelSets::Set& set = sets_.sets()[id];
  if (fresh) {
    index_.for_each(pod, [&](uint32_t i) {
      ++judged_;
      if (tables_[i].rule->counts(pod)) set.tables.push_back(i);
    });
    std::sort(set.tables.begin(), set.tables.end());
    set.tables.erase(std::unique(set.tables.begin(), set.tables.end()), set.tables.end());
  }
  count(set, row, 1);
}

void Tables::remove_pod(uint32_t slot, uint32_t row) {
  count(sets_.sets()[sets_.remove(slot)], row, -1);
  sets_.collect();
}

void Tables::count(const PodLabelSets::Set& set, uint32_t row, int32_t delta) {
  for (const uint32_t i : set.tables) {
    Table& table = tables_[i];
    CountTable& counts = table.counts.edit();
    counts.rows[row] += delta;
    counts.total += delta;
    counts.version = next_serial();
    for (Sums& s : table.sums) {
      if (!s.sums->has(row)) continue;
      const Topology& t = topologies_[s.topology];
      if (!t.column || t.column->stamp != s.sums->stamp) continue;  // never asked for again
      const int32_t d = t.column->domain[row];
      if (d != TopologyColumn::kNone) s.sums.edit().add(d, delta);
    }
  }
}

}  // namespace libsched
