// Verdicts: a foreign plugin's answers for the rows that it rejected in one state.
//
// Statuses are made on demand. Until then the codes and reasons of the latest batch stay where the
// plugin wrote them; other answers are kept as a number per row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "registered.hpp"

namespace libsched::capi {

class Verdicts final : public PluginData {
 public:
  // Copies of a state start without verdicts.
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Verdicts>(); }

  // The rows that a batch judges, in words from `first_word` on, and the plugin's output arrays.
  class Batch {
   public:
    // Starts with all rows accepted. `count` is the number of bits in `judged`.
    void begin(size_t first_word, Span<uint64_t> judged, size_t count);
    int8_t* codes() { return codes_.data(); }
    const int8_t* codes() const { return codes_.data(); }
    uint16_t* reasons() { return reasons_.data(); }
    const uint16_t* reasons() const { return reasons_.data(); }
    bool empty() const { return words_.empty(); }
    void clear() { words_.clear(); }
    bool within(const Batch& other) const;  // whether `other` judges all rows of this batch
    bool judges(uint32_t row) const;
    size_t place(uint32_t row) const;  // of a judged row

    size_t first_word() const { return first_word_; }
    size_t words() const { return words_.size(); }
    uint64_t judged(size_t word) const { return words_[word].judged; }

   private:
    struct Word {
      uint64_t judged;
      uint32_t before;  // rows judged in earlier words
    };
    size_t first_word_ = 0;
    std::vector<Word> words_;
    std::vector<int8_t> codes_;
    std::vector<uint16_t> reasons_;
  };

  // Returns a batch to fill and to return with keep(). Until then it belongs to the caller alone,
  // because the slot that fills it may query the same state. Other rows keep their verdicts.
  Batch begin_batch(size_t first_word, Span<uint64_t> judged, size_t count) const;
  void keep(Batch batch) const;
  // Keeps statuses from being dropped while they are added for the rows of one set.
  class Pass {
   public:
    explicit Pass(const Verdicts& verdicts) : verdicts_(verdicts) {
      // A state that is queried repeatedly drops its statuses once they outnumber the rows.
      if (verdicts_.passes_++ == 0 && verdicts_.statuses_.size() > verdicts_.room_)
        verdicts_.statuses_.clear();
    }
    ~Pass() { --verdicts_.passes_; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const Verdicts& verdicts_;
  };
  // In a pass, stores a whole status for rows below `end_row` and returns its number for set(row,
  // number).
  uint32_t add(Status status, size_t end_row) const;
  void set(uint32_t row, uint32_t number) const { answers_[row] = number; }

  Status status(const Registered& r, uint32_t row) const;

 private:
  static constexpr uint32_t kWhole = uint32_t{1} << 31;  // otherwise code and reason

  void reserve_rows(size_t rows) const;
  void spill() const;  // from batch_ to answers_

  mutable Batch batch_;
  mutable Batch spare_;  // keeps its memory for the next one
  mutable std::unique_ptr<uint32_t[]> answers_;
  mutable size_t room_ = 0;
  mutable std::vector<Status> statuses_;
  mutable int passes_ = 0;  // a slot may query this same state
};

}  // namespace libsched::capi
