// PodVolumes::Chooser: for each claim and row, the smallest volume that no claim before took there.
//
// Upstream looks through all volumes for each claim and node. Here, claims that differ in name and
// size alone have one list of volumes. They come by size, so what one of them leaves out for good
// (volumes that are too small or taken wherever they match, rows that have no volume left) the next
// one need not look at, and n equal claims take time by n volumes. No choice differs by that.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "libsched/plugins/volumebinding/pod_volumes.hpp"

namespace libsched {

class PodVolumes::Chooser {
 public:
  // `rows`: those that are asked about. All must live as long as this.
  Chooser(PodVolumes& found, const View& view, const Words& rows, const Call& call)
      : found_(found),
        view_(view),
        rows_(rows),
        call_(call),
        alone_(found.searches_.size() == 1),
        match_(rows.size()) {}

  // Of each claim after those with smaller requests.
  void choose(Search* search);

 private:
  static constexpr uint32_t kEnd = UINT32_MAX;

  // The volumes without a claim for claims that differ in name and size alone.
  struct Kind {
    struct Volume {
      uint32_t candidate;
      uint32_t next;  // in `volumes`, of those that are left
    };
    std::vector<Volume> volumes;  // by size
    uint32_t first = kEnd;        // that is left
    Words without;                // rows that have none left
  };
  // What is known of a candidate; empty: not looked at, not taken.
  struct Rows {
    Words match, taken;
  };

  Kind& kind_of(const PersistentVolumeClaim& claim, const Class& volumes);
  void find_prebound(const Class& volumes, Search* search) const;
  void choose_prebound(Search* search, Words* open);
  void choose_other(Kind* kind, Search* search, Words* open);
  void take(uint32_t candidate, size_t word, uint64_t rows, Search* search);
  // Until the next call.
  const Words& match(uint32_t candidate);
  uint64_t taken(uint32_t candidate, size_t word) const {
    return alone_ || known_[candidate].taken.empty() ? 0 : known_[candidate].taken[word];
  }

  PodVolumes& found_;
  const View& view_;
  const Words& rows_;
  const Call& call_;
  std::unordered_map<std::string, Kind> kinds_;
  bool alone_;               // there is one claim, so nothing needs to be known
  Words match_;              // then
  std::vector<Rows> known_;  // by candidate
};

}  // namespace libsched
