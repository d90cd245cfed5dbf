// FilterStep: a Filter plugin with the data it prepared for a pod.
#pragma once

#include <cstdint>
#include <vector>

namespace libsched {

class Plugin;
class PluginData;

struct FilterStep {
  uint32_t index;  // into Framework::plugins()
  const Plugin* plugin;
  const PluginData* data;
  bool pre_filtered;
  // Null: the plugin is asked. Else the rows that it accepts, by words of the view.
  const uint64_t* accepted = nullptr;
};

// The steps of a state, as long as they stay the same: from the second pass on, so that a state
// that serves one pass alone keeps none.
class KeptSteps {
 public:
  // `edits`: of the state. Null: the steps have to be found.
  const std::vector<FilterStep>* find(uint64_t edits, uint64_t ids_epoch) const {
    return kept_ && edits == edits_ && ids_epoch == ids_epoch_ ? &steps_ : nullptr;
  }
  // Called after a pass that had to find them: whether they are to be kept.
  bool due(uint64_t edits, uint64_t ids_epoch) {
    if (edits == edits_ && ids_epoch == ids_epoch_) return ++passes_ == 2;
    *this = KeptSteps(edits, ids_epoch);
    return false;
  }
  // None of the data may be for one version of the view.
  void keep(uint64_t edits, uint64_t ids_epoch, const std::vector<FilterStep>& steps) {
    *this = KeptSteps(edits, ids_epoch);
    steps_ = steps;
    kept_ = true;
  }
  KeptSteps() = default;

 private:
  KeptSteps(uint64_t edits, uint64_t ids_epoch) : edits_(edits), ids_epoch_(ids_epoch) {}

  uint64_t edits_ = ~uint64_t{0}, ids_epoch_ = 0;
  uint32_t passes_ = 1;
  bool kept_ = false;
  std::vector<FilterStep> steps_;
};

}  // namespace libsched
