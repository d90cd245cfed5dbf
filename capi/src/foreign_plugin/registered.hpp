// A registered libsched_plugin, and the calls of its slots.
//
// A slot must not release borrowed handles. Builds that check handles detect this for every handle
// (Borrowing). Other builds give the status and the state of a call one more reference while a slot
// runs, so that a release frees nothing; it is detected if only the caller holds another reference.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../handles.hpp"
#include "libsched/base/call_lock.hpp"
#include "libsched/framework/foreign_call.hpp"
#include "slot_codes.hpp"

namespace libsched::capi {

// A deep copy of the struct; destroys user_data with the last reference.
struct Registered {
  libsched_plugin slots{};
  std::string name;
  std::vector<std::string> reasons;
  void* user_data = nullptr;
  // Serialises calls unless the plugin is concurrent. Recursive: a slot may use an evaluator of its
  // own whose framework also has this plugin.
  mutable CallLock mutex;
  std::shared_ptr<void> library;  // the shared object that the slots are in; closed last

  Registered() = default;
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered() {
    if (slots.destroy != nullptr) slots.destroy(user_data);
  }

  Status nonsense(const std::string& what) const {
    return Status(Code::kError, "plugin \"" + name + "\" " + what);
  }
  // Makes an answer an Error if the slot may not give it.
  static void check(const SlotCodes& may, Status* answer) {
    if (answer->success()) return;
    if (std::string wrong = may.objection(*answer); !wrong.empty())
      *answer = Status(Code::kError, std::move(wrong));
  }
  Plugin::Threading threading() const {
    if ((slots.flags & LIBSCHED_PLUGIN_CALLER_THREAD) != 0) return Plugin::Threading::kCallerThread;
    return (slots.flags & LIBSCHED_PLUGIN_CONCURRENT) != 0 ? Plugin::Threading::kConcurrent
                                                           : Plugin::Threading::kSerialised;
  }
  // Guards every call of a slot.
  class Inside {
   public:
    explicit Inside(const Registered& r) : call_(r.threading()) {
      if ((r.slots.flags & LIBSCHED_PLUGIN_CONCURRENT) == 0) lock_ = std::unique_lock(r.mutex);
    }

   private:
    ForeignCall call_;
    std::unique_lock<CallLock> lock_;
  };
  Inside serialise() const { return Inside(*this); }
};

// Guards the calls of a slot without a result to check.
class SilentCall {
 public:
  explicit SilentCall(const Registered& r) : lock_(r.serialise()) {}

 protected:
  Registered::Inside lock_;
  [[no_unique_address]] Borrowing borrowing_;
};

// Guards the calls of a slot, including calls for many nodes in turn.
class SlotCall : SilentCall {
 public:
  explicit SlotCall(const Registered& r, CycleState* state = nullptr)
      : SilentCall(r), r_(r), state_(state) {
    object_->ref();
    if (state_ != nullptr) state_->ref();
  }
  ~SlotCall() {
    if (state_ != nullptr) state_->unref();
  }
  SlotCall(const SlotCall&) = delete;
  SlotCall& operator=(const SlotCall&) = delete;

  libsched_status* status() { return wrap(object_.get()); }
  void reset() { object_->blank()->reset(); }

  // Whether a slot returned a valid Success; anything else that it wrote is then ignored.
  bool succeeded(int32_t code) {
    return code == static_cast<int32_t>(Code::kSuccess) && !object_->unique() &&
           (state_ == nullptr || !state_->unique()) && !object_->out_of_memory &&
           !borrowing_.has_released();
  }
  // The answer of a slot, or an Error that names the plugin if the answer is invalid.
  Status finish(int32_t code) {
    if (const char* given_back = borrowing_.released())
      return r_.nonsense("released " + std::string(given_back) + " that it had borrowed");
    if (object_->unique()) {
      object_->ref();
      return r_.nonsense("released a status that it had borrowed");
    }
    if (state_ != nullptr && state_->unique()) {
      state_->ref();
      return r_.nonsense("released a cycle state that it had borrowed");
    }
    if (object_->out_of_memory) {
      object_->assign(Status());
      return Status::from_error(std::string(kOutOfMemory));
    }
    if (code_name(static_cast<Code>(code)) == nullptr)
      return r_.nonsense("returned the unknown code " + std::to_string(code));
    object_->status.code = static_cast<Code>(code);
    return std::move(object_->status);
  }
  Status finish(int32_t code, const SlotCodes& may) {
    Status answer = finish(code);
    Registered::check(may, &answer);
    return answer;
  }

 private:
  const Registered& r_;
  CycleState* state_;
  Lent<StatusObject> object_;
};

}  // namespace libsched::capi
