// Verdicts: batches, and statuses made of codes and reasons.
#include "verdicts.hpp"

#include <algorithm>

namespace libsched::capi {
namespace {

Status status_of(const Registered& r, int8_t code, size_t reason) {
  if (code_name(static_cast<Code>(code)) == nullptr || code == LIBSCHED_CODE_SUCCESS)
    return r.nonsense("returned the unknown code " + std::to_string(code));
  if (reason == 0 || reason < r.reasons.size()) {
    Status answer(static_cast<Code>(code));
    if (reason < r.reasons.size()) answer.reasons.push_back(r.reasons[reason]);
    Registered::check(slot_codes::kFilterBatch, &answer);
    return answer;
  }
  return r.nonsense("gave reason " + std::to_string(reason) + " of " +
                    std::to_string(r.reasons.size()));
}

}  // namespace

void Verdicts::Batch::begin(size_t first_word, Span<uint64_t> judged, size_t count) {
  first_word_ = first_word;
  words_.resize(judged.size());
  uint32_t before = 0;
  for (size_t w = 0; w < judged.size(); ++w) {
    words_[w] = {judged[w], before};
    before += static_cast<uint32_t>(count_bits(judged[w]));
  }
  codes_.assign(count, LIBSCHED_CODE_SUCCESS);
  reasons_.assign(count, 0);
}

bool Verdicts::Batch::within(const Batch& other) const {
  for (size_t w = 0; w < words_.size(); ++w) {
    const size_t at = first_word_ + w - other.first_word_;  // a large number if before it
    const uint64_t there = at < other.words_.size() ? other.words_[at].judged : 0;
    if ((words_[w].judged & ~there) != 0) return false;
  }
  return true;
}

bool Verdicts::Batch::judges(uint32_t row) const {
  const size_t w = row / 64 - first_word_;
  return w < words_.size() && (words_[w].judged >> (row % 64) & 1) != 0;
}

size_t Verdicts::Batch::place(uint32_t row) const {
  const Word& w = words_[row / 64 - first_word_];
  const uint64_t below = w.judged & ((uint64_t{1} << (row % 64)) - 1);
  return w.before + static_cast<size_t>(count_bits(below));
}

Verdicts::Batch Verdicts::begin_batch(size_t first_word, Span<uint64_t> judged,
                                      size_t count) const {
  Batch next = std::move(spare_);
  next.begin(first_word, judged, count);
  return next;
}

void Verdicts::keep(Batch batch) const {
  if (!batch_.within(batch)) spill();
  spare_ = std::exchange(batch_, std::move(batch));
}

uint32_t Verdicts::add(Status status, size_t end_row) const {
  spill();
  reserve_rows(end_row);
  if (statuses_.empty() || !(statuses_.back() == status)) statuses_.push_back(std::move(status));
  return kWhole | static_cast<uint32_t>(statuses_.size() - 1);
}

Status Verdicts::status(const Registered& r, uint32_t row) const {
  if (batch_.judges(row)) {
    const size_t at = batch_.place(row);
    return status_of(r, batch_.codes()[at], batch_.reasons()[at]);
  }
  if (row >= room_) return r.nonsense("has no verdict");
  const uint32_t answer = answers_[row];
  if ((answer & kWhole) == 0) return status_of(r, static_cast<int8_t>(answer & 0xff), answer >> 8);
  return (answer & ~kWhole) < statuses_.size() ? statuses_[answer & ~kWhole]
                                               : r.nonsense("has no verdict");
}

// Left uninitialised, because only entries that were written are read.
void Verdicts::reserve_rows(size_t rows) const {
  if (rows <= room_) return;
  rows = std::max(rows, 2 * room_);
  std::unique_ptr<uint32_t[]> more = std::make_unique_for_overwrite<uint32_t[]>(rows);
  if (room_ != 0) std::memcpy(more.get(), answers_.get(), room_ * sizeof(uint32_t));
  answers_ = std::move(more);
  room_ = rows;
}

void Verdicts::spill() const {
  if (batch_.empty()) return;
  reserve_rows((batch_.first_word() + batch_.words()) * 64);
  size_t at = 0;
  for (size_t w = 0; w < batch_.words(); ++w)
    for_each_bit(batch_.judged(w), (batch_.first_word() + w) * 64, [&](size_t row) {
      answers_[row] = static_cast<uint8_t>(batch_.codes()[at]) | uint32_t{batch_.reasons()[at]}
                                                                     << 8;
      ++at;
    });
  batch_.clear();
}

}  // namespace libsched::capi
