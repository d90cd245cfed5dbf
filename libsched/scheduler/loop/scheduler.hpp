// Scheduler: the queue, the cycles and the handlers of events around a cluster, upstream's
// scheduler.
//
// It belongs to the thread of its cluster, except deliver(). On a virtual clock everything happens
// in an order that the input alone determines: one action at a time, each of which takes a
// microsecond. First come the calls that wait for their turn (turns.hpp), then sources of time,
// then one scheduling cycle. Pods on their way to their nodes are suspended while they wait, and
// have no threads.
//
// On any other clock binding cycles run in line, or on threads of the scheduler's own. These use
// its state while the owner is inside of a call of this class and waits; between calls the owner is
// alone.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/framework/log.hpp"
#include "libsched/framework/time_source.hpp"
#include "libsched/scheduler/cycle.hpp"
#include "libsched/scheduler/loop/api_dispatcher.hpp"
#include "libsched/scheduler/loop/binding_threads.hpp"
#include "libsched/scheduler/loop/event_handlers.hpp"
#include "libsched/scheduler/loop/shared_pods.hpp"
#include "libsched/scheduler/loop/turns.hpp"

namespace libsched {

class GroupCycle;
class LoggedApi;
class LostPorts;
struct GroupNomination;

// Is notified on the thread that runs the scheduler or on one of the scheduler's own, one at a
// time. It may read the cluster and the queue, and change neither.
class SchedulerObserver {
 public:
  virtual ~SchedulerObserver() = default;
  virtual void popped(const QueuedPodInfo&) {}
  // A pod was assumed on `node`; binding it is next.
  virtual void assumed(const QueuedPodInfo&, Str /*node*/) {}
  virtual void bound(const QueuedPodInfo&, Str /*node*/) {}
  // A cycle has failed; `node` is the one that the pod was assumed on, or "".
  virtual void failed(const QueuedPodInfo&, Str /*node*/, const Failure&) {}
};

struct SchedulerOptions {
  QueueOptions queue;
  bool sampling = false;  // as CycleOptions, like the next three
  TieMode ties = TieMode::kUpstream;
  uint64_t seed = 0;
  bool node_by_node = false;
  // On a clock that is not virtual: the number of threads for binding cycles and for the requests
  // of preemption; 0: they run in line. API clients and plugins of the points from PreBind to
  // PostBind are then called by several threads at once, except plugins that insist on the caller's
  // thread: the bindings of their profiles run in line.
  uint32_t binding_threads = 0;
  std::shared_ptr<SchedulerObserver> observer;
  std::shared_ptr<CycleObserver> cycles;
  std::shared_ptr<Logger> logger;
};

class Scheduler final : public RefCounted, public WatchSink {
 public:
  // `profiles` are the frameworks of different profiles; pods of other schedulers are left alone.
  // The API client's calls, except events, come from tasks (framework/tasks.hpp). Errors: those of
  // SchedulingQueue::create(), kState (the clock drives another scheduler), kLimit (the system
  // provides no thread).
  static Result<Ref<Scheduler>> create(const std::vector<FrameworkRef>& profiles,
                                       Ref<Cluster> cluster, Ref<Clock> clock, Ref<ApiClient> api,
                                       const SchedulerOptions& options);
  ~Scheduler() override;

  // Handled before the next action. Any thread may call it.
  void deliver(WatchEvent event) override;

  // Starts the queue's timers, of which one is due at once. Errors: those of
  // SchedulingQueue::run().
  Result<void> start();
  // Not owned; lives as long as this.
  void add(TimeSource* source) { sources_.push_back(source); }

  // All of the following handle what has been delivered, and do what is due. After an error
  // (kNoMemory; kMisuse: plugins are running on the cluster; kLimit: the system provides no thread
  // for a cycle that may wait) they may be called again.
  //
  // Does one action, and returns whether there was one that needs no more time. `hold`: begins no
  // scheduling cycle.
  Result<bool> run_one(bool hold = false) { return act(hold); }
  // Does actions until none is left; does not wait for threads. `hold` as above.
  // kLimit: after `max_actions` there were more.
  Result<void> settle(bool hold, size_t max_actions = SIZE_MAX);
  // Lets time pass and does all that happens meanwhile. On another clock than a virtual one, waits,
  // and ends with the action under way at that time: there may be more to do then. On a virtual
  // clock, pods that come back to the back-off after that time are not tried.
  // `cancel` may be null; it is looked at before each action, and every 20 ms of waiting.
  // kCancelled: it was set.
  Result<void> run_until(int64_t time_ns, const std::atomic<bool>* cancel = nullptr);
  // The next time at which something happens by itself; absent: never.
  std::optional<int64_t> next_due() const;
  // Stops the queue. Pods that wait on Permit are rejected, and binding cycles end. On threads
  // those fail that have not come to Bind: PreBind is cancelled.
  Result<void> stop();

  SchedulingQueue& queue() { return *queue_; }
  const Ref<Services>& services() const { return services_; }
  Cluster& cluster() { return *cluster_; }
  const std::vector<Ref<Evaluator>>& profiles() const { return evaluators_; }
  const KnownPods& pods() const { return pods_; }
  // All of its metrics (scheduler_metrics.hpp) as text, between two runs.
  std::string metrics_text() const { return metrics_->text(*services_, *queue_, *cluster_); }
  bool in_cycle() const { return in_cycle_; }  // it waits for a slow call
  // Binding cycles that have begun but not ended; pods that wait on Permit are in one.
  size_t binding_count() const { return metrics_->binding_count(); }
  // Whether the calling thread works for this scheduler, as in a slot or an API call of a binding
  // cycle: such a thread must not run it, also not while nothing else does.
  bool owns_this_thread() const { return threads_ && threads_->include_this_thread(); }
  size_t task_count() const { return threads_ ? threads_->count() : 0; }  // under way on threads

 private:
  // The pods of a PodGroup, or of a tree of groups, in their cycle.
  struct Group;
  struct Subgroup;
  struct Member;
  struct GroupResult;
  using GroupResults = std::map<const Subgroup*, GroupResult>;
  // A pod on its way from the queue to its node.
  struct Flight;
  using FlightRef = std::shared_ptr<Flight>;

  Scheduler(Ref<Cluster> cluster, Ref<Clock> clock, const SchedulerOptions& options);
  Result<void> build(const std::vector<FrameworkRef>& profiles, const Ref<ApiClient>& given);
  Result<void> begin_threads(const std::vector<FrameworkRef>& profiles);
  int64_t now() const { return services_->clock().now_ns(); }

  // scheduler.cpp
  void catch_up();
  void handle_events();
  Result<bool> act(bool hold);
  void wait_until(int64_t time_ns);
  void check(const Result<void>& result);  // keeps an error for the caller of the run
  Result<void> take_failure();

  // schedule_pod.cpp
  bool can_pop() const;
  void start_cycle();
  void left_queue(const Pod& pod);  // into a cycle
  void run_cycle(QueuedPodRef queued);
  Steps<> run_cycle_apart(QueuedPodRef queued);
  void cycle(const QueuedPodRef& queued);
  FlightRef new_flight(const QueuedPodRef& queued) const;
  void start_flight(const FlightRef& flight, Scheduling& outcome);
  void finish(const Pod& pod);
  // The arguments outlive the steps.
  Steps<> handle_failure(const QueuedPodRef& queued, const PodRef& pod, Str node,
                         const Failure& failure);
  void log_failure(const Pod& pod, const Pod* known, const Failure& failure) const;
  void log_patch(const Pod& pod, const Failure& failure) const;
  void return_interrupted();
  void activate();

  // schedule_group.cpp
  bool in_group(const Pod& pod) const;
  void cycle_group(const QueuedPodRef& first);
  bool pull_members(Group& group);
  bool choose_profile(Group& group);
  void skip_members(Group& group);
  void try_members(Group& group);
  void seat_members(Group& group);
  void take_back(Group& group, size_t left = 0);
  void submit(Group& group);
  void patch_condition(const Group& group, const Subgroup& of);
  bool commit_member(const Group& group, Member& m);
  void log_group(const Group& group, const Subgroup& of, size_t scheduled) const;
  void fail_member(Member& m, const Failure& failure);
  void finish_member(Member& m);
  void fail_group(const Failure& failure);
  void count_attempt(const Group& group);

  void try_together(Group& group, const Subgroup& of, GroupResults* results);

  // place_group.cpp
  using TryGroup = void (Scheduler::*)(Group& group, const Subgroup& of, GroupResults* results);
  void try_placements(Group& group, const Subgroup& of, TryGroup within, GroupResults* results);
  template <typename F>
  static void each_trial(const Subgroup& of, const GroupResults& results, F&& f);
  Status assume_again(Group& group, const Subgroup& of, const GroupResults& results);
  void take_results(Group& group, Subgroup& of, Subgroup* parent, GroupResults* results);

  // schedule_entity.cpp
  void cycle_entity(const QueuedPodRef& entity);
  static std::vector<const Subgroup*> by_name(Subgroup& root);
  Subgroup grow_tree(const PodGroup& group) const;
  std::string refuse_entity(const Group& group) const;
  Status place_entity(Group& group);
  GroupResults try_entity(Group& group);
  void try_group(Group& group, const Subgroup& of, GroupResults* results);
  void try_feasible(Group& group, const Subgroup& of, GroupResults* results);
  void try_children(Group& group, const Subgroup& of, GroupResults* results);
  SchedulingOptions trial_options(const Group& group) const;
  Ref<Scheduling> try_member(Group& group, const Member& m, int64_t* took_ns);
  void make_room(Group& group, std::vector<GroupNomination>* nominations);
  void evict_for(Group& group);
  void submit_members(Group& group, const Subgroup& of);

  // bind_pod.cpp
  void start_binding(const FlightRef& flight);
  Steps<> fly(FlightRef flight);
  Steps<> begin_binding(const FlightRef& flight);
  Steps<> finish_binding(const FlightRef& flight);
  Steps<> fail_binding(Flight& flight, const Failure& failure);
  void interrupt(const FlightRef& flight);
  void continue_permitted();
  bool on_thread(const Flight& flight) const;
  Steps<> hold();
  Baton* baton() const { return threads_ ? &threads_->baton() : nullptr; }
  Steps<std::optional<Failure>> run_points(Flight& flight);
  Steps<std::optional<Failure>> run_points_on_thread(Flight& flight);
  void cut_off_bindings();
  static constexpr const char* kStops = "the scheduler stops";

  Ref<Cluster> cluster_;
  SchedulerOptions options_;
  SchedulingOptions cycle_options_;
  Log log_;
  Ref<LoggedApi> logged_api_;        // null: nothing is logged
  Ref<VirtualClock> virtual_clock_;  // null: another clock
  Ref<Turns> turns_;                 // null, likewise
  Ref<BindingThreads> threads_;      // null: bindings run in line, or in turns
  Ref<Services> services_;
  std::vector<Ref<Evaluator>> evaluators_;
  std::vector<Evaluator*> profiles_;
  std::vector<bool> in_line_;  // by profile: a plugin insists on the caller's thread
  SchedulingQueueRef queue_;
  KnownPods pods_;
  std::optional<SharedPods> shared_pods_;  // with threads
  std::shared_ptr<SchedulerMetrics> metrics_;
  std::vector<std::shared_ptr<CycleObserver>> point_times_;  // by profile
  std::optional<ApiDispatcher> calls_;                       // with SchedulerAsyncAPICalls
  std::unique_ptr<EventHandlers> handlers_;
  std::vector<TimeSource*> sources_;
  std::vector<FlightRef> permitted_;         // wait on Permit
  std::vector<const Flight*> binding_;       // with threads: between PreBind and PostBind
  bool stopping_ = false;                    // bindings on threads fail before PreBind
  QueuedPodRef popped_;                      // its cycle has begun, but not ended
  std::shared_ptr<LostPorts> lost_ports_;    // by trials of groups
  std::shared_ptr<Group> group_;             // likewise, with the popped pod's group
  std::map<std::string, PodRef> activated_;  // by plugins, and not yet in the queue
  FlightRef interrupted_;                    // a list of those whose binding has run out of memory
  bool in_cycle_ = false;
  bool catching_up_ = false;
  uint64_t cancels_ = 0;          // of pods in PreBind, before the last catch_up()
  std::optional<Error> failure_;  // of an action, for its caller

  Mutex inbox_mutex_;
  Signal delivered_;
  std::deque<WatchEvent> inbox_;
  std::atomic<size_t> inbox_size_{0};
  bool progressed_ = false;  // a thread has used the state since act() caught up
};
using SchedulerRef = Ref<Scheduler>;

}  // namespace libsched
