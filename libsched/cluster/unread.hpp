// Unread: an answer about a state that is worked out when somebody reads it, at the latest before
// the state changes.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace libsched {

class Unread {
 public:
  virtual ~Unread() = default;
  // Works the answer out, if that has not happened yet. Throws if memory runs out; may then be
  // called again.
  virtual void finish() = 0;
};

// The answers about one state. Belongs to the state's writer; answers may end on any thread.
class UnreadAnswers {
 public:
  void add(const std::shared_ptr<Unread>& answer) {
    // Those that have ended make room first, so the list does not grow with the number of answers.
    if (list_.size() == list_.capacity()) std::erase_if(list_, [](auto& a) { return a.expired(); });
    list_.push_back(answer);
  }
  bool empty() const { return list_.empty(); }
  // If this throws, nothing is lost: all that is not finished yet is still listed.
  void finish() {
    for (const std::weak_ptr<Unread>& answer : list_)
      if (const std::shared_ptr<Unread> there = answer.lock()) there->finish();
    list_.clear();
  }

 private:
  std::vector<std::weak_ptr<Unread>> list_;
};

}  // namespace libsched
