// Unread: an answer about a state that is computed when it is read, at the latest before the state
// changes.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace libsched {

class Unread {
 public:
  virtual ~Unread() = default;
  // Computes the answer unless that has been done. Throws if memory runs out; it may then be called
  // again.
  virtual void finish() = 0;
};

// The answers about one state. Belongs to the state's writer; answers may be destroyed on any
// thread.
class UnreadAnswers {
 public:
  void add(const std::shared_ptr<Unread>& answer) {
    // Destroyed answers are removed first, so the list does not grow with the total number of
    // answers.
    if (list_.size() == list_.capacity()) std::erase_if(list_, [](auto& a) { return a.expired(); });
    list_.push_back(answer);
  }
  bool empty() const { return list_.empty(); }
  // If this throws, unfinished answers are still listed.
  void finish() {
    for (const std::weak_ptr<Unread>& answer : list_)
      if (const std::shared_ptr<Unread> there = answer.lock()) there->finish();
    list_.clear();
  }

 private:
  std::vector<std::weak_ptr<Unread>> list_;
};

}  // namespace libsched
