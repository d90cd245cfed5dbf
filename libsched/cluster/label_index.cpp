// LabelIndex: interning keys and pairs, adding and removing rows, collecting what no row uses.
#include "libsched/cluster/label_index.hpp"

#include <algorithm>

namespace libsched {

uint32_t LabelIndex::find_key(Str key, uint64_t hash) const {
  return key_ids_.find(hash, [&](uint32_t id) { return keys_[id].text == key; });
}

uint32_t LabelIndex::find_pair(Str key, Str value, uint64_t pair_hash) const {
  return pair_ids_.find(pair_hash, [&](uint32_t id) {
    return pairs_[id].value == value && keys_[pairs_[id].key].text == key;
  });
}

uint32_t LabelIndex::intern_key(const Label& label) {
  uint32_t id = find_key(label.key, label.key_hash);
  if (id != kNoId) return id;
  if (free_keys_.empty()) {
    id = static_cast<uint32_t>(keys_.size());
    keys_.emplace_back();
  } else {
    id = free_keys_.back();
    free_keys_.pop_back();
  }
  keys_[id] = Key{std::string(label.key), label.key_hash, {}, {}};
  key_ids_.insert(label.key_hash, id);
  epoch_ = next_serial();
  return id;
}

uint32_t LabelIndex::intern_pair(const Label& label) {
  uint32_t id = find_pair(label.key, label.value, label.pair_hash);
  if (id != kNoId) return id;
  const uint32_t key = intern_key(label);
  if (free_pairs_.empty()) {
    id = static_cast<uint32_t>(pairs_.size());
    pairs_.emplace_back();
  } else {
    id = free_pairs_.back();
    free_pairs_.pop_back();
  }
  epoch_ = next_serial();
  pairs_[id] = Pair{std::string(label.value), label.pair_hash, key, epoch_, {}};
  pair_ids_.insert(label.pair_hash, id);
  keys_[key].pairs.push_back(id);
  ++unused_;
  return id;
}

void LabelIndex::add(uint32_t row, Labels labels, std::vector<uint32_t>* pairs) {
  pairs->resize(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) {
    const uint32_t id = intern_pair(labels[i]);
    (*pairs)[i] = id;
    Pair& pair = pairs_[id];
    if (pair.rows.count() == 0) --unused_;
    pair.rows.add(row);
    keys_[pair.key].rows.add(row);
  }
}

void LabelIndex::remove(uint32_t row, const std::vector<uint32_t>& pairs) {
  for (const uint32_t id : pairs) {
    Pair& pair = pairs_[id];
    pair.rows.remove(row);
    keys_[pair.key].rows.remove(row);
    if (pair.rows.count() == 0) ++unused_;
  }
}

void LabelIndex::collect(uint64_t since) {
  if (unused_ == 0) return;
  for (uint32_t k = 0; k < keys_.size(); ++k) {
    Key& key = keys_[k];
    std::erase_if(key.pairs, [&](uint32_t id) {
      if (pairs_[id].rows.count() != 0 || pairs_[id].born <= since) return false;
      pair_ids_.erase(pairs_[id].hash, id);
      pairs_[id] = Pair{};
      free_pairs_.push_back(id);
      --unused_;
      return true;
    });
    if (key.pairs.empty() && !key.text.empty() &&
        key_ids_.find(key.hash, [&](uint32_t id) { return id == k; }) != kNoId) {
      key_ids_.erase(key.hash, k);
      key = Key{};
      free_keys_.push_back(k);
    }
  }
  epoch_ = next_serial();
}

}  // namespace libsched
