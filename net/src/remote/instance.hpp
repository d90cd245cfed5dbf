// A plugin in another process, as it is registered, and its instance in one framework.
#pragma once

#include <libsched.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "net/src/remote/answer.hpp"
#include "net/src/remote/breaker.hpp"
#include "net/src/remote/channel.hpp"
#include "net/src/remote/held.hpp"

namespace libsched::remote {

struct Registration {
  ChannelOptions options;  // without args
  std::string address;     // as it was given
  bool ignorable = false;
  Description description;
};

struct ClockUnref {
  void operator()(libsched_clock* clock) const { libsched_clock_unref(clock); }
};

// Slots are serialised by the library, so nothing here is shared.
class Instance {
 public:
  Instance(const Registration& registration, std::string args);

  // Asks the plugin to describe itself for these arguments.
  Result<void> begin();
  const Description& description() const { return description_; }
  bool ignorable() const { return registration_.ignorable; }

  // Asks, and reads the answer by `read`, which returns a Result. An answer that it refuses counts
  // as a failure of the plugin. `state` may be nullptr.
  template <typename Read>
  auto ask(Question question, const libsched_cycle_state* state, Read&& read)
      -> decltype(read(std::declval<const Question&>(), std::declval<Answer&>())) {
    if (auto ready = prepare(&question, state); !ready.ok()) return told(ready.error());
    auto answer = channel_->ask(question, ledger_.get());
    if (answer.ok()) {
      auto columns = read_columns(question, description_, &*answer);
      if (!columns.ok()) answer = columns.error();
    }
    if (!answer.ok()) return failed(answer.error());
    auto result = read(std::as_const(question), *answer);
    if (!result.ok()) return failed(result.error());
    breaker_.succeeded();
    return result;
  }

  // The place of a pod in the queue, which the plugin is asked for once. Whole numbers are before
  // texts; a negative one is before all others.
  using Whole = std::pair<bool, uint64_t>;
  using QueueKey = std::vector<std::variant<Whole, std::string>>;
  std::shared_ptr<const QueueKey> queue_key(const libsched_pod* pod);

  std::string nominated;  // the node of the last nomination, which the library copies

 private:
  Result<void> prepare(Question* question, const libsched_cycle_state* state);
  void look_at_clock(const libsched_cycle_state* state);
  int64_t now() const;
  Error failed(Error error);
  Error told(Error error) const;

  struct Key {
    HeldPod pod;
    std::shared_ptr<const QueueKey> key;
  };

  const Registration& registration_;
  ChannelOptions options_;
  Description description_;
  const std::string state_key_;
  std::shared_ptr<Ledger> ledger_;
  std::unique_ptr<Channel> channel_;
  Breaker breaker_;
  std::unique_ptr<libsched_clock, ClockUnref> clock_;  // the last one seen
  std::unordered_map<const libsched_pod*, Key> queue_keys_;
  size_t queue_key_bytes_ = 0;
};

}  // namespace libsched::remote
