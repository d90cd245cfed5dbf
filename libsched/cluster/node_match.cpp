// NodeMatch: compiling terms and requirements to postings, and judging sets of rows and single
// rows.
#include "libsched/cluster/node_match.hpp"

#include <algorithm>
#include <array>

namespace libsched {

NodeMatch::NodeMatch(const View& view, Labels node_selector, const NodeSelector& selector)
    : has_terms_(selector.present) {
  for (const Label& l : node_selector) {
    Test t;
    t.kind = Kind::kPairs;
    const uint32_t id = view.labels().find_pair(l.key, l.value, l.pair_hash);
    if (id != kNoId) t.ids.push_back(id);
    always_.push_back(std::move(t));
  }
  for (const NodeSelectorTerm& term : selector.terms) {
    if (term.empty()) continue;
    Term compiled;
    bool valid = true;
    for (const Requirement& r : term.match_expressions) {
      valid = valid && r.valid;
      if (valid) compiled.push_back(label_test(view, r));
    }
    for (const Requirement& r : term.match_fields) {
      valid = valid && r.valid;
      if (valid) compiled.push_back(field_test(r));
    }
    if (valid) terms_.push_back(std::move(compiled));
  }
}

NodeMatch::Test NodeMatch::label_test(const View& view, const Requirement& r) {
  const LabelIndex& labels = view.labels();
  Test t;
  switch (r.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      t.kind = r.op == SelectorOp::kIn ? Kind::kPairs : Kind::kNotPairs;
      for (const Str value : r.values) {
        const uint32_t id = labels.find_pair(r.key, value, label_pair_hash(r.key_hash, value));
        if (id != kNoId) t.ids.push_back(id);
      }
      return t;
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist: {
      t.kind = r.op == SelectorOp::kExists ? Kind::kKey : Kind::kNotKey;
      const uint32_t id = labels.find_key(r.key, r.key_hash);
      if (id != kNoId) t.ids.push_back(id);
      return t;
    }
    case SelectorOp::kGt:
    case SelectorOp::kLt: {
      t.kind = Kind::kPairs;
      const uint32_t key = labels.find_key(r.key, r.key_hash);
      const std::optional<int64_t> bound = parse_int64(r.values[0]);
      if (key == kNoId || !bound) return t;
      labels.key(key).pairs.for_each([&](size_t, uint32_t id) {
        const std::optional<int64_t> value = parse_int64(labels.pair(id).value);
        if (value && (r.op == SelectorOp::kGt ? *value > *bound : *value < *bound))
          t.ids.push_back(id);
      });
      return t;
    }
    case SelectorOp::kUnknown: return t;
  }
  return t;
}

NodeMatch::Test NodeMatch::field_test(const Requirement& r) {
  const bool in = r.op == SelectorOp::kIn;
  Test t;
  if (r.key == "metadata.name") {
    t.kind = in ? Kind::kName : Kind::kNotName;
    t.name = r.values[0];
    t.name_hash = hash_str(t.name);
  } else {
    // Any other field reads as "" (upstream's fields.Set).
    t.kind = r.values[0].empty() == in ? Kind::kAlways : Kind::kNever;
  }
  return t;
}

bool NodeMatch::holds(const View& view, const Test& test, uint32_t row) {
  const auto any_pair = [&] {
    return std::any_of(test.ids.begin(), test.ids.end(),
                       [&](uint32_t id) { return view.labels().pair(id).rows.contains(row); });
  };
  const auto has_key = [&] {
    return !test.ids.empty() && view.labels().key(test.ids[0]).rows.contains(row);
  };
  switch (test.kind) {
    case Kind::kPairs: return any_pair();
    case Kind::kNotPairs: return !any_pair();
    case Kind::kKey: return has_key();
    case Kind::kNotKey: return !has_key();
    case Kind::kName: return view.row(row).name == test.name;
    case Kind::kNotName: return view.row(row).name != test.name;
    case Kind::kAlways: return true;
    case Kind::kNever: return false;
  }
  return false;
}

bool NodeMatch::matches(const View& view, uint32_t row) const {
  const auto all = [&](const Term& term) {
    return std::all_of(term.begin(), term.end(),
                       [&](const Test& t) { return holds(view, t, row); });
  };
  if (!all(always_)) return false;
  return !has_terms_ || std::any_of(terms_.begin(), terms_.end(), all);
}

void NodeMatch::fill(const View& view, const Test& test, size_t first, size_t count,
                     uint64_t* out) {
  std::fill(out, out + count, 0);
  switch (test.kind) {
    case Kind::kPairs:
    case Kind::kNotPairs:
      for (const uint32_t id : test.ids) view.labels().pair(id).rows.or_into(first, count, out);
      break;
    case Kind::kKey:
    case Kind::kNotKey:
      for (const uint32_t id : test.ids) view.labels().key(id).rows.or_into(first, count, out);
      break;
    case Kind::kName:
    case Kind::kNotName: {
      const uint32_t row = view.find_row(test.name, test.name_hash);
      if (row != kNoId && row / 64 >= first && row / 64 < first + count)
        out[row / 64 - first] |= uint64_t{1} << (row % 64);
      break;
    }
    case Kind::kAlways: std::fill(out, out + count, ~uint64_t{0}); return;
    case Kind::kNever: return;
  }
  if (test.kind == Kind::kNotPairs || test.kind == Kind::kNotKey || test.kind == Kind::kNotName)
    for (size_t i = 0; i < count; ++i) out[i] = ~out[i];
}

void NodeMatch::rows(const View& view, size_t first, size_t count, uint64_t* out) const {
  constexpr size_t kBlock = 64;  // words at a time, so that nothing is allocated
  std::array<uint64_t, kBlock> test_rows, term_rows, any;
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t n = std::min(kBlock, count - done);
    const auto all = [&](const Term& term, uint64_t* result) {
      for (const Test& t : term) {
        fill(view, t, first + done, n, test_rows.data());
        for (size_t i = 0; i < n; ++i) result[i] &= test_rows[i];
      }
    };
    std::fill(out + done, out + done + n, ~uint64_t{0});
    all(always_, out + done);
    if (!has_terms_) continue;
    any.fill(0);
    for (const Term& term : terms_) {
      term_rows.fill(~uint64_t{0});
      all(term, term_rows.data());
      for (size_t i = 0; i < n; ++i) any[i] |= term_rows[i];
    }
    for (size_t i = 0; i < n; ++i) out[done + i] &= any[i];
  }
}

}  // namespace libsched
