// LabelIndex: interning keys and pairs, adding and removing rows, reclaiming unused ids.
#include "libsched/cluster/label_index.hpp"

#include <algorithm>

#include "libsched/base/same_text.hpp"

namespace libsched {
namespace {

bool same_label(const Label& a, const Label& b) {
  if (a.pair_hash != b.pair_hash) return false;
  const auto shared = [](Str x, Str y) { return x.data() == y.data() && x.size() == y.size(); };
  if (shared(a.key, b.key) && shared(a.value, b.value)) return true;  // of a copy
  return same_text(a.value, b.value) && same_text(a.key, b.key);
}

}  // namespace

uint32_t LabelIndex::find_key(Str key, uint64_t hash) const {
  return key_ids_.find(hash, [&](uint32_t id) { return same_text(keys_[id].text, key); });
}

uint32_t LabelIndex::find_pair(Str key, Str value, uint64_t pair_hash) const {
  return pair_ids_.find(pair_hash, [&](uint32_t id) {
    return same_text(pairs_[id].value, value) && same_text(keys_[pairs_[id].key].text, key);
  });
}

uint32_t LabelIndex::intern_key(const Label& label) {
  uint32_t id = find_key(label.key, label.key_hash);
  if (id != kNoId) return id;
  Key fresh{std::string(label.key), label.key_hash, {}, {}};
  keys_.reserve();
  key_ids_.reserve();
  id = keys_.take();
  keys_.edit(id) = std::move(fresh);
  key_ids_.insert_reserved(label.key_hash, id);
  epoch_ = next_serial();
  return id;
}

uint32_t LabelIndex::intern_pair(const Label& label) {
  uint32_t id = find_pair(label.key, label.value, label.pair_hash);
  if (id != kNoId) return id;
  const uint32_t key = intern_key(label);
  pairs_.reserve();
  pair_ids_.reserve();
  reserve_more(keys_.edit(key).pairs, 1);
  Pair fresh{std::string(label.value), label.pair_hash, key, next_serial(), {}};
  id = pairs_.take();
  epoch_ = fresh.born;
  pairs_.edit(id) = std::move(fresh);
  pair_ids_.insert_reserved(label.pair_hash, id);
  keys_.edit(key).pairs.push_back(id);
  ++unused_;
  return id;
}

void LabelIndex::prepare(Labels labels, size_t capacity, std::vector<uint32_t>* pairs,
                         const Known& known) {
  reserve_more(*pairs, labels.size());
  Remembered* memory = nullptr;
  if (known.serial != 0) {
    if (remembered_->empty()) remembered_->resize(kRemembered);
    memory = &(*remembered_)[known.serial % kRemembered];
  }
  if (memory != nullptr && memory->serial == known.serial) {
    *pairs = memory->pairs;
  } else {
    size_t found = 0;
    pairs->clear();
    for (size_t i = 0; i < labels.size(); ++i) {
      const bool is_known = i < known.labels.size() && same_label(labels[i], known.labels[i]);
      pairs->push_back(is_known ? known.pairs[i] : intern_pair(labels[i]));
      found += is_known ? 0 : 1;
    }
    // A copy, of which mostly one label differs, does not come again.
    if (memory != nullptr && found > 1) {
      memory->serial = 0;
      memory->pairs = *pairs;
      memory->serial = known.serial;
    }
  }
  for (const uint32_t id : *pairs) {
    Pair& pair = pairs_.unmarked(id);  // what is seen of it does not change yet
    pair.rows.reserve(capacity);
    keys_.unmarked(pair.key).rows.reserve(capacity);
  }
}

void LabelIndex::add(uint32_t row, const std::vector<uint32_t>& pairs) noexcept {
  for (const uint32_t id : pairs) {
    Pair& pair = pairs_.edit(id);
    if (pair.rows.count() == 0) --unused_;
    pair.rows.add(row);
    keys_.edit(pair.key).rows.add(row);
  }
}

void LabelIndex::remove(uint32_t row, const std::vector<uint32_t>& pairs) noexcept {
  for (const uint32_t id : pairs) {
    Pair& pair = pairs_.edit(id);
    pair.rows.remove(row);
    keys_.edit(pair.key).rows.remove(row);
    if (pair.rows.count() == 0) ++unused_;
  }
}

void LabelIndex::collect(uint64_t since) noexcept {
  if (unused_ == 0) return;
  remembered_->clear();
  for (uint32_t k = 0; k < keys_.size(); ++k) {
    Key& key = keys_.edit(k);
    size_t kept = 0;
    for (size_t i = 0; i < key.pairs.size(); ++i) {
      const uint32_t id = key.pairs[i];
      const Pair& pair = pairs_[id];
      if (pair.rows.count() != 0 || pair.born <= since) {
        key.pairs.edit(kept++) = id;
        continue;
      }
      pair_ids_.erase(pair.hash, id);
      pairs_.edit(id) = Pair{};
      pairs_.give_back(id);
      --unused_;
    }
    key.pairs.truncate(kept);
    if (key.pairs.empty() && !key.text.empty() &&
        key_ids_.find(key.hash, [&](uint32_t id) { return id == k; }) != kNoId) {
      key_ids_.erase(key.hash, k);
      key = Key{};
      keys_.give_back(k);
    }
  }
  epoch_ = next_serial();
}

LabelIndex LabelIndex::publish() {
  LabelIndex out;
  out.keys_ = keys_.publish();
  out.pairs_ = pairs_.publish();
  out.key_ids_ = key_ids_.publish();
  out.pair_ids_ = pair_ids_.publish();
  out.unused_ = unused_;
  out.epoch_ = epoch_;
  return out;
}

}  // namespace libsched
