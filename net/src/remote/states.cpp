// Ids of states, and the ledger of their copies and ends.
#include "net/src/remote/states.hpp"

#include <iterator>
#include <mutex>
#include <random>

#include "net/src/remote/text.hpp"

namespace libsched::remote {
namespace {

constexpr size_t kMostChanges = 65536;

std::string some_session() {
  std::random_device random;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string made;
  for (int part = 0; part < 2; ++part) {
    uint32_t bits = random();
    for (int i = 0; i < 8; ++i, bits >>= 4) made.push_back(kDigits[bits & 15]);
  }
  return made;
}

void* copied(void* data) {
  const auto& state = *static_cast<StateOfPlugin*>(data);
  try {
    auto made = std::make_unique<StateOfPlugin>(state);
    made->id = state.ledger->copy(state.id);
    return made.release();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void ended(void* data) {
  if (data == nullptr) return;
  const std::unique_ptr<StateOfPlugin> state(static_cast<StateOfPlugin*>(data));
  state->ledger->end(state->id);
}

}  // namespace

Ledger::Ledger(bool keeps) : keeps_(keeps), session_(some_session()) {}

std::string Ledger::next() { return session_ + "-" + std::to_string(++last_); }

std::string Ledger::begin() {
  const std::lock_guard lock(mutex_);
  return next();
}

std::string Ledger::copy(const std::string& state) {
  const std::lock_guard lock(mutex_);
  std::string to = next();
  if (keeps_) changes_.push_back({state, to});
  return to;
}

void Ledger::end(const std::string& state) {
  if (!keeps_) return;
  const std::lock_guard lock(mutex_);
  // A copy that the plugin has not heard of yet need not be made at all.
  for (size_t i = changes_.size(); i-- > 0;) {
    if (changes_[i].state == state) break;
    if (changes_[i].to != state) continue;
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
  if (changes_.size() >= kMostChanges) return;  // the plugin is gone, and the state with it
  try {
    changes_.push_back({state, {}});
  } catch (const std::bad_alloc&) {  // the plugin keeps the state for longer
  }
}

std::vector<StateChange> Ledger::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changes_, {});
}

void Ledger::put_back(std::vector<StateChange> changes) {
  const std::lock_guard lock(mutex_);
  changes.insert(changes.end(), std::make_move_iterator(changes_.begin()),
                 std::make_move_iterator(changes_.end()));
  changes_ = std::move(changes);
  if (changes_.size() > kMostChanges) changes_.clear();
}

void Ledger::forget() {
  const std::lock_guard lock(mutex_);
  changes_.clear();
}

StateOfPlugin* state_of(const libsched_cycle_state* state, const std::string& key,
                        const std::shared_ptr<Ledger>& ledger) {
  // Filter and Score lend the state for reading; values under keys may be written at any time.
  auto* const writable = const_cast<libsched_cycle_state*>(state);
  if (void* found = libsched_cycle_state_read(writable, str_of(key)))
    return static_cast<StateOfPlugin*>(found);
  auto made = std::make_unique<StateOfPlugin>();
  made->ledger = ledger;
  made->id = ledger->begin();
  StateOfPlugin* const kept = made.get();
  // The state destroys the value also if it cannot be written.
  if (libsched_cycle_state_write(writable, str_of(key), made.release(), copied, ended, nullptr) !=
      LIBSCHED_OK)
    return nullptr;
  return kept;
}

}  // namespace libsched::remote
