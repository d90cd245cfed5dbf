// Verdicts: the rows that a filter pass rejected, and the plugin of each. Texts are made on
// request, as long as the view is unchanged.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libsched/framework/facts.hpp"
#include "libsched/framework/filter_step.hpp"
#include "libsched/framework/framework.hpp"

namespace libsched {

// The status of a row that the step rejected, as upstream's RunFilterPlugins gives it.
Status rejection(const Framework& framework, const FilterStep& step, const FilterCall& call,
                 uint32_t row);
// The same; replaces *status, whose memory is used again.
void reject(const Framework& framework, const FilterStep& step, const FilterCall& call,
            uint32_t row, Status* status);

// A status for each row. Most rows share a few.
struct StatusTable {
  size_t first_row = 0;
  std::vector<uint32_t> of_row;        // index into `list`
  std::vector<Status> list{Status()};  // [0] is Success

  uint32_t index(uint32_t row) const { return of_row[row - first_row]; }
  const Status& at(uint32_t row) const { return list[index(row)]; }
};

class Verdicts {
 public:
  // Starts over with the rows of these words, without a verdict yet. `facts`: rows that are judged
  // alone come with their facts.
  void begin(size_t first_word, size_t words, bool facts = false);
  bool wants_facts() const { return facts_; }
  size_t first_word() const { return first_word_; }
  size_t words() const { return words_; }

  // Called before and after a plugin judges: the rows that it removed from `alive` are its own.
  // False: no row is left.
  void before(const uint64_t* alive);
  bool after(const FilterStep& step, const std::shared_ptr<PluginData>& data,
             const uint64_t* alive);
  // Records a row that was judged alone and rejected.
  void reject(uint32_t row, Status status, const Facts& facts);
  // Records the rows that all plugins accept, for a plugin that lists what they give.
  void accept(const FilterStep& step, const std::shared_ptr<PluginData>& data,
              const uint64_t* alive);
  // Makes the statuses of plugins whose data the next pass with the same state replaces.
  void take_foreign(const Framework& framework, const FilterCall& call);

  // Writes 1 + the index of the plugin that rejected the row to of_row[row].
  void plugins(const Framework& framework, uint8_t* of_row) const;

  // `call` must be about the view as it was judged.
  StatusTable statuses(const Framework& framework, const Call& call, const Pod& pod) const;
  // The facts of each row, by row from `table.first_row` on; `table` is the result of statuses().
  std::vector<Facts> facts(const Call& call, const Pod& pod, const StatusTable& table) const;

 private:
  struct Judged {
    FilterStep step;
    std::shared_ptr<PluginData> data;
    size_t at;  // its words in bits_
  };
  template <typename F>
  void for_each(const Judged& judged, F&& f) const;

  size_t first_word_ = 0, words_ = 0;
  std::vector<Judged> rejected_, listing_;
  std::vector<uint64_t> bits_;
  size_t before_at_ = 0;                              // of the plugin that is judging
  std::vector<std::pair<uint32_t, uint32_t>> alone_;  // row, index into statuses_
  std::vector<Status> statuses_;
  bool facts_ = false;
  std::vector<std::pair<uint32_t, Facts>> facts_alone_;
};

}  // namespace libsched
