/* Checks of the C tests: they count, print failures, and continue.

   Calls of the library are written with `err` as their last argument. CHECK_OK proves that a
   success leaves the error alone; CHECK_FAILS makes the call twice, the second time with a NULL
   error, and proves that the error is the expected one. End main() with `return finish();`. */
#ifndef LIBSCHED_TESTS_CAPI_CHECK_H
#define LIBSCHED_TESTS_CAPI_CHECK_H

#include <libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static inline void check_(int good, const char* what, const char* file, int line) {
  if (good) {
    ++passed;
    return;
  }
  ++failed;
  fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

#define CHECK(condition) check_((condition) ? 1 : 0, #condition, __FILE__, __LINE__)

/* An invalid pointer: the value of an output before a call that must not touch it. */
#define UNTOUCHED ((void*)(uintptr_t)0x51)

static inline void print_error_(const libsched_error* error) {
  fprintf(stderr, "  (%d) %s: %s\n", (int)libsched_error_code(error),
          libsched_error_path(error).ptr, libsched_error_message(error).ptr);
}

#define CHECK_OK(call)                                                              \
  do {                                                                              \
    libsched_error *error_ = UNTOUCHED, **err = &error_;                            \
    const libsched_rc rc_ = (call);                                                 \
    (void)err;                                                                      \
    check_(rc_ == LIBSCHED_OK, #call, __FILE__, __LINE__);                          \
    if (rc_ != LIBSCHED_OK && error_ != UNTOUCHED) {                                \
      print_error_(error_);                                                         \
      libsched_error_unref(error_);                                                 \
    } else {                                                                        \
      check_(error_ == UNTOUCHED, "error untouched by " #call, __FILE__, __LINE__); \
    }                                                                               \
  } while (0)

static inline void check_error_(libsched_rc rc, libsched_error* error, libsched_rc expected,
                                const char* path, const char* text, const char* what,
                                const char* file, int line) {
  check_(rc == expected, what, file, line);
  if (rc != expected) fprintf(stderr, "  returned %d, not %d\n", (int)rc, (int)expected);
  check_(error != NULL, "an error is given", file, line);
  if (error == NULL) return;
  const int same = libsched_error_code(error) == rc &&
                   (path == NULL || strcmp(libsched_error_path(error).ptr, path) == 0) &&
                   (text == NULL || strstr(libsched_error_message(error).ptr, text) != NULL) &&
                   libsched_error_message(error).len > 0;
  check_(same, what, file, line);
  if (!same) print_error_(error);
  libsched_error_unref(error);
}

/* `path` and `text` (part of the message) are not checked if they are NULL. */
#define CHECK_FAILS(expected, path, text, call)                                       \
  do {                                                                                \
    libsched_error *error_ = NULL, **err = &error_;                                   \
    const libsched_rc rc_ = (call);                                                   \
    check_error_(rc_, error_, (expected), (path), (text), #call, __FILE__, __LINE__); \
    err = NULL;                                                                       \
    check_((call) == (expected), #call " without an error", __FILE__, __LINE__);      \
  } while (0)

static inline int str_is(libsched_str s, const char* text) {
  return s.len == strlen(text) && (s.len == 0 || memcmp(s.ptr, text, s.len) == 0);
}

/* Also proves that a borrowed string is NUL-terminated. */
#define CHECK_STR(str, text)                                                                    \
  do {                                                                                          \
    const libsched_str str_ = (str);                                                            \
    const int same_ = str_is(str_, (text)) && (str_.ptr == NULL || str_.ptr[str_.len] == '\0'); \
    check_(same_, #str " is " #text, __FILE__, __LINE__);                                       \
    if (!same_) fprintf(stderr, "  it is \"%.*s\"\n", (int)str_.len, str_.ptr);                 \
  } while (0)

static inline int finish(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

#endif
