// Tables: making columns, counts and sums on first use, updating them with every change, and
// dropping the least recently used.
#include "libsched/cluster/tables.hpp"

#include <algorithm>

#include "libsched/cluster/view.hpp"

namespace libsched {
namespace {

DomainSums make_sums(const CountTable& counts, const TopologyColumn& column,
                     Span<uint64_t> eligible) {
  DomainSums s;
  std::vector<int32_t> sum(column.domains.size()), rows(column.domains.size());
  s.stamp = column.stamp;
  s.serial = next_serial();
  for (size_t w = 0; w < eligible.size(); ++w) {
    for_each_bit(eligible[w] & column.labelled.word(w), w * 64, [&](size_t r) {
      const size_t d = static_cast<size_t>(column.domain[r]);
      sum[d] += counts.rows[r];
      ++rows[d];
    });
  }
  s.sum.assign(sum);
  s.rows = Cow(std::move(rows));
  s.eligible = Cow(std::vector<uint64_t>(eligible.begin(), eligible.end()));
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
  // Of the indexes, and what allocations add to what is asked for.
  constexpr size_t kMore = 384;
  size_t n = sizeof(Table) + sizeof(Asked) + asked->text.size() + asked->rule.bytes() +
             asked->places.size() * sizeof(uint64_t) + sizeof(CountTable) +
             counts->rows.size() * 4 + kMore;
  for (const Sums& s : sums) n += sizeof(Sums) + s.sums->bytes();
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
  follows_ = o.follows_;
  return *this;
}

Tables::Tables(Tables& o, Publish)
    : free_topologies_(o.free_topologies_),
      free_tables_(o.free_tables_),
      topology_ids_(o.topology_ids_),
      table_ids_(o.table_ids_),
      bytes_(o.bytes_),
      judged_(o.judged_),
      topologies_in_use_(o.topologies_in_use_),
      counting_(o.counting_),
      follows_(false),
      limit_(o.limit_),
      clock_(o.clock_) {
  topologies_.reserve(o.topologies_.size());
  for (Topology& t : o.topologies_) {
    const bool same = t.column && t.mirror && t.mirror->stamp == t.column->stamp &&
                      t.mirror->domain.size() == t.column->domain.size();
    if (!same) t.mirror = t.column ? t.column.publish() : TopologyRef();
    topologies_.push_back({t.mirror, t.used, {}, false});
  }
  tables_.reserve(o.tables_.size());
  for (Table& t : o.tables_) {
    Table& out = tables_.emplace_back();
    if (!t.asked) continue;
    const bool same = t.mirror && t.mirror->version == t.counts->version &&
                      t.mirror->rows.size() == t.counts->rows.size();
    if (!same) t.mirror = t.counts.publish();
    out = {t.asked, t.mirror, {}, t.used, {}, false};
    out.sums.reserve(t.sums.size());
    for (Sums& s : t.sums) {
      if (!s.mirror || s.changed) s.mirror = s.sums.publish();
      s.changed = false;
      out.sums.push_back({s.mirror, s.topology, s.used, {}, false, false});
    }
  }
  if (counting_) sets_ = o.sets_.publish();
}

uint32_t Tables::find_topology(Str key, uint64_t hash) const {
  return topology_ids_.find(hash, [&](uint32_t i) { return topologies_[i].column->key == key; });
}

TopologyRef Tables::topology(const View& state, Str key) const {
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
    return lend(topologies_[i].column, topologies_[i].own);
  });
}

// From here on the label set of every pod is known.
void Tables::track(const View& state) const {
  if (counting_) return;
  bool fresh = false;
  for (uint32_t s = 0; s < state.slot_count(); ++s)
    if (state.slot(s).pod) sets_.add(s, *state.slot(s).pod, &fresh);
  counting_ = true;
}

uint32_t Tables::make_table(const View& state, const CountKey& key, std::string text,
                            uint64_t hash) const {
  track(state);
  const uint32_t id = free_place(&free_tables_, tables_.size());
  if (id == tables_.size()) tables_.emplace_back();
  CountTable counts;
  counts.rows.resize(state.columns().capacity());
  counts.version = counts.serial = next_serial();
  counts.place = id;
  const auto asked = std::make_shared<Asked>(key, std::move(text), hash);
  std::vector<bool> counted(sets_.size());
  for (size_t i = 0; i < sets_.size(); ++i) {
    const PodLabelSets::Set& set = sets_[i];
    if (!set.owner || !asked->rule.counts(*set.owner)) continue;
    counted[i] = true;
    if (follows_) sets_.tables(i).push_back(id);
    counts.total += set.pods;
  }
  if (counts.total != 0) {
    int32_t* const rows = counts.rows.unmarked();  // all new
    sets_.of_slot().for_each([&](size_t s, uint32_t set) {
      if (set != kNoId && counted[set]) ++rows[state.slot(static_cast<uint32_t>(s)).row];
    });
  }
  table_ids_.insert(hash, id);
  if (follows_) asked->places = index_.add(key, id);
  tables_[id] = {asked, CountsRef(std::move(counts))};
  bytes_ += tables_[id].bytes();
  return id;
}

CountsRef Tables::counts(const View& state, const CountKey& key) const {
  std::string text = key.text();
  const uint64_t hash = hash_str(text);
  const std::lock_guard lock(mutex_);
  return or_drop_and_throw([&] {
    uint32_t id = table_ids_.find(hash, [&](uint32_t i) { return tables_[i].asked->text == text; });
    if (id == kNoId) {
      id = make_table(state, key, std::move(text), hash);
      shrink(&tables_[id], nullptr);
    }
    tables_[id].used = ++clock_;
    return lend(tables_[id].counts, tables_[id].own);
  });
}

bool Tables::current(std::span<const Known> known, Values* out) const {
  std::unique_lock<Mutex> lock(mutex_, std::defer_lock);
  if (!follows_) lock.lock();
  return or_drop_and_throw([&] {
    for (const Known& k : known) {
      Values& values = *out++;
      values = {};
      if (k.place == kNoId) continue;
      if (k.place >= tables_.size() || !tables_[k.place].asked) return false;
      Table& table = tables_[k.place];
      if (table.counts->serial != k.serial) return false;
      table.used = ++clock_;
      values.counts = lend(table.counts, table.own);
      if (k.sums == 0) continue;
      for (Sums& s : table.sums) {
        if (s.sums->serial != k.sums) continue;
        const TopologyRef& column = topologies_[s.topology].column;
        if (!column || column->stamp != s.sums->stamp) break;  // never used again
        s.used = ++clock_;
        values.sums = lend(s.sums, s.own);
        break;
      }
    }
    return true;
  });
}

SumsRef Tables::sums(const CountsRef& counts, const TopologyRef& topology,
                     Span<uint64_t> eligible) const {
  const std::lock_guard lock(mutex_);
  return or_drop_and_throw([&] {
    Table* const table = counts->place < tables_.size() ? &tables_[counts->place] : nullptr;
    const uint32_t place = find_topology(topology->key, topology->key_hash);
    // If another thread has dropped the table or a change has outdated it, the sums are not kept.
    if (table == nullptr || !table->counts.shares(counts) || place == kNoId ||
        topologies_[place].column->stamp != topology->stamp)
      return SumsRef(make_sums(*counts, *topology, eligible));
    for (Sums& s : table->sums) {
      if (s.topology != place || s.sums->stamp != topology->stamp) continue;
      if (!same_words(*s.sums->eligible, eligible)) continue;
      s.used = ++clock_;
      return lend(s.sums, s.own);
    }
    // Replaces an entry that no query can use any more, or the least recently used one.
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
      bytes_ -= sizeof(Sums) + at->sums->bytes();
    *at = {SumsRef(make_sums(*counts, *topology, eligible)), place, ++clock_};
    bytes_ += sizeof(Sums) + at->sums->bytes();
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
  // Shrink to well below the limit, so that this walk is rare.
  const size_t goal = limit_ - limit_ / 4;
  std::vector<std::pair<uint64_t, uint32_t>> tables, topologies;  // by last use
  for (uint32_t i = 0; i < tables_.size(); ++i)
    if (tables_[i].asked && &tables_[i] != keep_table) tables.emplace_back(tables_[i].used, i);
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
    const Asked& asked = *tables_[i].asked;
    table_ids_.erase(asked.hash, i);
    places.insert(places.end(), asked.places.begin(), asked.places.end());
    tables_[i] = {};
    is_gone[i] = true;
    free_tables_.push_back(i);
  }
  if (follows_) {
    index_.remove(std::move(places), gone);
    for (size_t i = 0; i < sets_.size(); ++i) std::erase_if(sets_.tables(i), gone);
  }
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
    if (!t.asked) continue;
    if (t.counts->rows.size() < capacity) t.counts.edit().rows.resize(capacity);
    bytes_ += t.bytes();
  }
}

// Calls f(topology) for the topologies in which a node with these labels has a domain.
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
  std::vector<uint32_t>& tables = sets_.tables(id);
  if (fresh) {
    index_.for_each(pod, [&](uint32_t i) {
      ++judged_;
      if (tables_[i].asked->rule.counts(pod)) tables.push_back(i);
    });
    std::sort(tables.begin(), tables.end());
    tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
  }
  count(tables, row, 1);
}

void Tables::remove_pod(uint32_t slot, uint32_t row) {
  count(sets_.tables(sets_.remove(slot)), row, -1);
  sets_.collect();
}

void Tables::count(const std::vector<uint32_t>& tables, uint32_t row, int32_t delta) {
  for (const uint32_t i : tables) {
    Table& table = tables_[i];
    CountTable& counts = table.counts.edit();
    counts.rows.edit(row) += delta;
    counts.total += delta;
    counts.version = next_serial();
    for (Sums& s : table.sums) {
      if (!s.sums->has(row)) continue;
      const Topology& t = topologies_[s.topology];
      if (!t.column || t.column->stamp != s.sums->stamp) continue;  // never used again
      const int32_t d = t.column->domain[row];
      if (d == TopologyColumn::kNone) continue;
      s.sums.edit().add(d, delta);
      s.changed = true;
    }
  }
}

}  // namespace libsched
