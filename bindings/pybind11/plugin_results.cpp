// Converts the results of the methods of Python plugins for the C API.
//
// None and True are Success; False and a text are Unschedulable, with the text as the reason; Codes
// and Statuses stand for themselves. Numbers and arrays use the buffer protocol.
#include <cmath>
#include <cstring>

#include "plugin.hpp"

namespace libsched {
namespace {

constexpr int8_t kFits = LIBSCHED_CODE_SUCCESS, kRejected = LIBSCHED_CODE_UNSCHEDULABLE;

[[noreturn]] void wrong_type(const char* expected, py::handle got) {
  PyErr_Format(PyExc_TypeError, "%s was expected, not %.200s", expected,
               Py_TYPE(got.ptr())->tp_name);
  throw py::error_already_set();
}

[[noreturn]] void wrong_value(const std::string& what) { throw py::value_error(what); }

// One-dimensional numbers of any common type.
class ResultNumbers {
 public:
  ResultNumbers(py::handle source, size_t count, const char* what) {
    if (PyObject_CheckBuffer(source.ptr()) == 0 ||
        PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
      PyErr_Clear();
      list_ = py::reinterpret_steal<py::object>(PySequence_Fast(source.ptr(), ""));
      if (!list_) {
        PyErr_Clear();
        wrong_type(what, source);
      }
      check(static_cast<size_t>(PySequence_Fast_GET_SIZE(list_.ptr())), count, what);
      return;
    }
    exported_ = true;
    if (buffer_.ndim != 1) wrong_value(std::string(what) + ": one dimension was expected");
    check(static_cast<size_t>(buffer_.shape[0]), count, what);
    const char* format = buffer_.format == nullptr ? "B" : buffer_.format;
    while (*format == '@' || *format == '=' || *format == '<') ++format;
    kind_ = *format;
  }
  ~ResultNumbers() {
    if (exported_) PyBuffer_Release(&buffer_);
  }
  ResultNumbers(const ResultNumbers&) = delete;
  ResultNumbers& operator=(const ResultNumbers&) = delete;

  bool is_mask() const { return kind_ == '?'; }
  bool is_buffer() const { return exported_; }
  bool is_floats() const { return kind_ == 'e' || kind_ == 'f' || kind_ == 'd' || kind_ == 'g'; }
  // The bytes of a mask that lie one after the other; null: they do not.
  const char* plain_mask() const {
    return is_mask() && buffer_.strides[0] == 1 ? static_cast<const char*>(buffer_.buf) : nullptr;
  }
  py::handle item(size_t i) const {
    return PySequence_Fast_GET_ITEM(list_.ptr(), static_cast<Py_ssize_t>(i));
  }

  // Calls f(i, number) for all numbers, each in its stored type.
  template <typename F>
  void for_each(size_t count, F&& f) const {
    switch (kind_) {
      case '?':
      case 'b': return each<int8_t>(count, f);
      case 'B': return each<uint8_t>(count, f);
      case 'h': return each<int16_t>(count, f);
      case 'H': return each<uint16_t>(count, f);
      case 'i': return each<int32_t>(count, f);
      case 'I': return each<uint32_t>(count, f);
      case 'l':
      case 'q': return each<int64_t>(count, f);
      case 'L':
      case 'Q': return each<uint64_t>(count, f);
      case 'f': return each<float>(count, f);
      case 'd': return each<double>(count, f);
      default: wrong_value(std::string("an array of numbers was expected, not of format ") + kind_);
    }
  }

 private:
  static void check(size_t got, size_t count, const char* what) {
    if (got != count) {
      wrong_value(std::string(what) + ": " + std::to_string(got) + " for " + std::to_string(count) +
                  " nodes");
    }
  }
  template <typename T, typename F>
  void each(size_t count, F& f) const {
    const char* at = static_cast<const char*>(buffer_.buf);
    const Py_ssize_t stride = buffer_.strides[0];
    if (stride == static_cast<Py_ssize_t>(sizeof(T))) {  // the compiler sees a plain array
      const T* numbers = reinterpret_cast<const T*>(at);
      for (size_t i = 0; i < count; ++i) f(i, numbers[i]);
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      T number;
      std::memcpy(&number, at + static_cast<Py_ssize_t>(i) * stride, sizeof(T));
      f(i, number);
    }
  }

  Py_buffer buffer_{};
  py::object list_;
  bool exported_ = false;
  char kind_ = 0;
};

// Eight bytes at a time, whatever the compiler makes of loops: a byte by itself takes ten times as
// long, which is most of a call about thousands of nodes.
void codes_from_mask(const char* mask, size_t count, int8_t* codes) {
  static_assert(kFits == 0);
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, mask + i, 8);
    // The highest bit of each byte: whether it is 0. Adding carries into no other byte.
    const uint64_t zero = ~(((eight & kLow) + kLow) | eight | kLow);
    const uint64_t rejected = (zero >> 7) * static_cast<uint64_t>(kRejected);
    std::memcpy(codes + i, &rejected, 8);
  }
  for (; i < count; ++i) codes[i] = mask[i] != 0 ? kFits : kRejected;
}

int64_t whole(double number) {
  if (!(number >= -9223372036854775808.0 && number < 9223372036854775808.0)) {
    wrong_value("a score of " + std::to_string(number));
  }
  return static_cast<int64_t>(number);
}

libsched_code from_status_object(py::handle result, libsched_status* status) {
  const auto code = result.attr("code").cast<int32_t>();
  libsched_status_set(status, code);
  const py::object error = py::getattr(result, "_error", py::none());
  bool first = true;
  if (!error.is_none()) {
    libsched_status_set_error(status, to_str(error.cast<std::string_view>()));
  }
  for (const py::handle reason : result.attr("reasons")) {
    // An error's text is the first of the reasons already.
    if (!first || error.is_none()) {
      libsched_status_add_reason(status, to_str(reason.cast<std::string_view>()));
    }
    first = false;
  }
  return code;
}

}  // namespace

bool is_bool(py::handle object) {
  if (PyBool_Check(object.ptr())) return true;
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  return type == "numpy.bool" || type == "numpy.bool_";
}

bool is_status(py::handle result) {
  return result.is_none() || PyUnicode_Check(result.ptr()) || is_bool(result) ||
         PyLong_Check(result.ptr()) || py::hasattr(result, "reasons");
}

libsched_code status_from(py::handle result, libsched_status* status) {
  if (result.is_none() || result.ptr() == Py_True) return LIBSCHED_CODE_SUCCESS;
  if (result.ptr() == Py_False || PyUnicode_Check(result.ptr())) {
    libsched_status_set(status, LIBSCHED_CODE_UNSCHEDULABLE);
    if (result.ptr() != Py_False) {
      libsched_status_add_reason(status, to_str(result.cast<std::string_view>()));
    }
    return LIBSCHED_CODE_UNSCHEDULABLE;
  }
  if (PyLong_Check(result.ptr())) {
    const auto code = result.cast<int32_t>();
    libsched_status_set(status, code);
    return code;
  }
  if (is_bool(result)) {  // numpy's
    return status_from(py::bool_(py::reinterpret_borrow<py::object>(result)), status);
  }
  if (!py::hasattr(result, "reasons")) {
    wrong_type("None, a bool, a reason, a Code or a Status", result);
  }
  return from_status_object(result, status);
}

int64_t score_from(py::handle result) {
  if (PyFloat_Check(result.ptr())) return whole(PyFloat_AS_DOUBLE(result.ptr()));
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(result.ptr()));
  if (index) return index.cast<int64_t>();
  PyErr_Clear();
  const double number = PyFloat_AsDouble(result.ptr());  // such as numpy's
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    wrong_type("a number as the score", result);
  }
  return whole(number);
}

int64_t nanoseconds_from(py::handle timeout) {
  if (timeout.is_none()) return 0;
  double seconds = 0;
  if (py::hasattr(timeout, "total_seconds")) {
    seconds = timeout.attr("total_seconds")().cast<double>();
  } else if (!PyBool_Check(timeout.ptr()) && PyNumber_Check(timeout.ptr()) != 0) {
    seconds = timeout.cast<double>();
  } else {
    wrong_type("seconds or a timedelta as the timeout", timeout);
  }
  const double nanoseconds = std::nearbyint(seconds * 1e9);
  if (std::isnan(seconds)) wrong_value("the timeout is not a number");
  if (nanoseconds >= 9.2e18) return INT64_MAX;
  return nanoseconds <= -9.2e18 ? INT64_MIN : static_cast<int64_t>(nanoseconds);
}

void verdicts_from(py::handle result, const Instance& self, const libsched_node_set* nodes,
                   int8_t* codes, uint16_t* reasons) {
  const size_t count = libsched_node_set_count(nodes);
  py::object verdicts = py::reinterpret_borrow<py::object>(result), why;
  // A tuple of two is verdicts and reasons, unless it is the verdicts of two nodes.
  if (PyTuple_Check(result.ptr()) && PyTuple_GET_SIZE(result.ptr()) == 2 &&
      !PyLong_Check(PyTuple_GET_ITEM(result.ptr(), 0))) {
    why = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(result.ptr(), 1));
    verdicts = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(result.ptr(), 0));
  }
  if (verdicts.is_none()) return;  // all fit
  const ResultNumbers numbers(verdicts, count, "a mask or codes of the nodes");
  const bool explained = why && !why.is_none();
  const auto set_code = [&](size_t i, long long code) {
    if (code != kFits && code != kRejected && !(explained && code == LIBSCHED_CODE_ERROR)) {
      check_code(Method::kFilterBatch, code, libsched_node_set_at(nodes, i));
    }
    codes[i] = static_cast<int8_t>(code);
  };
  if (!numbers.is_buffer()) {
    for (size_t i = 0; i < count; ++i) {
      const py::handle item = numbers.item(i);
      if (is_bool(item)) {
        codes[i] = PyObject_IsTrue(item.ptr()) == 1 ? kFits : kRejected;
      } else if (PyIndex_Check(item.ptr())) {
        set_code(i, static_cast<long long>(PyNumber_AsSsize_t(item.ptr(), nullptr)));
      } else {
        wrong_type("a bool or a Code of each node", item);
      }
    }
  } else if (numbers.is_floats()) {
    throw py::type_error(
        "a mask of bool (True: the node fits) or an array of Codes was expected, not of floats");
  } else if (const char* const mask = numbers.plain_mask()) {
    codes_from_mask(mask, count, codes);
  } else if (numbers.is_mask()) {
    numbers.for_each(count,
                     [&](size_t i, auto number) { codes[i] = number != 0 ? kFits : kRejected; });
  } else {
    numbers.for_each(count,
                     [&](size_t i, auto number) { set_code(i, static_cast<long long>(number)); });
  }
  if (!explained) return;
  uint16_t same = 0;
  if (PyUnicode_Check(why.ptr())) {
    const py::tuple table(py::getattr(self.object, "reasons", py::tuple()));
    const Py_ssize_t found = PySequence_Index(table.ptr(), why.ptr());
    if (found < 0) {
      PyErr_Clear();
      const std::string reason = why.cast<std::string>();
      wrong_value("the reason \"" + reason +
                  "\" is not among those that the class declares: give it reasons = (\"" + reason +
                  "\",)");
    }
    same = static_cast<uint16_t>(found);
  } else if (PyLong_Check(why.ptr())) {
    same = why.cast<uint16_t>();
  } else {
    const ResultNumbers indexes(why, count, "indexes of reasons");
    if (!indexes.is_buffer()) {
      for (size_t i = 0; i < count; ++i) reasons[i] = indexes.item(i).cast<uint16_t>();
    } else {
      indexes.for_each(count, [&](size_t i, auto number) {
        reasons[i] =
            number >= 0 && number < UINT16_MAX ? static_cast<uint16_t>(number) : UINT16_MAX;
      });
    }
    return;
  }
  for (size_t i = 0; i < count; ++i) reasons[i] = same;
}

void scores_from(py::handle result, size_t count, int64_t* scores) {
  const ResultNumbers numbers(result, count, "scores of the nodes");
  if (!numbers.is_buffer()) {
    for (size_t i = 0; i < count; ++i) scores[i] = score_from(numbers.item(i));
    return;
  }
  numbers.for_each(count, [&](size_t i, auto number) {
    if constexpr (std::is_floating_point_v<decltype(number)>) {
      scores[i] = whole(static_cast<double>(number));
    } else {
      scores[i] = static_cast<int64_t>(number);
    }
  });
}

}  // namespace libsched
