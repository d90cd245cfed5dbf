// Error and Result<T>: every layer above ingest reports failures with them (nothing throws).
//
// An Error has a message, the place in the input (`path`, such as
// "items[3].spec.nodeName"), and the plugin concerned. Rc values are those of the C API.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace libsched {

// The same numbers as LIBSCHED_OK and LIBSCHED_ERR_* in libsched/base.h; they never change.
enum class Rc : int32_t {
  kOk = 0,
  kInvalid = -1,      // the input is wrong; the path says where
  kNotFound = -2,     // a name that does not exist
  kExists = -3,       // a name that exists already
  kUnsupported = -4,  // valid, but not available in this version; the text names it
  kState = -5,        // not allowed in the present state (no open fork, a fork is open, ...)
  kStale = -6,        // made for an older state of the view
  kLimit = -7,        // a size, depth or expansion limit was exceeded
  kIo = -8,           // a file could not be read
  kBuffer = -9,       // the caller's buffer is too small; the needed size was returned
  kMisuse = -10,      // a NULL or foreign handle, a call from inside a callback
  kNoMemory = -11,
  kInternal = -12,   // a bug in libsched
  kCancelled = -13,  // the caller ended the call
  kDeadline = -14,   // the caller's deadline ended the call
  kPlugin = -15,     // a plugin returned Error
};

// Making, moving and ending an Error are calls: failures are rare, and their code would else be
// repeated at every call that may fail.
struct Error {
  Rc rc = Rc::kInvalid;
  std::string message;
  std::string path;    // "" when the error belongs to no place in a document
  std::string plugin;  // "" when no plugin is concerned

  Error();
  Error(Rc rc, std::string_view message, std::string_view path = {}, std::string_view plugin = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  // "path: message", for output. Texts of upstream's validation already start with the
  // path ("a: why", "[a: why, b: why]").
  std::string text() const;
};

Error invalid(std::string_view path, std::string_view message);

// A value or an Error. [[nodiscard]]: an ignored failure does not compile quietly.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : v_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : v_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&v_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&v_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&v_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() {
    assert(!ok());
    return *std::get_if<1>(&v_);
  }
  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&v_);
  }

 private:
  std::variant<T, Error> v_;
};

// Success or an Error, for calls that return nothing. Success costs no strings.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Error& error() {
    assert(!ok());
    return *error_;
  }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

// Returns the error of an expression that failed; the value is not used.
#define LIBSCHED_TRY(expr)                                                                \
  do {                                                                                    \
    if (auto try_result = (expr); !try_result.ok()) return std::move(try_result.error()); \
  } while (false)

}  // namespace libsched
