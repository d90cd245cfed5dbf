// VerdictTexts: the oldest go when there are too many; one that is about to go gets a new number
// when it is given again.
#include "libsched/scheduler/sim/verdict_texts.hpp"

#include <utility>

namespace libsched {
namespace {

void append(const std::string& s, std::string* key) {
  key->append(std::to_string(s.size()));
  key->push_back(':');
  key->append(s);
}

}  // namespace

uint32_t VerdictTexts::of(const Status& status) {
  key_.assign(1, 's');
  append(status.plugin, &key_);
  for (const std::string& reason : status.reasons) append(reason, &key_);
  if (const auto there = by_key_.find(key_);
      there != by_key_.end() && first_ + kept_.size() - there->second <= kValid)
    return there->second;
  return number({status.plugin, status.reasons, {}});
}

uint32_t VerdictTexts::of_excluders(const std::vector<std::string>& plugins) {
  key_.assign(1, 'x');
  for (const std::string& plugin : plugins) append(plugin, &key_);
  if (const auto there = by_key_.find(key_);
      there != by_key_.end() && first_ + kept_.size() - there->second <= kValid)
    return there->second;
  return number({{}, {}, plugins});
}

uint32_t VerdictTexts::number(Texts texts) {
  const auto next = static_cast<uint32_t>(first_ + kept_.size());
  const auto [at, fresh] = by_key_.try_emplace(key_, next);
  try {
    kept_.push_back({std::move(texts), &at->first});
  } catch (...) {
    if (fresh) by_key_.erase(at);
    throw;
  }
  at->second = next;
  if (kept_.size() > 2 * size_t{kValid}) {
    const auto oldest = by_key_.find(*kept_.front().key);
    if (oldest->second == first_) by_key_.erase(oldest);
    kept_.pop_front();
    ++first_;
  }
  return next;
}

}  // namespace libsched
