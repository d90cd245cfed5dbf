// AffinityFilter: PreFilter's counts, and the rows that they reject.
#include "libsched/plugins/interpodaffinity/affinity_filter.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "libsched/base/mirrored_items.hpp"
#include "libsched/base/prefetch.hpp"
#include "libsched/objects/pod_parts.hpp"

namespace libsched {
namespace {

// The rows whose pods count for the terms of the incoming pod.
Span<uint64_t> counting_rows(const Call& call) {
  const auto& live = call.view.live();
  return {live.data(), live.word_count()};
}

// counts += times * sums, with wrap-around; returns whether any sum is not zero.
bool add_sums(const DomainSums& sums, uint32_t times, std::vector<int32_t>* counts) {
  counts->resize(std::max(counts->size(), sums.sum.size()));
  int32_t any = 0;
  int32_t* const out = counts->data();
  sums.sum.for_each([&](size_t d, int32_t n) {
    out[d] = static_cast<int32_t>(static_cast<uint32_t>(out[d]) + times * static_cast<uint32_t>(n));
    any |= n;
  });
  return any != 0;
}

// The domains with a positive count. Most counts are zero and are skipped in blocks.
std::vector<uint32_t> positive_domains(const std::vector<int32_t>& counts) {
  constexpr size_t kBlock = 16;
  std::vector<uint32_t> out;
  for (size_t begin = 0; begin < counts.size(); begin += kBlock) {
    const size_t end = std::min(counts.size(), begin + kBlock);
    int32_t any = 0;
    if (end - begin == kBlock)
      for (size_t i = 0; i < kBlock; ++i) any |= counts[begin + i];
    else
      any = 1;
    if (any == 0) continue;
    for (size_t d = begin; d < end; ++d)
      if (counts[d] > 0) out.push_back(static_cast<uint32_t>(d));
  }
  return out;
}

// out |= the rows in a domain whose count is positive.
void add_positive(const View& view, const TopologyColumn& column,
                  const std::vector<int32_t>& counts, std::vector<uint64_t>* out) {
  // Following a posting costs a random memory access, the alternative a step for every row.
  constexpr size_t kRowsPerPosting = 32;
  const std::vector<uint32_t> domains = positive_domains(counts);
  if (domains.size() * kRowsPerPosting <= out->size() * 64) {
    for (const uint32_t d : domains)
      if (const uint32_t pair = column.domains[d].pair; pair != kNoId)
        view.labels().pair(pair).rows.or_into(0, out->size(), out->data());
    return;
  }
  std::vector<uint8_t> positive(counts.size() + 1);  // [0]: in no domain
  for (const uint32_t d : domains) positive[d + 1] = 1;
  for (size_t w = 0; w < out->size(); ++w) {
    const int32_t* const domain = column.domain.run(w * 64);
    uint64_t bits = 0;
    for (size_t i = 0; i < 64; ++i)
      bits |= uint64_t{positive[static_cast<size_t>(domain[i] + 1)]} << i;
    (*out)[w] |= bits;
  }
}

}  // namespace

AffinityFilter::AffinityFilter(const Call& call, const Pod& pod, ResolvedSelector resolved)
    : resolved_(resolved) {
  const View& view = call.view;
  view_version = view.version();
  add_existing_anti(call, pod);
  add_affinity(call, pod);
  add_anti(call, pod);
  if (!call.exceeded()) judge(view);
}

// Columns are shared, hence their names keep their addresses.
uint32_t AffinityFilter::key_index(const View& view, Str text) {
  constexpr size_t kFew = 16;
  if (places_.empty()) {
    for (uint32_t i = 0; i < keys_.size(); ++i)
      if (keys_[i].column->key == text) return i;
  } else if (const auto at = places_.find(text); at != places_.end()) {
    return at->second;
  }
  const auto place = static_cast<uint32_t>(keys_.size());
  keys_.emplace_back().column = view.tables().topology(view, text);
  if (keys_.size() > kFew)
    for (auto i = static_cast<uint32_t>(places_.size()); i <= place; ++i)
      places_.emplace(keys_[i].column->key, i);
  return place;
}

AffinityFilter::Key& AffinityFilter::key(const View& view, Str text) {
  return keys_[key_index(view, text)];
}

// A pod that all terms select counts once for every term.
void AffinityFilter::add_affinity(const Call& call, const Pod& pod) {
  const View& view = call.view;
  const Span<PodAffinityTerm> terms = pod.spec.pod_affinity.required;
  if (terms.empty()) return;
  CountKey selected;
  const bool some = add_selected_by_all(view, pod, terms, resolved_, &selected);
  if (call.exceeded()) return;
  CountsRef counts;
  if (some) counts = view.tables().counts(view, selected);
  std::vector<uint32_t> times;  // number of terms with a key, by the key's index
  size_t step = 0;
  for (const PodAffinityTerm& t : terms) {
    if (call.exceeded(step++)) return;
    const uint32_t place = key_index(view, t.topology_key);
    times.resize(keys_.size());
    ++times[place];
  }
  for (size_t place = 0; place < times.size(); ++place) {
    if (times[place] == 0) continue;
    if (call.exceeded()) return;
    Key& k = keys_[place];
    k.required = true;
    std::vector<int32_t>& list = k.counts[kAffinity];
    list.resize(k.column->domains.size());
    if (some && counts->total != 0 &&
        add_sums(*view.tables().sums(counts, k.column, counting_rows(call)), times[place], &list))
      affinity_counts_ = true;
  }
  selects_itself_ = some && !affinity_counts_ && CountRule(selected).counts(pod);
}

void AffinityFilter::add_anti(const Call& call, const Pod& pod) {
  const View& view = call.view;
  const Span<PodAffinityTerm> terms = pod.spec.pod_anti_affinity.required;
  const auto add = [&](const CountKey& selected, Str topology_key, uint32_t times) {
    const CountsRef counts = view.tables().counts(view, selected);
    known_.push_back({counts->place, counts->serial});
    own_.push_back({kNoId, times});
    if (counts->total == 0) return;
    own_.back().key = key_index(view, topology_key);
    Key& k = keys_[own_.back().key];
    add_sums(*view.tables().sums(counts, k.column, counting_rows(call)), times, &k.counts[kAnti]);
  };
  constexpr size_t kFew = 16;
  if (terms.size() <= kFew) {
    for (const PodAffinityTerm& t : terms) {
      if (call.exceeded()) return;
      CountKey selected;
      if (add_selected(view, pod, t, resolved_, &selected)) add(selected, t.topology_key, 1);
    }
    return;
  }
  // Equal terms are counted once, and added as often as they occur.
  struct Distinct {
    CountKey selected;
    uint32_t times = 0;
  };
  std::map<std::pair<std::string, Str>, Distinct> distinct;
  size_t step = 0;
  for (const PodAffinityTerm& t : terms) {
    if (call.exceeded(step++)) return;
    CountKey selected;
    if (!add_selected(view, pod, t, resolved_, &selected)) continue;
    Distinct& d = distinct[{selected.text(), t.topology_key}];
    if (d.times++ == 0) d.selected = std::move(selected);
  }
  for (const auto& [text_and_key, d] : distinct) {
    if (call.exceeded()) return;
    add(d.selected, text_and_key.second, d.times);
  }
}

void AffinityFilter::add_existing_anti(const Call& call, const Pod& pod) {
  const View& view = call.view;
  const Namespace* ns = view.find_namespace(pod.meta.ns);
  const ExistingTerms& existing = view.existing_terms();
  present_ = existing.present();
  size_t step = 0;
  existing.for_each_anti(pod, ns == nullptr ? Labels() : ns->meta.labels,
                         [&](const ExistingTerms::Term& t, uint32_t id) {
                           if (call.exceeded(step++)) return;
                           const uint32_t at = key_index(view, existing.topology_key(t.key));
                           Key& k = keys_[at];
                           existing_.push_back({id, at, t.changed});
                           std::vector<int32_t>& list = k.counts[kExistingAnti];
                           list.resize(k.column->domains.size());
                           t.rows.for_each([&](uint32_t row, int32_t count) {
                             const int32_t d = k.column->domain[row];
                             if (d == TopologyColumn::kNone) return;
                             list[static_cast<size_t>(d)] += count;
                             existing_anti_ += count;
                           });
                         });
}

// Returns whether it is another count.
bool AffinityFilter::set_count(Key* key, Rule rule, int32_t domain, int32_t count) {
  std::vector<int32_t>& list = key->counts[rule];
  if (list.empty()) return false;
  int32_t& kept = list[static_cast<size_t>(domain)];
  if (kept == count) return false;
  if (rule == kExistingAnti) existing_anti_ += count - kept;
  kept = count;
  return true;
}

bool AffinityFilter::positive(Rule rule, uint32_t row) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const Key& k) { return count(k, rule, row) > 0; });
}

namespace {

// Adds the rows' counts, times a factor, to sums[i].
void add_counts(const CountTable& table, uint32_t times, std::span<const uint32_t> rows,
                uint32_t* sums) {
  const MirroredItems all(table.rows);
  for (size_t i = 0; i < rows.size(); ++i) sums[i] += times * static_cast<uint32_t>(all[rows[i]]);
}

}  // namespace

// Reports in which rows the terms under the key have come or gone since they were counted. For
// kOne, `row` is that row. From now on they are taken for counted.
AffinityFilter::Changed AffinityFilter::changed_terms(const View& view, uint32_t key,
                                                      uint32_t* row) {
  using enum Changed;
  Changed out = kNone;
  for (Existing& e : existing_) {
    const ExistingTerms::Term& t = view.existing_terms().term(e.term);
    if (e.key != key || t.changed == e.changed) continue;
    const bool one = t.before == e.changed && (out == kNone || *row == t.changed_row);
    out = one && out != kAny ? kOne : kAny;
    *row = t.changed_row;
    e.changed = t.changed;
  }
  return out;
}

// Whether the terms that select the pod are those that are counted.
bool AffinityFilter::same_terms(const View& view, const Pod& pod) const {
  const Namespace* const ns = view.find_namespace(pod.meta.ns);
  size_t found = 0;
  bool same = true;
  view.existing_terms().for_each_anti(
      pod, ns == nullptr ? Labels() : ns->meta.labels,
      [&](const ExistingTerms::Term& t, uint32_t id) {
        // Another term may have got the id of one that is gone.
        same = same && found < existing_.size() && existing_[found].term == id &&
               view.existing_terms().topology_key(t.key) == keys_[existing_[found].key].column->key;
        ++found;
      });
  return same && found == existing_.size();
}

Plugin::Renewed AffinityFilter::renew(const View& view, const Pod& pod,
                                      std::span<const uint32_t> rows, std::vector<uint32_t>* hit) {
  using enum Plugin::Renewed;
  const bool has_affinity = (pod.parts & pod_part::kPodAffinity) != 0;
  if (changed() || (has_affinity && !pod.spec.pod_affinity.required.empty())) return kNo;
  for (const Key& k : keys_)
    if (!k.column->unique()) return kNo;
  if (view.existing_terms().present() != present_ && !same_terms(view, pod)) return kNo;
  present_ = view.existing_terms().present();
  std::vector<Tables::Values> own_values = std::move(values_);
  own_values.resize(own_.size());
  if (!view.tables().current(known_, own_values.data())) return kNo;
  for (size_t n = 0; n < own_.size(); ++n) {
    const CountTable& counts = *own_values[n].counts;
    if (own_[n].key == kNoId && counts.total != 0) return kNo;
    for (const uint32_t r : rows) prefetch(&counts.rows[r]);
  }
  for (uint32_t i = 0; i < keys_.size(); ++i) {
    Key& k = keys_[i];
    uint32_t row = kNoId;
    const Changed changed = changed_terms(view, i, &row);
    std::vector<uint32_t>& own = own_counts_;
    own.assign(rows.size(), 0);
    for (size_t n = 0; n < own_.size(); ++n)
      if (own_[n].key == i) add_counts(*own_values[n].counts, own_[n].times, rows, own.data());
    const int32_t* const kept = k.counts[kAnti].empty() ? nullptr : k.counts[kAnti].data();
    if (kept != nullptr)
      for (const uint32_t r : rows)
        if (const int32_t domain = k.column->domain[r]; domain != TopologyColumn::kNone)
          prefetch(&kept[domain]);
    for (size_t j = 0; j < rows.size(); ++j) {
      const uint32_t r = rows[j];
      const int32_t domain = k.column->domain[r];
      if (domain == TopologyColumn::kNone) continue;
      // Looking up the terms of a row costs more than all else here.
      const bool look = changed == Changed::kAny || (changed == Changed::kOne && r == row);
      if (!look && (kept == nullptr || kept[domain] == static_cast<int32_t>(own[j]))) continue;
      bool other = set_count(&k, kAnti, domain, static_cast<int32_t>(own[j]));
      if (look) {
        uint32_t existing = 0;
        for (const Existing& e : existing_)
          if (e.key == i)
            existing += static_cast<uint32_t>(view.existing_terms().term(e.term).rows.at(r));
        other = set_count(&k, kExistingAnti, domain, static_cast<int32_t>(existing)) || other;
      }
      if (other) hit->push_back(r);
    }
  }
  own_values.clear();  // a change of the view must not have to copy them
  values_ = std::move(own_values);
  // PreFilter would skip the pod.
  if (existing_anti_ == 0 && pod.spec.pod_anti_affinity.required.empty()) return kNo;
  for (const uint32_t r : *hit) {
    const uint64_t bit = uint64_t{1} << (r % 64);
    uint64_t any = 0;
    for (const Rule rule : {kAnti, kExistingAnti}) {
      if (reject_[rule].empty()) continue;
      uint64_t& word = reject_[rule][r / 64];
      word = (word & ~bit) | (positive(rule, r) ? bit : 0);
      any |= word & bit;
    }
    if (!all_.empty()) all_[r / 64] = (all_[r / 64] & ~bit) | any;
  }
  return hit->empty() ? kSame : kRows;
}

void AffinityFilter::judge(const View& view) {
  const size_t words = view.word_count();
  if (keys_.empty()) return;
  all_.assign(words, 0);
  for (const Key& k : keys_) {
    if (k.required) {
      // The first pod of a group with affinity to itself only needs the keys.
      std::vector<uint64_t> fits(words);
      if (selects_itself_) {
        for (size_t w = 0; w < words; ++w) fits[w] = k.column->labelled.word(w);
      } else if (affinity_counts_) {
        add_positive(view, *k.column, k.counts[kAffinity], &fits);
      }
      std::vector<uint64_t>& out = reject_[kAffinity];
      out.resize(words);
      for (size_t w = 0; w < words; ++w) out[w] |= ~fits[w];
    }
    for (const Rule rule : {kAnti, kExistingAnti}) {
      if (k.counts[rule].empty()) continue;
      reject_[rule].resize(words);
      add_positive(view, *k.column, k.counts[rule], &reject_[rule]);
    }
  }
  for (const std::vector<uint64_t>& list : reject_)
    for (size_t w = 0; w < list.size(); ++w) all_[w] |= list[w];
}

}  // namespace libsched
