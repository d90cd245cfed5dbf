// Count rules: their canonical text and owned form, and the running minimum of domain sums.
#include "libsched/cluster/count_table.hpp"

#include <algorithm>

namespace libsched {
namespace {

void put(std::string* out, Str s) {
  *out += std::to_string(s.size());
  *out += ':';
  *out += s;
}

void sort_unique(std::vector<std::string>* list) {
  if (list->size() < 2) return;
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

void put_values(std::string* out, Span<Str> values) {
  if (values.size() == 1) return put(out, values[0]);
  std::vector<Str> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const Str v : sorted) put(out, v);
}

std::string text_of(const CountKey::Term& term) {
  std::string out(1, term.skip_terminating ? 't' : 'a');
  if (term.any_namespace) {
    out += '*';
  } else {
    put_values(&out, term.namespaces);
  }
  std::vector<std::string> list;
  list.reserve(term.requirements.size());
  for (const Requirement& r : term.requirements) {
    std::string& s = list.emplace_back();
    put(&s, r.key);
    s += static_cast<char>('A' + static_cast<int>(r.op));
    if (r.op == SelectorOp::kIn || r.op == SelectorOp::kNotIn) put_values(&s, r.values);
  }
  sort_unique(&list);
  for (const std::string& s : list) {
    out += ';';
    out += s;
  }
  return out;
}

}  // namespace

void CountKey::Term::add(const LabelSelector& selector) {
  for (const Label& l : selector.match_labels) add(l);
  requirements.insert(requirements.end(), selector.match_expressions.begin(),
                      selector.match_expressions.end());
}

void CountKey::Term::add(const Label& label) { requirements.push_back(has_label(label)); }

std::string CountKey::text() const {
  if (terms.size() == 1) return text_of(terms[0]);
  std::vector<std::string> list;
  for (const Term& t : terms) list.push_back(text_of(t));
  sort_unique(&list);
  std::string out;
  for (const std::string& s : list) {
    out += s;
    out += '|';
  }
  return out;
}

bool requirements_match(const std::vector<Requirement>& requirements, Labels labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const Requirement& r) { return requirement_matches(r, labels); });
}

CountRule::CountRule(const CountKey& key) : key_(key) {
  for (CountKey::Term& t : key_.terms) {
    for (Str& ns : t.namespaces) ns = arena_.copy(ns);
    for (Requirement& r : t.requirements) {
      r.key = arena_.copy(r.key);
      r.op_text = {};
      std::vector<Str> values;
      for (const Str v : r.values) values.push_back(arena_.copy(v));
      r.values = arena_.copy(values);
    }
  }
}

size_t CountRule::bytes() const {
  size_t n = arena_.bytes() + key_.terms.size() * sizeof(CountKey::Term);
  for (const CountKey::Term& t : key_.terms)
    n += t.namespaces.size() * sizeof(Str) + t.requirements.size() * sizeof(Requirement);
  return n;
}

bool CountRule::counts(const Pod& pod) const {
  return std::all_of(key_.terms.begin(), key_.terms.end(), [&](const CountKey::Term& t) {
    if (t.skip_terminating && pod.meta.terminating()) return false;
    if (!t.any_namespace &&
        std::find(t.namespaces.begin(), t.namespaces.end(), pod.meta.ns) == t.namespaces.end())
      return false;
    return requirements_match(t.requirements, pod.meta.labels);
  });
}

void DomainSums::add(int32_t domain, int32_t delta) {
  const size_t d = static_cast<size_t>(domain);
  int32_t& at = sum.edit(d);
  const int32_t old = at;
  const int32_t now = at += delta;
  if (now < min) {
    min = now;
    at_min = 1;
  } else if (now == min) {
    at_min += 1;
  } else if (old == min && --at_min == 0) {
    find_min();
  }
}

void DomainSums::find_min() {
  const int32_t* const there = rows->data();
  int32_t smallest = kNoDomain;
  sum.for_each([&](size_t d, int32_t n) {
    const int32_t s = there[d] != 0 ? n : kNoDomain;
    smallest = s < smallest ? s : smallest;
  });
  uint32_t count = 0, same = 0;
  sum.for_each([&](size_t d, int32_t n) {
    count += there[d] != 0 ? 1 : 0;
    same += there[d] != 0 && n == smallest ? 1 : 0;
  });
  min = smallest;
  at_min = same;
  domains = count;
}

}  // namespace libsched
