// Handles lent to a plugin's slots, which are valid until the slot returns, as Python
// objects that detect a later use.
#pragma once

#include <type_traits>

#include "binding.hpp"

namespace libsched {

// NULL once the slot has returned.
template <typename T>
struct Lent {
  const T* handle = nullptr;

  const T* get() const {
    if (handle == nullptr) {
      raise(LIBSCHED_ERR_MISUSE, "this is lent to a plugin's method, which has returned");
    }
    return handle;
  }
};
using LentNodeInfo = Lent<libsched_node_info>;
using LentNodeSet = Lent<libsched_node_set>;
using LentChange = Lent<libsched_object_change>;
LentNodeInfo wrapper_of(Of<libsched_node_info>);
LentNodeSet wrapper_of(Of<libsched_node_set>);
LentChange wrapper_of(Of<libsched_object_change>);

// Owned by the caller (`handle`), or lent to PostFilter.
struct NodeStatuses {
  NodeStatusesHandle handle;
  Lent<libsched_node_statuses> lent;
  const libsched_view* view = nullptr;  // the view of a lent object

  const libsched_node_statuses* get() const { return handle ? handle.get() : lent.get(); }
};

NodeStatuses wrapper_of(Of<libsched_node_statuses>);

// Makes Python objects of the package around handles; the package's functions are looked up once.
class Wrappers {
 public:
  static const Wrappers& get();

  py::handle pod, node_info, node_set, state, statuses, change, scores, queued, events, signature,
      handle, view, failure;

 private:
  Wrappers();
};

// Tells whether the Python object around it has no state of its own.
template <typename Core>
inline constexpr bool kReusable = !std::is_same_v<Core, LentNodeSet>;

// A Python object around a lent handle, which it loses when the slot returns. An object that is not
// kept is reused for this thread's next slot, because making it costs more than the call.
template <typename Core>
class Loan {
 public:
  template <typename Set>
  Loan(py::handle wrap, Set&& set);
  ~Loan();
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  PyObject* ptr() const { return python_.ptr(); }

 private:
  struct Kept {
    PyObject* python = nullptr;
    Core* core = nullptr;
  };
  static Kept& kept() {
    thread_local Kept one;
    return one;
  }
  py::object python_;
  Core* core_ = nullptr;
};

inline void take_away(CycleState& state) { state.lent = nullptr; }
inline void take_away(NodeStatuses& statuses) { statuses.lent.handle = nullptr; }
template <typename T>
void take_away(Lent<T>& lent) {
  lent.handle = nullptr;
}

template <typename Core>
template <typename Set>
Loan<Core>::Loan(py::handle wrap, Set&& set) {
  Kept& spare = kept();
  if (spare.python != nullptr) {
    python_ = py::reinterpret_steal<py::object>(std::exchange(spare.python, nullptr));
    core_ = spare.core;
  } else {
    auto made = std::make_unique<Core>();
    core_ = made.get();
    python_ = call(wrap, py::cast(std::move(made)));
  }
  set(*core_);
}

template <typename Core>
Loan<Core>::~Loan() {
  take_away(*core_);
  if (kReusable<Core> && Py_REFCNT(python_.ptr()) == 1 && kept().python == nullptr) {
    kept() = {python_.release().ptr(), core_};
  }
}

}  // namespace libsched
