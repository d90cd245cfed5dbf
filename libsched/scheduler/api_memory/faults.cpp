// See faults.hpp.
#include "libsched/scheduler/api_memory/faults.hpp"

#include <utility>

#include "libsched/base/mutex.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/framework/tasks.hpp"

namespace libsched {

bool Faults::may_be_slow() const {
  for (const Used& used : faults_)
    if (used.fault.slow_ns > 0) return true;
  return options_.slow_rate > 0 && options_.most_slow_ns > 0;
}

Faults::Choice Faults::choose(ApiVerb verb, const std::string& key) {
  for (Used& used : faults_) {
    const ApiFault& f = used.fault;
    if (f.verb && *f.verb != verb) continue;
    if (!f.key.empty() && f.key != key) continue;
    if (f.times != 0 && used.times >= f.times) continue;
    ++used.times;
    return {f.error, f.slow_ns};
  }
  Choice out;
  if (options_.rate > 0 && draw() < options_.rate) {
    constexpr const char* kErrors[] = {"conflict", "notFound", "timeout", "the server is broken"};
    out.error = kErrors[random_() % 4];
  }
  if (options_.slow_rate > 0 && draw() < options_.slow_rate)
    out.slow_ns = static_cast<int64_t>(draw() * static_cast<double>(options_.most_slow_ns));
  return out;
}

Faults::Call Faults::call_of(ApiVerb verb, const std::string& key) {
  const void* const task = Tasks::current();
  return {task, task == nullptr ? thread_number() : 0, verb, key};
}

Faults::Choice Faults::begin(ApiVerb verb, const std::string& key) {
  Choice choice = choose(verb, key);
  begun_[call_of(verb, key)] = choice;
  return choice;
}

Faults::Choice Faults::take(ApiVerb verb, const std::string& key) {
  const auto found = begun_.find(call_of(verb, key));
  if (found == begun_.end()) return choose(verb, key);
  Choice choice = std::move(found->second);
  begun_.erase(found);
  return choice;
}

Error api_error(const std::string& error, Str resource, Str name) {
  const std::string what(resource);
  if (error == "conflict")
    return {Rc::kExists, "Operation cannot be fulfilled on " + what + " " + go_quote(name) +
                             ": the object has been modified"};
  if (error == "notFound") return {Rc::kNotFound, what + " " + go_quote(name) + " not found"};
  if (error == "timeout") return {Rc::kDeadline, "Timeout: request did not complete"};
  return {Rc::kInternal, error};
}

}  // namespace libsched
