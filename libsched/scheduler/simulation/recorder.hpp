// Recorder: what happens to the pods of a simulation, and its results as tables.
//
// It keeps some 50 bytes for each pod that has arrived, a sample of the whole now and then, and
// texts of pending pods only. Times are nanoseconds since the simulation's beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libsched/scheduler/api_memory/volume_controller.hpp"
#include "libsched/scheduler/simulation/arrivals.hpp"
#include "libsched/scheduler/simulation/fragmentation.hpp"
#include "libsched/scheduler/simulation/table.hpp"

namespace libsched {

// The numbers are part of the C API.
enum class PodState : uint8_t {
  kWaiting = 0,    // arrived, and not tried yet
  kPending = 1,    // rejected, gated or failed, for a reason
  kRunning = 2,    // bound to a node
  kFinished = 3,   // has run for its duration
  kPreempted = 4,  // made room for another pod
  kIgnored = 5,    // its schedulerName has no profile
  kReplaced = 6,   // its CronJob has ended it, to start another run
};
inline constexpr size_t kPodStates = 7;
const char* word_of(PodState state);

class Recorder {
 public:
  // At most so many samples are kept: beyond, every second one is dropped, and they are taken half
  // as often.
  static constexpr size_t kMostSamples = 1024;

  // `arrivals`, which knows the sources of pods, outlives the recorder.
  explicit Recorder(const Arrivals& arrivals) : arrivals_(arrivals) {}

  // --- what happens, in the order of time ---
  // Returns the number of the pod: pods are counted from 0 on as they arrive.
  uint32_t arrived(const Arrivals::Arrival& arrival);
  void ignored(uint32_t pod) { move(pod, PodState::kIgnored, 0); }
  // The pod stays pending; `reason` is one of few words, `message` for its user.
  void rejected(uint32_t pod, Str reason, Str message);
  // PreEnqueue holds the pod back: it waits for a reason, without an attempt.
  void gated(uint32_t pod, Str reason);
  void bound(uint32_t pod, int64_t at_ns, Str node);
  void finished(uint32_t pod, int64_t at_ns) { end(pod, PodState::kFinished, at_ns); }
  void replaced(uint32_t pod, int64_t at_ns) { end(pod, PodState::kReplaced, at_ns); }
  // `by`: the pod that needs the room. The victim may be none of the workload's pods.
  void preempted(std::optional<uint32_t> pod, Str victim_ns, Str victim_name, Str node,
                 Str preemptor, int64_t at_ns);

  void volume(const VolumeAction& action, int64_t at_ns);

  // Whether so much has happened since the latest sample that the next one is due.
  bool sample_due() const { return events_ - sampled_at_ >= stride_; }
  // `resources` may be null.
  void sample(int64_t at_ns, const Fragmentation* resources);

  // --- results ---
  uint64_t arrived_count() const { return pods_.size(); }
  uint64_t count(PodState state) const { return states_[static_cast<size_t>(state)]; }
  uint64_t bound_count() const { return bound_; }  // also of pods that have ended since
  uint64_t preemption_count() const { return preemptions_.size(); }
  uint64_t attempt_count() const { return attempts_; }
  PodState state(uint32_t pod) const { return pods_[pod].state; }
  // How long pods waited that have been bound.
  struct Waits {
    double mean_ns = 0;
    int64_t median_ns = 0, p90_ns = 0, p99_ns = 0, longest_ns = 0;
  };
  Waits waits() const;
  // Of the latest sample; null: there is none.
  const std::vector<Fragmentation::Amount>* latest_amounts() const {
    return samples_.empty() ? nullptr : &samples_.back().amounts;
  }
  // Of the pod: its source and the index there.
  std::pair<uint32_t, uint64_t> source(uint32_t pod) const {
    return {pods_[pod].source, pods_[pod].index};
  }
  // The pending pods by reason, the most frequent first, of one count by name.
  std::vector<std::pair<std::string, uint64_t>> pending_reasons() const;

  // "pods": namespace, pod, state, arrival, bound, wait, end, node, attempts, reason, message.
  TableRef pods() const;
  // "series": time, arrived, waiting, pending, running, finished, preempted, ignored, replaced.
  TableRef series() const;
  // "resources": time, resource, allocatable, used, free, fragmented, utilisation, fragmentation.
  TableRef resources() const;
  // "pending": time, reason, pods; only reasons that some pod has.
  TableRef pending() const;
  // "preemptions": time, namespace, pod, node, preemptor.
  TableRef preemptions() const;
  // "volumes": time, action (provisioned, bound, failed), namespace, claim, volume, storageClass,
  // node, message; where there is none, null.
  TableRef volumes() const;

 private:
  static constexpr int64_t kNever = -1;
  struct Record {
    int64_t arrival_ns = 0, bound_ns = kNever, end_ns = kNever;
    uint32_t source = 0, index = 0;
    uint32_t node = 0, reason = 0;  // words, 0: none
    uint32_t attempts = 0;
    PodState state = PodState::kWaiting;
  };
  struct Sample {
    int64_t at_ns = 0;
    uint64_t arrived = 0;
    uint64_t states[kPodStates] = {};
    std::vector<uint64_t> by_reason;
    std::vector<Fragmentation::Amount> amounts;
  };
  struct Preemption {
    int64_t at_ns = 0;
    std::string ns, name, node, preemptor;
  };
  struct Volume {
    int64_t at_ns = 0;
    VolumeAction::Kind action{};
    std::string ns, claim, volume, storage_class, node, message;
  };

  // Words have numbers from 1 on.
  class Words {
   public:
    uint32_t of(Str word);
    Str text(uint32_t word) const { return word == 0 ? Str() : Str(words_[word - 1]); }
    size_t size() const { return words_.size(); }

   private:
    std::unordered_map<std::string, uint32_t> numbers_;
    std::vector<std::string> words_;
  };

  void move(uint32_t pod, PodState to, uint32_t reason);
  void end(uint32_t pod, PodState state, int64_t at_ns);

  const Arrivals& arrivals_;
  std::vector<Record> pods_;
  std::unordered_map<uint32_t, std::string> messages_;  // of pending pods
  std::vector<Preemption> preemptions_;
  std::vector<Volume> volumes_;
  std::vector<Sample> samples_;
  Words nodes_, reasons_;
  std::vector<uint64_t> by_reason_ = {0};  // pending pods
  uint64_t states_[kPodStates] = {};
  uint64_t bound_ = 0, attempts_ = 0;
  uint64_t events_ = 0, sampled_at_ = 0, stride_ = 1;
};

}  // namespace libsched
