// The codes that the methods of Python plugins may return.
//
// Upstream fails with an empty text, or with Go's "%!w(<nil>)", where a plugin returns a code that
// its point does not know. Here the author hears which codes it does know.
#include <initializer_list>

#include "plugin.hpp"

namespace libsched {
namespace {

constexpr libsched_code kSuccess = LIBSCHED_CODE_SUCCESS, kWait = LIBSCHED_CODE_WAIT,
                        kSkip = LIBSCHED_CODE_SKIP, kPending = LIBSCHED_CODE_PENDING,
                        kUnschedulable = LIBSCHED_CODE_UNSCHEDULABLE,
                        kUnresolvable = LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE;

// In the order in which they are told. An Error needs a reason, so no method returns the bare code.
std::initializer_list<libsched_code> known(Method method) {
  static constexpr std::initializer_list<libsched_code> kNode = {kSuccess, kUnschedulable,
                                                                 kUnresolvable, kPending};
  static constexpr std::initializer_list<libsched_code> kPreFilter = {kSuccess, kUnschedulable,
                                                                      kUnresolvable, kSkip};
  static constexpr std::initializer_list<libsched_code> kPostFilter = {kSuccess, kUnschedulable,
                                                                       kUnresolvable};
  static constexpr std::initializer_list<libsched_code> kPermit = {kSuccess, kUnschedulable,
                                                                   kUnresolvable, kWait, kPending};
  static constexpr std::initializer_list<libsched_code> kBind = {kSuccess, kUnschedulable,
                                                                 kUnresolvable, kSkip, kPending};
  static constexpr std::initializer_list<libsched_code> kSkipped = {kSuccess, kSkip};
  static constexpr std::initializer_list<libsched_code> kOnly = {kSuccess};
  switch (method) {
    case Method::kPreEnqueue:
    case Method::kFilter:
    case Method::kFilterBatch:
    case Method::kReserve:
    case Method::kPreBind: return kNode;
    case Method::kPreFilter: return kPreFilter;
    case Method::kPostFilter: return kPostFilter;
    case Method::kPermit: return kPermit;
    case Method::kBind: return kBind;
    case Method::kPreScore:
    case Method::kPreBindPreFlight: return kSkipped;
    default: return kOnly;
  }
}

std::string name_of(long long code) {
  if (code < kSuccess || code > kPending) return {};
  return libsched_code_name(static_cast<libsched_code>(code));
}

}  // namespace

void check_code(Method method, long long code, const libsched_node_info* node) {
  std::string list;
  for (const libsched_code one : known(method)) {
    if (one == code) return;
    list += (list.empty() ? "" : ", ") + name_of(one);
  }
  const std::string name = name_of(code);
  std::string text = kMethodNames[static_cast<size_t>(method)];
  text += " returned " + (name.empty() ? std::to_string(code) : name);
  if (node != nullptr) {
    text += " for node \"";
    text += to_view(libsched_node_name(libsched_node_info_node(node)));
    text += '"';
  }
  if (name.empty()) throw py::value_error(text + ", which is no Code");
  if (code == LIBSCHED_CODE_ERROR) {
    throw py::value_error(
        text + " without a reason; " +
        (method == Method::kFilterBatch
             ? "return reasons beside the codes; a mask is an array of bool"
             : "raise an exception, or return a Status with one"));
  }
  throw py::value_error(text + "; it may return " + list + " or Error");
}

libsched_code status_from(py::handle result, Method method, libsched_status* status) {
  if (PyLong_Check(result.ptr()) && !PyBool_Check(result.ptr())) {
    int overflow = 0;
    check_code(method, PyLong_AsLongLongAndOverflow(result.ptr(), &overflow));
  }
  return status_from(result, status);
}

}  // namespace libsched
