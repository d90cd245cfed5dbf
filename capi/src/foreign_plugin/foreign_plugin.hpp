// ForeignPlugin adapts a libsched_plugin to the framework's Plugin. Its member functions are in one
// file per group of extension points.
#pragma once

#include <memory>

#include "registered.hpp"

namespace libsched::capi {

class Verdicts;

// Limits are checked after this many calls of a slot that runs node by node.
constexpr uint32_t kLook = 64;

class ForeignPlugin final : public Plugin {
 public:
  ForeignPlugin(std::shared_ptr<const Registered> r, void* instance);
  ForeignPlugin(const ForeignPlugin&) = delete;
  ForeignPlugin& operator=(const ForeignPlugin&) = delete;
  ~ForeignPlugin() override;

  Str instance_name() const override { return instance_name_; }
  Threading threading() const override { return r_->threading(); }
  void thread_attach() const override;
  void thread_detach() const override;
  bool foreign() const override { return true; }

  // filter.cpp
  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override;
  bool extends() const override { return slots().add_pod != nullptr; }
  Status add_pod(const PodChange& change) const override;
  Status remove_pod(const PodChange& change) const override;
  std::shared_ptr<PluginData> prepare(const Call&, const Pod&) const override;
  void filter(const FilterCall& call, const RowSet& set) const override;
  void filter_status(const FilterCall& call, uint32_t row, Status* out) const override;

  // score.cpp
  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>*) const override;
  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override;
  Status score_status(const ScoreCall&, uint32_t) const override;
  bool normalizes() const override { return slots().normalize_score != nullptr; }
  Status normalize(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override;

  // queue.cpp
  bool less(const QueuedPod& a, const QueuedPod& b) const override;
  Status pre_enqueue(const Call& call, const Pod& pod) const override;
  bool signs() const override { return slots().sign != nullptr; }
  Status sign(const View& view, const Pod& pod,
              std::vector<SignFragment>* fragments) const override;

  // binding.cpp
  Status post_filter(const PostFilterCall& call, std::optional<Nomination>* out) const override;
  Status reserve(const ReserveCall& call) const override;
  Steps<> unreserve(const ReserveCall& call) const override;
  Status permit(const BindingCall& call, int64_t* timeout_ns) const override;
  Status pre_bind_pre_flight(const BindingCall& call, bool* allow_parallel) const override;
  Steps<Status> pre_bind(const BindingCall& call) const override;
  Steps<Status> bind(const BindingCall& call) const override;
  void post_bind(const BindingCall& call) const override;

  // events.cpp
  bool registers_events() const override { return slots().events_to_register != nullptr; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override;
  Result<QueueingHint> hint(size_t index, const View& view, const Pod& pod,
                            const ObjectChange& change) const override;
  bool subscribes() const override;
  void on_event(Services& services, const View& view, const ObjectChange& change) const override;
  void forked(const View& view) const override;
  void reverted(const View& view) const override;
  void committed(const View& view) const override;

 private:
  using Change = decltype(libsched_plugin::add_pod);

  const libsched_plugin& slots() const { return r_->slots; }
  void* self() const { return instance_ == nullptr ? r_->user_data : instance_; }
  Status changed(Change slot, const SlotCodes& may, const PodChange& change) const;
  void filter_each(const FilterCall& call, const RowSet& set, const Verdicts& verdicts) const;
  void filter_batch(const FilterCall& call, const RowSet& set, const Verdicts& verdicts) const;

  std::shared_ptr<const Registered> r_;
  void* instance_;
  std::string instance_name_;
};

}  // namespace libsched::capi
