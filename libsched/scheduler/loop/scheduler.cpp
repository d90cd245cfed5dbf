// Scheduler: its parts, and the passing of time.
#include "libsched/scheduler/loop/scheduler.hpp"

#include <algorithm>
#include <mutex>

#include "libsched/scheduler/loop/callbacks.hpp"
#include "libsched/scheduler/loop/flight.hpp"
#include "libsched/scheduler/loop/group_trial.hpp"
#include "libsched/scheduler/loop/logged_api.hpp"
#include "libsched/scheduler/loop/turning_api.hpp"

namespace libsched {
namespace {

// How often pods on Permit are looked at on a clock that is not virtual.
constexpr int64_t kPermitPollNs = 10'000'000;
// How often a wait looks whether it was cancelled, likewise.
constexpr int64_t kCancelPollNs = 20'000'000;
// A limit of one wait in stop().
constexpr int64_t kStopPollNs = 1'000'000'000;

}  // namespace

Result<Ref<Scheduler>> Scheduler::create(const std::vector<FrameworkRef>& profiles,
                                         Ref<Cluster> cluster, Ref<Clock> clock, Ref<ApiClient> api,
                                         const SchedulerOptions& options) {
  Ref<Scheduler> made =
      Ref<Scheduler>::adopt(new Scheduler(std::move(cluster), std::move(clock), options));
  LIBSCHED_TRY(made->build(profiles, api));
  return made;
}

Scheduler::Scheduler(Ref<Cluster> cluster, Ref<Clock> clock, const SchedulerOptions& options)
    : cluster_(std::move(cluster)), options_(options), pods_(*cluster_) {
  virtual_clock_ = Ref<VirtualClock>::share(dynamic_cast<VirtualClock*>(clock.get()));
  services_ = make_ref<Services>(std::move(clock));
}

Result<void> Scheduler::build(const std::vector<FrameworkRef>& profiles,
                              const Ref<ApiClient>& given) {
  const Ref<Clock> clock = services_->clock_ref();
  if (!virtual_clock_ && options_.binding_threads != 0) threads_ = make_ref<BindingThreads>();
  const Callbacks callbacks(cluster_, baton());
  // A MemoryApi runs no code of the user, so it needs no wrapper that protects the cluster
  // meanwhile.
  Ref<ApiClient> api = given;
  if (dynamic_cast<MemoryApi*>(api.get()) == nullptr) api = make_ref<CalledApi>(given, callbacks);
  if (options_.observer)
    options_.observer = std::make_shared<CalledObserver>(options_.observer, callbacks);
  if (options_.logger) options_.logger = std::make_shared<CalledLogger>(options_.logger, callbacks);
  log_ = Log(options_.logger.get(), clock.get());
  const auto logged = [&](Ref<ApiClient> client) {
    if (!options_.logger) return client;
    logged_api_ = make_ref<LoggedApi>(std::move(client), log_);
    return Ref<ApiClient>(logged_api_);
  };
  if (virtual_clock_) {
    if (virtual_clock_->has_sleeper())
      return Error{Rc::kState, "the clock drives another scheduler"};
    turns_ = make_ref<Turns>(
        virtual_clock_, [this] { catch_up(); },
        [this](const std::function<void()>& calls) {
          const Cluster::Released released(cluster_.get());
          calls();
        });
    services_ = make_ref<Services>(clock, logged(make_ref<TurningApi>(api, turns_, clock, nullptr)),
                                   clock, turns_);
  } else if (threads_) {
    shared_pods_.emplace(pods_, threads_->baton());
    services_ = make_ref<Services>(
        clock, logged(make_ref<TurningApi>(api, threads_, clock, &threads_->baton())), clock,
        threads_);
  } else {
    services_ = make_ref<Services>(clock, logged(api));
  }
  if (turns_) turns_->attach(profiles);
  services_->pods = &pods_;
  if (!threads_) services_->cluster = cluster_.get();
  if (shared_pods_) services_->pods = &*shared_pods_;
  for (const FrameworkRef& framework : profiles) {
    evaluators_.push_back(make_ref<Evaluator>(framework, cluster_));
    LIBSCHED_TRY(evaluators_.back()->use(services_));
    profiles_.push_back(evaluators_.back().get());
  }
  Result<SchedulingQueueRef> queue = SchedulingQueue::create(profiles_, options_.queue);
  if (!queue.ok()) return std::move(queue.error());
  queue_ = std::move(*queue);
  queue_->log_to(log_);
  metrics_ = SchedulerMetrics::create(profiles_);
  for (uint32_t i = 0; i < profiles_.size(); ++i)
    point_times_.push_back(metrics_->observer(i, *clock, options_.cycles));
  if (profiles_[0]->framework().gates().enabled(Gate::kSchedulerAsyncAPICalls)) {
    calls_.emplace(*services_, turns_.get(), threads_ ? &threads_->baton() : nullptr);
    services_->calls = &*calls_;
  }
  handlers_ = std::make_unique<EventHandlers>(cluster_, services_, queue_, pods_, profiles_,
                                              *metrics_, calls_ ? &*calls_ : nullptr, log_);
  lost_ports_ = std::make_shared<LostPorts>();
  cycle_options_.sampling = options_.sampling;
  cycle_options_.ties = options_.ties;
  cycle_options_.seed = options_.seed;
  cycle_options_.node_by_node = options_.node_by_node;
  cycle_options_.handles_failure = false;
  cycle_options_.writer = make_ref<WriterQueue>();
  return threads_ ? begin_threads(profiles) : Result<void>();
}

Result<void> Scheduler::begin_threads(const std::vector<FrameworkRef>& profiles) {
  for (const FrameworkRef& framework : profiles)
    in_line_.push_back(std::any_of(
        framework->plugins().begin(), framework->plugins().end(), [](const auto& instance) {
          return instance.plugin &&
                 instance.plugin->threading() == Plugin::Threading::kCallerThread;
        }));
  const auto progress = [this] {
    const std::lock_guard lock(inbox_mutex_);
    progressed_ = true;
    delivered_.notify_all();
  };
  if (threads_->begin(options_.binding_threads, profiles, progress)) return {};
  return Error{Rc::kLimit, "the system provides no thread for bindings"};
}

Scheduler::~Scheduler() {
  if (turns_) turns_->end();
  if (threads_) {
    cut_off_bindings();
    threads_->end();
  }
  services_->pods = nullptr;
  services_->cluster = nullptr;
  services_->calls = nullptr;
  if (logged_api_) logged_api_->end();
  if (queue_) queue_->log_to({});
}

Result<void> Scheduler::start() {
  LIBSCHED_TRY(queue_->run());
  return queue_->run_due();
}

void Scheduler::deliver(WatchEvent event) {
  {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(std::move(event));
    inbox_size_ = inbox_.size();
  }
  delivered_.notify_all();
}

void Scheduler::check(const Result<void>& result) {
  if (!result.ok() && !failure_) failure_ = result.error();
}

Result<void> Scheduler::take_failure() {
  if (!failure_) return {};
  Error error = std::move(*failure_);
  failure_.reset();
  return error;
}

// Handles what has happened elsewhere. Runs between any two actions, also inside a cycle while an
// API call is made.
void Scheduler::catch_up() {
  if (catching_up_ || failure_ || cluster_->judged()) return;
  catching_up_ = true;
  if (turns_) turns_->release();
  if (threads_) threads_->release();
  // Wake the PreBind plugins of pods that preemption has cancelled.
  if (const uint64_t cancels = services_->pods_in_pre_bind().cancel_count();
      turns_ && cancels != cancels_) {
    cancels_ = cancels;
    turns_->wake_all();
  }
  try {
    handle_events();
    activate();
    if (const std::optional<int64_t> due = queue_->next_due(); due && *due <= now())
      check(queue_->run_due());
    continue_permitted();
  } catch (const std::bad_alloc&) {
    check(Error{Rc::kNoMemory, "out of memory"});
  }
  catching_up_ = false;
}

void Scheduler::handle_events() {
  while (inbox_size_ != 0) {
    WatchEvent event;
    {
      const std::lock_guard lock(inbox_mutex_);
      event = inbox_.front();
    }
    const Result<void> handled = handlers_->handle(event);
    check(handled);
    if (!handled.ok() && (handled.error().rc == Rc::kNoMemory || handled.error().rc == Rc::kMisuse))
      return;
    const std::lock_guard lock(inbox_mutex_);
    inbox_.pop_front();
    inbox_size_ = inbox_.size();
    if (failure_) return;
  }
}

// Activations that run out of memory are kept for the next time; keeping them needs none.
void Scheduler::activate() {
  std::map<std::string, PodRef> activated = services_->take_activated();
  activated.merge(activated_);
  activated_.swap(activated);
  if (activated_.empty()) return;
  std::vector<PodRef> pods;
  for (const auto& [key, pod] : activated_) pods.push_back(pod);
  const Result<void> done = queue_->activate(pods);
  check(done);
  if (done.ok() || done.error().rc != Rc::kNoMemory) activated_.clear();
}

Result<bool> Scheduler::act(bool hold) {
  const auto settle_tasks = [&] {
    if (turns_) return turns_->run_ready();
    if (threads_) {
      threads_->run_ready();
      const std::lock_guard lock(inbox_mutex_);
      progressed_ = false;
    }
    catch_up();
  };
  bool acted = false;
  if (threads_) threads_->baton().adopt();
  try {
    return_interrupted();
    settle_tasks();
    if (failure_) {
    } else if (turns_ && turns_->waiting()) {
      turns_->tick();
      settle_tasks();
      if (turns_->waiting()) turns_->next();
      acted = true;
    } else if (const auto due = std::find_if(
                   sources_.begin(), sources_.end(),
                   [&](const TimeSource* s) { return s->next_due() <= now() && s->next_due(); });
               due != sources_.end()) {
      if (turns_) turns_->tick();
      acted = (*due)->run_due(now());
    } else if (!in_cycle_ && !hold && can_pop()) {
      if (turns_) turns_->tick();
      settle_tasks();
      if (!(turns_ && turns_->waiting()) && can_pop() && !failure_) start_cycle();
      acted = true;
    }
  } catch (const std::bad_alloc&) {
    check(Error{Rc::kNoMemory, "out of memory"});
  }
  LIBSCHED_TRY(take_failure());
  return acted;
}

Result<void> Scheduler::settle(bool hold, size_t max_actions) {
  for (size_t i = 0; i < max_actions; ++i) {
    const Result<bool> acted = act(hold);
    if (!acted.ok()) return acted.error();
    if (!*acted) return {};
  }
  return Error{Rc::kLimit, "there is more to do after " + std::to_string(max_actions) + " actions"};
}

std::optional<int64_t> Scheduler::next_due() const {
  std::optional<int64_t> next;
  const auto earlier = [&](std::optional<int64_t> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (turns_) earlier(turns_->next_wake());
  for (const TimeSource* source : sources_) earlier(source->next_due());
  // While plugins wait in a cycle, catch_up() does nothing.
  if (cluster_->judged()) return next;
  earlier(queue_->next_due());
  for (const FlightRef& f : permitted_) earlier(f->waiting->deadline_ns());
  return next;
}

// Waits until the time, or something is delivered, or a thread has used the scheduler's state.
void Scheduler::wait_until(int64_t time_ns) {
  if (virtual_clock_) return virtual_clock_->advance_to(time_ns);
  if (!permitted_.empty()) time_ns = std::min(time_ns, now() + kPermitPollNs);
  if (threads_) threads_->baton().lend();
  {
    std::unique_lock lock(inbox_mutex_);
    if (inbox_.empty() && !progressed_) services_->clock().wait(delivered_, lock, time_ns);
  }
  if (threads_) threads_->baton().take();
}

// Pods that fail and come back at once would be tried for ever, so the end needs care. A real clock
// is read after each action. A virtual clock may stand still until everything that is due is done;
// past the end, no more pods are taken from the back-off queue.
Result<void> Scheduler::run_until(int64_t time_ns, const std::atomic<bool>* cancel) {
  while (true) {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
      return Error{Rc::kCancelled, "the call was cancelled"};
    const bool hold = virtual_clock_ && now() > time_ns && queue_->active_count() == 0;
    const Result<bool> acted = act(hold);
    if (!acted.ok()) return acted.error();
    if (*acted && (virtual_clock_ || now() < time_ns)) continue;
    if (now() >= time_ns) return {};
    int64_t next = std::clamp(next_due().value_or(time_ns), now(), time_ns);
    if (cancel != nullptr && !virtual_clock_) next = std::min(next, now() + kCancelPollNs);
    wait_until(next);
  }
}

Result<void> Scheduler::stop() {
  if (threads_) cut_off_bindings();
  while (!permitted_.empty() || (turns_ && !turns_->idle()) || (threads_ && !threads_->idle())) {
    for (const FlightRef& f : permitted_) f->waiting->reject({}, kStops);
    LIBSCHED_TRY(settle(true));
    if (const std::optional<int64_t> wake = turns_ ? turns_->next_wake() : std::nullopt)
      wait_until(*wake);
    else if (threads_ && !threads_->idle())
      wait_until(now() + kStopPollNs);
  }
  return queue_->close();
}

}  // namespace libsched
