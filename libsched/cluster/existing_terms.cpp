// ExistingTerms: interning the terms of added pods, counting them by row, and the index by labels.
#include "libsched/cluster/existing_terms.hpp"

#include <algorithm>
#include <new>

namespace libsched {
namespace {

bool same(Span<Str> a, Span<Str> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

bool same(const LabelSelector& a, const LabelSelector& b) {
  return a.present == b.present &&
         std::equal(a.match_labels.begin(), a.match_labels.end(), b.match_labels.begin(),
                    b.match_labels.end(),
                    [](const Label& x, const Label& y) {
                      return x.pair_hash == y.pair_hash && x.key == y.key && x.value == y.value;
                    }) &&
         std::equal(a.match_expressions.begin(), a.match_expressions.end(),
                    b.match_expressions.begin(), b.match_expressions.end(),
                    [](const Requirement& x, const Requirement& y) {
                      return x.op == y.op && x.key == y.key && same(x.values, y.values);
                    });
}

bool same(const PodAffinityTerm& a, const PodAffinityTerm& b) {
  return a.topology_key == b.topology_key && a.weight == b.weight && same(a.selector, b.selector) &&
         same(a.namespaces, b.namespaces) && same(a.namespace_selector, b.namespace_selector);
}

bool same(Span<PodAffinityTerm> a, Span<PodAffinityTerm> b) {
  if (a.data() == b.data() && a.size() == b.size()) return true;  // copies of one template
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

bool same_profile(const Pod& a, const Pod& b) {
  const PodSpec &x = a.spec, &y = b.spec;
  return a.meta.ns == b.meta.ns && same(x.pod_affinity.required, y.pod_affinity.required) &&
         same(x.pod_affinity.preferred, y.pod_affinity.preferred) &&
         same(x.pod_anti_affinity.required, y.pod_anti_affinity.required) &&
         same(x.pod_anti_affinity.preferred, y.pod_anti_affinity.preferred);
}

void mix(uint64_t* h, uint64_t n) { *h = hash_mix(*h, n); }

void mix(uint64_t* h, const LabelSelector& s) {
  mix(h, s.present ? 1 : 0);
  for (const Label& l : s.match_labels) mix(h, l.pair_hash);
  for (const Requirement& r : s.match_expressions) {
    mix(h, static_cast<uint64_t>(r.op));
    *h = hash_str(r.key, *h);
    for (const Str v : r.values) *h = hash_str(v, *h);
  }
}

void mix(uint64_t* h, const PodAffinityTerm& t) {
  *h = hash_str(t.topology_key, *h);
  mix(h, static_cast<uint32_t>(t.weight));
  mix(h, t.selector);
  for (const Str ns : t.namespaces) *h = hash_str(ns, *h);
  mix(h, t.namespace_selector);
}

uint64_t profile_hash(const Pod& pod) {
  uint64_t h = hash_str(pod.meta.ns);
  for (const PodAffinity* a : {&pod.spec.pod_affinity, &pod.spec.pod_anti_affinity})
    for (const Span<PodAffinityTerm> list : {a->required, a->preferred}) {
      mix(&h, list.size());
      for (const PodAffinityTerm& t : list) mix(&h, t);
    }
  return h;
}

bool parses(Span<PodAffinityTerm> list) {
  return std::all_of(list.begin(), list.end(), [](const PodAffinityTerm& t) {
    return (!t.selector.present || label_selector_error(t.selector).empty()) &&
           (!t.namespace_selector.present || label_selector_error(t.namespace_selector).empty());
  });
}

}  // namespace

ExistingTerms::Term ExistingTerms::Term::published() {
  Term out;
  out.owner = owner;
  out.term = term;
  out.kind = kind;
  out.weight = weight;
  out.own_namespace = own_namespace;
  out.key = key;
  out.rows = rows.publish();
  out.changed = changed;
  out.before = before;
  out.changed_row = changed_row;
  return out;
}

bool ExistingTerms::Term::selects(const Pod& pod, Labels namespace_labels) const {
  if (!selector_matches(term->selector, pod.meta.labels)) return false;
  if (own_namespace) return owner->meta.ns == pod.meta.ns;
  return std::find(term->namespaces.begin(), term->namespaces.end(), pod.meta.ns) !=
             term->namespaces.end() ||
         selector_matches(term->namespace_selector, namespace_labels);
}

size_t ExistingTerms::Index::count(uint64_t pair_hash) const {
  const uint32_t i = ids.guess(pair_hash);
  return i == kNoId ? 0 : lists[i].size();
}

void ExistingTerms::Index::add(uint64_t pair_hash, uint32_t term) {
  uint32_t i = ids.guess(pair_hash);
  if (i == kNoId) {
    std::vector<uint32_t> fresh = {term};
    lists.reserve();
    ids.reserve();
    i = lists.take();
    lists.edit(i) = std::move(fresh);
    ids.insert_reserved(pair_hash, i);
  } else {
    std::vector<uint32_t>& list = lists.edit(i);
    reserve_more(list, 1);
    list.push_back(term);
  }
}

void ExistingTerms::Index::remove(uint64_t pair_hash, uint32_t term) {
  const uint32_t i = ids.guess(pair_hash);
  std::vector<uint32_t>& list = lists.edit(i);
  std::erase(list, term);
  if (!list.empty()) return;
  list = {};
  ids.erase(pair_hash, i);
  lists.give_back(i);
}

uint32_t ExistingTerms::intern_key(Str key) {
  const uint64_t hash = hash_str(key);
  uint32_t id = key_ids_.find(hash, [&](uint32_t i) { return keys_[i].text == key; });
  if (id != kNoId) return id;
  Key fresh{std::string(key), hash, 0};
  keys_.reserve();
  key_ids_.reserve();
  id = keys_.take();
  keys_.edit(id) = std::move(fresh);
  key_ids_.insert_reserved(hash, id);
  return id;
}

void ExistingTerms::release_key(uint32_t id) {
  if (keys_[id].terms != 0) return;
  key_ids_.erase(keys_[id].hash, id);
  keys_.edit(id) = {};
  keys_.give_back(id);
}

uint32_t ExistingTerms::intern_term(const Pod& pod, const PodAffinityTerm& term, Kind kind,
                                    int32_t weight) {
  const bool own = term.namespaces.empty() && !term.namespace_selector.present;
  uint64_t hash = own ? hash_str(pod.meta.ns, 1) : 0;
  mix(&hash, term);
  mix(&hash, static_cast<uint64_t>(kind));
  mix(&hash, static_cast<uint32_t>(weight));
  uint32_t id = term_ids_.find(hash, [&](uint32_t i) {
    const Term& t = terms_[i];
    return t.kind == kind && t.weight == weight && same(*t.term, term) &&
           (!own || t.owner->meta.ns == pod.meta.ns);
  });
  if (id != kNoId) return id;
  Term t;
  t.owner = PodRef::share(&pod);
  t.term = &term;
  t.kind = kind;
  t.weight = weight;
  t.own_namespace = own;
  t.hash = hash;

  // The required label under which the fewest terms are listed.
  Index& index = index_of(kind);
  size_t best = SIZE_MAX;
  const auto offer = [&](std::vector<uint64_t> pairs) {
    size_t n = 0;
    for (const uint64_t p : pairs) n += index.count(p);
    if (n >= best) return;
    best = n;
    t.listed = std::move(pairs);
  };
  for (const Label& l : term.selector.match_labels) offer({l.pair_hash});
  for (const Requirement& r : term.selector.match_expressions) {
    if (r.op != SelectorOp::kIn) continue;
    std::vector<uint64_t> pairs;
    for (const Str v : r.values) pairs.push_back(make_label(r.key, v).pair_hash);
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    offer(std::move(pairs));
  }
  terms_.reserve();
  term_ids_.reserve();
  reserve_more(index.rest.edit(), 1);
  t.key = intern_key(term.topology_key);
  id = terms_.take();
  size_t listed = 0;
  try {
    for (; listed < t.listed.size(); ++listed) index.add(t.listed[listed], id);
  } catch (...) {
    while (listed != 0) index.remove(t.listed[--listed], id);
    terms_.give_back(id);
    release_key(t.key);
    throw;
  }
  if (t.listed.empty()) index.rest.edit().push_back(id);
  ++keys_.edit(t.key).terms;
  terms_.edit(id) = std::move(t);
  term_ids_.insert_reserved(hash, id);
  return id;
}

void ExistingTerms::release_term(uint32_t id) {
  Term& t = terms_.edit(id);
  if (--t.profiles != 0) return;
  Index& index = index_of(t.kind);
  for (const uint64_t p : t.listed) index.remove(p, id);
  if (t.listed.empty()) std::erase(index.rest.edit(), id);
  term_ids_.erase(t.hash, id);
  --keys_.edit(t.key).terms;
  release_key(t.key);
  t = {};
  terms_.give_back(id);
}

// `profile` has room for the items.
void ExistingTerms::add_terms(Profile* profile, const Pod& pod, Span<PodAffinityTerm> list,
                              Kind kind, bool negative) {
  if (!parses(list)) return;
  for (const PodAffinityTerm& t : list) {
    if (!t.selector.present) continue;  // selects nothing
    int32_t weight = kind == Kind::kPreferred ? t.weight : 0;
    if (negative) weight = static_cast<int32_t>(-static_cast<uint32_t>(weight));  // wraps as in Go
    const uint32_t id = intern_term(pod, t, kind, weight);
    const auto at = std::find_if(profile->items.begin(), profile->items.end(),
                                 [&](const Profile::Item& i) { return i.term == id; });
    if (at != profile->items.end()) {
      ++at->times;
      continue;
    }
    profile->items.push_back({id, 1});
    ++terms_.edit(id).profiles;
  }
}

uint32_t ExistingTerms::find_profile(const Pod& pod, uint64_t hash) const {
  return profile_ids_.find(hash,
                           [&](uint32_t i) { return same_profile(*profiles_[i].owner, pod); });
}

uint32_t ExistingTerms::intern_profile(const Pod& pod) {
  if (pod.class_id == 0) return intern_terms(pod);
  const Seen* const seen = seen_.find(pod.class_id);
  if (seen != nullptr && profiles_[seen->profile].born == seen->born) return seen->profile;
  const uint32_t id = intern_terms(pod);
  seen_.put(pod.class_id, {profiles_[id].born, id});
  return id;
}

uint32_t ExistingTerms::intern_terms(const Pod& pod) {
  const uint64_t hash = profile_hash(pod);
  uint32_t id = find_profile(pod, hash);
  if (id != kNoId) return id;
  const PodAffinity &affinity = pod.spec.pod_affinity, &anti = pod.spec.pod_anti_affinity;
  Profile p;
  p.owner = PodRef::share(&pod);
  p.hash = hash;
  p.items.reserve(affinity.required.size() + affinity.preferred.size() + anti.required.size() +
                  anti.preferred.size());
  profiles_.reserve();
  profile_ids_.reserve();
  try {
    add_terms(&p, pod, affinity.required, Kind::kRequired, false);
    add_terms(&p, pod, affinity.preferred, Kind::kPreferred, false);
    add_terms(&p, pod, anti.required, Kind::kRequiredAnti, false);
    add_terms(&p, pod, anti.preferred, Kind::kPreferred, true);
  } catch (...) {
    for (const Profile::Item& i : p.items) release_term(i.term);
    throw;
  }
  latest_ = p.born = next_serial();
  id = profiles_.take();
  profiles_.edit(id) = std::move(p);
  profile_ids_.insert_reserved(hash, id);
  ++unused_;
  return id;
}

void ExistingTerms::prepare(uint32_t slot, const Pod& pod, uint32_t row, size_t capacity) {
  if (of_slot_.size() <= slot) of_slot_.resize(slot + 1 + slot / 4, kNoId);
  const uint32_t id = intern_profile(pod);
  for (const Profile::Item& i : profiles_[id].items)
    terms_.edit(i.term).rows.reserve(row, capacity);
  of_slot_[slot] = id;
}

// An undo calls no prepare(): the profile still exists.
void ExistingTerms::add_pod(uint32_t slot, const Pod& pod, uint32_t row) {
  uint32_t& id = of_slot_[slot];
  if (id == kNoId) id = find_profile(pod, profile_hash(pod));
  Profile& p = profiles_.edit(id);
  if (p.pods++ == 0) --unused_;
  for (const Profile::Item& i : p.items) change_rows(i.term, row, i.times);
}

// Adds `delta` to the row's count of the term. Returns whether the term's rows need trim().
bool ExistingTerms::change_rows(uint32_t term, uint32_t row, int32_t delta) {
  Term& t = terms_.edit(term);
  t.before = std::exchange(t.changed, ++changes_);
  t.changed_row = row;
  const bool none = t.rows.empty();
  t.rows.add(row, delta);
  present_ += none != t.rows.empty() ? 1 : 0;
  return t.rows.sparse_again();
}

void ExistingTerms::remove_pod(uint32_t slot, uint32_t row) {
  Profile& p = profiles_.edit(std::exchange(of_slot_[slot], kNoId));
  for (const Profile::Item& i : p.items)
    if (change_rows(i.term, row, -i.times)) sparse_again_ = true;
  if (--p.pods == 0) ++unused_;
}

void ExistingTerms::collect_profiles(uint64_t since) noexcept {
  for (uint32_t id = 0; id < profiles_.size(); ++id) {
    Profile& p = profiles_.edit(id);
    if (!p.owner || p.pods != 0 || p.born <= since) continue;
    for (const Profile::Item& i : p.items) release_term(i.term);
    profile_ids_.erase(p.hash, id);
    p = {};
    profiles_.give_back(id);
    --unused_;
  }
  collect_at_ = profile_ids_.size() + profile_ids_.size() / 2;
}

void ExistingTerms::trim() noexcept {
  try {
    for (uint32_t id = 0; id < terms_.size(); ++id)
      if (terms_[id].profiles != 0 && terms_[id].rows.sparse_again()) terms_.edit(id).rows.trim();
    sparse_again_ = false;
  } catch (const std::bad_alloc&) {  // tried again later
  }
}

ExistingTerms ExistingTerms::publish() {
  ExistingTerms out;
  out.terms_ = terms_.publish();
  out.term_ids_ = term_ids_.publish();
  out.keys_ = keys_.publish();
  out.key_ids_ = key_ids_.publish();
  out.anti_ = anti_.publish();
  out.scored_ = scored_.publish();
  out.latest_ = latest_;
  out.present_ = present_;
  return out;
}

}  // namespace libsched
