// Instances of plugins: when they are asked, and what their failures mean.
#include "net/src/remote/instance.hpp"

#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

constexpr size_t kMostKeys = 65536, kMostKeyBytes = size_t{64} << 20;

Result<Instance::QueueKey> key_of(const Said& said) {
  const std::string_view list = said.find("key");
  if (!is_list(list)) return invalid("key", "expected a list");
  Instance::QueueKey key;
  for (JsonWalk walk(list); walk.next();) {
    if (key.size() == kMostEntries)
      return invalid("key", "more than " + std::to_string(kMostEntries));
    const std::string_view part = walk.value;
    uint64_t large = 0;
    if (is_text(part)) {
      key.emplace_back(json_string(part));
    } else if (auto number = number_of(part, "key"); number.ok()) {
      key.emplace_back(Instance::Whole(*number >= 0, static_cast<uint64_t>(*number)));
    } else if (read_whole(part, &large)) {
      key.emplace_back(Instance::Whole(true, large));
    } else {
      return invalid("key", "expected texts and whole numbers");
    }
  }
  return key;
}

}  // namespace

Instance::Instance(const Registration& registration, std::string args)
    : registration_(registration),
      options_(registration.options),
      description_(registration.description),
      state_key_("libsched.net/" + registration.options.name) {
  options_.args = std::move(args);
}

Result<void> Instance::begin() {
  auto described = make_channel(options_, nullptr)->describe();
  if (described.ok()) {
    const Description& first = registration_.description;
    if (described->points != first.points || described->reasons != first.reasons ||
        described->has_events != first.has_events ||
        described->instance_name.empty() != first.instance_name.empty())
      return told(Error{Rc::kInvalid, "the plugin describes itself differently than before"});
    description_ = std::move(*described);
  } else if (!ignorable() || described.error().rc == Rc::kPlugin) {
    return told(described.error());
  }
  ledger_ = std::make_shared<Ledger>(description_.state);
  channel_ = make_channel(options_, &description_);
  return {};
}

void Instance::look_at_clock(const libsched_cycle_state* state) {
  libsched_evaluator* const asker = libsched_cycle_state_evaluator(state);
  if (asker == nullptr) return;
  libsched_clock* const clock = libsched_services_clock(libsched_evaluator_services(asker));
  if (clock == nullptr || clock == clock_.get()) return;
  clock_.reset(libsched_clock_ref(clock));
}

int64_t Instance::now() const { return libsched_clock_now(clock_.get()); }

Result<void> Instance::prepare(Question* question, const libsched_cycle_state* state) {
  if (state != nullptr) {
    look_at_clock(state);
    question->state = state_of(state, state_key_, ledger_);
    if (question->state == nullptr) return Error{Rc::kNoMemory, "out of memory"};
  }
  switch (breaker_.state(now(), std::chrono::steady_clock::now())) {
    case Breaker::State::kClosed: break;
    case Breaker::State::kOpen: return Error{Rc::kIo, breaker_.refusal()};
    case Breaker::State::kTrial:
      if (auto healthy = channel_->check_health(); !healthy.ok()) {
        Error error = healthy.error();
        breaker_.failed(now(), std::chrono::steady_clock::now(), error.text());
        return error;
      }
  }
  return {};
}

Error Instance::failed(Error error) {
  if (error.rc == Rc::kDeadline) {
    const int64_t ns = options_.timeout_ns;
    error.message = "there was no answer within " + (ns % 1'000'000'000 == 0
                                                         ? std::to_string(ns / 1'000'000'000) + "s"
                                                         : std::to_string(ns / 1'000'000) + "ms");
  }
  // A lost state follows from an earlier failure, and memory is no fault of the plugin.
  if (error.rc != Rc::kState && error.rc != Rc::kNoMemory)
    breaker_.failed(now(), std::chrono::steady_clock::now(), error.text());
  return told(std::move(error));
}

Error Instance::told(Error error) const {
  std::string text = error.text();
  if (error.rc == Rc::kPlugin) return error;  // its own words
  if (!text.starts_with("Post \"")) text = registration_.address + ": " + text;
  return {error.rc, std::move(text), {}, registration_.options.name};
}

std::shared_ptr<const Instance::QueueKey> Instance::queue_key(const libsched_pod* pod) {
  const auto found = queue_keys_.find(pod);
  if (found != queue_keys_.end()) return found->second.key;
  Question question;
  question.point = Point::kQueueSort;
  question.pod = pod;
  size_t bytes = 0;
  auto key = ask(question, nullptr, [&](const Question&, Answer& answer) {
    bytes = answer.text->size();
    return key_of(answer.said);
  });
  if (!key.ok()) return std::make_shared<QueueKey>();  // asked again next time
  if (queue_keys_.size() >= kMostKeys || queue_key_bytes_ + bytes > kMostKeyBytes) {
    queue_keys_.clear();
    queue_key_bytes_ = 0;
  }
  queue_key_bytes_ += bytes;
  auto made = std::make_shared<const QueueKey>(std::move(*key));
  queue_keys_.emplace(pod, Key{held(pod), made});
  return made;
}

}  // namespace libsched::remote
