// Verdicts: what a foreign plugin said of the rows that it rejected in one state.
//
// Statuses are made when they are asked for. Until then the codes and reasons of the latest batch
// stay where the plugin wrote them; what it said otherwise is kept as a number per row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "registered.hpp"

namespace libsched::capi {

class Verdicts final : public PluginData {
 public:
  // Those of one state are not those of its copies.
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Verdicts>(); }

  // A batch: the rows that it judges, in words from `first_word` on, and where the plugin writes.
  class Batch {
   public:
    // All of them accepted so far. `count` is the number of bits in `judged`.
    void begin(size_t first_word, Span<uint64_t> judged, size_t count);
    int8_t* codes() { return codes_.data(); }
    const int8_t* codes() const { return codes_.data(); }
    uint16_t* reasons() { return reasons_.data(); }
    const uint16_t* reasons() const { return reasons_.data(); }
    bool empty() const { return words_.empty(); }
    void clear() { words_.clear(); }
    bool within(const Batch& other) const;  // whether the other judges all its rows, too
    bool judges(uint32_t row) const;
    size_t place(uint32_t row) const;  // of a row that it judges

    size_t first_word() const { return first_word_; }
    size_t words() const { return words_.size(); }
    uint64_t judged(size_t word) const { return words_[word].judged; }

   private:
    struct Word {
      uint64_t judged;
      uint32_t before;  // rows judged in the words before
    };
    size_t first_word_ = 0;
    std::vector<Word> words_;
    std::vector<int8_t> codes_;
    std::vector<uint16_t> reasons_;
  };

  // A batch to be filled, and given back with keep(); the slot that fills it may ask for this very
  // state, so it is nobody else's until then. Rows that it doesn't judge keep their verdicts.
  Batch begin_batch(size_t first_word, Span<uint64_t> judged, size_t count) const;
  void keep(Batch batch) const;
  // While statuses are added for the rows of one set, none of them is forgotten.
  class Pass {
   public:
    explicit Pass(const Verdicts& verdicts) : verdicts_(verdicts) {
      // A state that is asked again and again forgets what it said once that is more than rows.
      if (verdicts_.passes_++ == 0 && verdicts_.statuses_.size() > verdicts_.room_)
        verdicts_.statuses_.clear();
    }
    ~Pass() { --verdicts_.passes_; }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const Verdicts& verdicts_;
  };
  // In a pass: remembers a whole status for rows below `end_row`: for each set(row, number), by
  // what add() gave.
  uint32_t add(Status status, size_t end_row) const;
  void set(uint32_t row, uint32_t number) const { said_[row] = number; }

  Status status(const Registered& r, uint32_t row) const;

 private:
  static constexpr uint32_t kWhole = uint32_t{1} << 31;  // else code and reason

  void make_room(size_t rows) const;
  void spill() const;  // from batch_ to said_

  mutable Batch batch_;
  mutable Batch spare_;  // its memory is for the next one
  mutable std::unique_ptr<uint32_t[]> said_;
  mutable size_t room_ = 0;
  mutable std::vector<Status> statuses_;
  mutable int passes_ = 0;  // a slot may ask for this very state
};

}  // namespace libsched::capi
