// Describes misused handles, and tracks handles that are lent.
#include "handle_check.hpp"

#include <string>

#include "handles.hpp"

namespace libsched::capi {
namespace {

#if LIBSCHED_CHECK_HANDLES
const char* words_of(HandleKind kind) {
  switch (kind) {
#define LIBSCHED_WORDS(name, cpp_type, words) \
  case HandleKind::name: return words;
    LIBSCHED_HANDLES(LIBSCHED_WORDS)
#undef LIBSCHED_WORDS
    case HandleKind::kNone: break;
  }
  return "another object";
}
#endif

// Describes the misuse; empty if the parameter is valid.
std::string what_is_wrong(Parameter p) {
  if (p.address == nullptr) return "is NULL";
#if LIBSCHED_CHECK_HANDLES
  if (p.kind == HandleKind::kNone || is_live(p.address, p.kind)) return {};
  const HandleMark::Found found = HandleMark::look(p.address);
  const auto kind = static_cast<HandleKind>(found.kind);
  using As = HandleMark::Found::As;
  if (found.as == As::kFreed && (kind == p.kind || kind == HandleKind::kNone))
    return "was released";
  if (found.as == As::kFreed)
    return std::string("is ") + words_of(kind) + " that was released, not " + words_of(p.kind);
  if (found.as == As::kLive)
    return std::string("is ") + words_of(kind) + ", not " + words_of(p.kind);
  return std::string("is no handle, or not any more: ") + words_of(p.kind) + " is needed";
#else
  return {};
#endif
}

// Returns an item of a list "a, b, c" as the preprocessor writes it.
std::string item_of(Str names, size_t index) {
  for (; index != 0; --index) names.remove_prefix(std::min(names.find(',') + 1, names.size()));
  names = names.substr(0, names.find(','));
  while (!names.empty() && names.front() == ' ') names.remove_prefix(1);
  return std::string(names);
}

}  // namespace

Error wrong_handle(const char* name, Parameter parameter) {
  return {Rc::kMisuse, "misuse: " + std::string(name) + " " + what_is_wrong(parameter)};
}

libsched_rc misused(libsched_error** error, const char* names, const Parameter* parameters,
                    size_t count, bool null_allowed) noexcept {
  return guarded(error, [&]() -> Result<void> {
    for (size_t i = 0; i < count; ++i)
      if (!(null_allowed && parameters[i].address == nullptr) &&
          !what_is_wrong(parameters[i]).empty())
        return wrong_handle(item_of(names, i).c_str(), parameters[i]);
    return Error{Rc::kMisuse, "misuse: a handle was released meanwhile"};
  });
}

libsched_rc misused_item(libsched_error** error, const char* name, size_t index,
                         Parameter item) noexcept {
  return guarded(error, [&]() -> Result<void> {
    return wrong_handle((std::string(name) + "[" + std::to_string(index) + "]").c_str(), item);
  });
}

#if LIBSCHED_CHECK_HANDLES

namespace {
thread_local Borrowing* innermost = nullptr;
}  // namespace

Borrowing::Borrowing() noexcept : outer_(std::exchange(innermost, this)) {}
Borrowing::~Borrowing() { innermost = outer_; }

bool is_live(const void* handle, HandleKind kind) noexcept {
  const HandleMark::Found found = HandleMark::look(handle);
  return found.as == HandleMark::Found::As::kLive && found.kind == static_cast<uint8_t>(kind);
}

void note_lent(const HandleMark* mark, HandleKind kind) noexcept {
  if (mark == nullptr) return;
  mark->lend_as(static_cast<uint8_t>(kind));
  if (innermost == nullptr) return;
  quietly(false, [&] { return innermost->lent_.insert(mark).second; });
}

void note_taken(const HandleMark* mark) noexcept {
  if (mark != nullptr) mark->take(innermost != nullptr);
}

bool give_back(const HandleMark* mark, HandleKind kind) noexcept {
  const bool lent = innermost != nullptr && innermost->lent_.count(mark) != 0;
  if (mark->give_back(innermost != nullptr, lent)) return true;
  if (lent) innermost->released_ = words_of(kind);
  return false;
}

#endif

}  // namespace libsched::capi
