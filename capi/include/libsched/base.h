/* Basics: return codes, strings, texts, errors, versions. Include <libsched.h>. */
#ifndef LIBSCHED_BASE_H
#define LIBSCHED_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers, and the number of the ABI that they describe. A library has the same
   ABI if libsched_abi_version() returns the same number.
     #if LIBSCHED_VERSION_AT_LEAST(0, 2) */
#define LIBSCHED_VERSION_MAJOR 0
#define LIBSCHED_VERSION_MINOR 1
#define LIBSCHED_VERSION_PATCH 0
#define LIBSCHED_ABI_VERSION 1
#define LIBSCHED_VERSION_AT_LEAST(major, minor) \
  (LIBSCHED_VERSION_MAJOR > (major) || (LIBSCHED_VERSION_MAJOR == (major) && LIBSCHED_VERSION_MINOR >= (minor)))

/* The null pointer of C and C++, for the _INIT macros, which list every field of their struct. */
#ifdef __cplusplus
#define LIBSCHED_NULL nullptr
#else
#define LIBSCHED_NULL NULL
#endif

/* Marks a pointer whose ownership passes to the callee (parameters) or to the caller (results). */
#define LIBSCHED_OWN

/* The result of a call: 0, or one of these negative numbers, which never change. */
typedef int32_t libsched_rc;
enum {
  LIBSCHED_OK = 0,               /* the call succeeded; its outputs hold the answer */
  LIBSCHED_ERR_INVALID = -1,     /* the input is wrong; the error's path says where */
  LIBSCHED_ERR_NOT_FOUND = -2,   /* a name that does not exist */
  LIBSCHED_ERR_EXISTS = -3,      /* a name that exists already */
  LIBSCHED_ERR_UNSUPPORTED = -4, /* valid, but not available in this version; the message names it */
  LIBSCHED_ERR_STATE = -5,       /* not allowed in the present state */
  LIBSCHED_ERR_STALE = -6,       /* made for an older state of the view */
  LIBSCHED_ERR_LIMIT = -7,       /* a size, depth or expansion limit was exceeded */
  LIBSCHED_ERR_IO = -8,          /* a file could not be read */
  LIBSCHED_ERR_BUFFER = -9,      /* the buffer is too small; the needed size was written */
  LIBSCHED_ERR_MISUSE = -10,     /* a NULL or misused handle, or a call that is not allowed here */
  LIBSCHED_ERR_NO_MEMORY = -11,  /* out of memory; nothing was changed */
  LIBSCHED_ERR_INTERNAL = -12,   /* a bug in libsched: please report it */
  LIBSCHED_ERR_CANCELLED = -13,  /* the caller ended the call: see libsched_cancel_set() */
  LIBSCHED_ERR_DEADLINE = -14,   /* the caller's deadline ended the call */
  LIBSCHED_ERR_PLUGIN = -15      /* a plugin returned Error; the error names it and quotes its reason */
};

/* UTF-8. Inputs need not be NUL-terminated; borrowed outputs always are. */
typedef struct libsched_str {
  const char *ptr; /* may be NULL if len is 0 */
  size_t len;      /* bytes, without a NUL */
} libsched_str;

/* The libsched_str of a string literal.
     libsched_cluster_load(LIBSCHED_STR("shop.yaml"), &cluster, &error); */
#ifdef __cplusplus
#define LIBSCHED_STR(literal) (libsched_str{(literal), sizeof(literal) - 1})
#else
#define LIBSCHED_STR(literal) ((libsched_str){(literal), sizeof(literal) - 1})
#endif

/* The libsched_str that points to a NUL-terminated string; NULL gives the empty string.
     libsched_cluster_load(libsched_str_from(argv[1]), &cluster, &error); */
libsched_str libsched_str_from(const char *text);

/* A text made by the library, such as a JSON document. Immutable; threads share it freely. */
typedef struct libsched_text libsched_text;
libsched_str libsched_text_get(const libsched_text *text); /* borrowed from `text` */
libsched_text *libsched_text_ref(const libsched_text *text);
void libsched_text_unref(LIBSCHED_OWN libsched_text *text); /* NULL is a no-op */

/* An error: why a call failed. Immutable; threads share it freely. All texts are borrowed from it.
     if (libsched_cluster_load(path, &cluster, &error)) puts(libsched_error_message(error).ptr);
     libsched_error_unref(error); */
typedef struct libsched_error libsched_error;
libsched_rc libsched_error_code(const libsched_error *error); /* the call's result; OK for NULL */
libsched_str libsched_error_message(const libsched_error *error); /* a sentence for humans */
/* The place in the input, such as "items[3].spec.nodeName"; empty if the error has no place. */
libsched_str libsched_error_path(const libsched_error *error);
libsched_str libsched_error_plugin(const libsched_error *error); /* the plugin concerned, or empty */
/* For libraries that stand on this one and fail as it does, and for libsched_plugin_init(): writes a new
   error to `error`, unless it is NULL, and returns its code: `code`, INTERNAL in place of a number that is
   none of LIBSCHED_ERR_*, or NO_MEMORY. `path` and `plugin` may be empty; an empty
   `message` becomes a text that says so.
     return libsched_error_create(LIBSCHED_ERR_IO, text, LIBSCHED_STR(""), name, error); */
libsched_rc libsched_error_create(libsched_rc code, libsched_str message, libsched_str path, libsched_str plugin,
                                  LIBSCHED_OWN libsched_error **error);
libsched_error *libsched_error_ref(const libsched_error *error);
void libsched_error_unref(LIBSCHED_OWN libsched_error *error); /* NULL is a no-op */

/* A flag that ends running calls. Any thread may set it; every call that has it in its options polls it
   and ends with CANCELLED, as does a call that begins while it is set. Any thread may call these
   functions at any time; setting the flag neither waits nor takes a lock, so signal handlers may do so.
     libsched_cancel_create(&cancel, &error);
     options.cancel = cancel; // of libsched_run_cycle() in a worker; libsched_cancel_set(cancel) ends it */
typedef struct libsched_cancel libsched_cancel;
libsched_rc libsched_cancel_create(LIBSCHED_OWN libsched_cancel **out, LIBSCHED_OWN libsched_error **error); /* not set */
libsched_cancel *libsched_cancel_ref(libsched_cancel *cancel);
void libsched_cancel_unref(LIBSCHED_OWN libsched_cancel *cancel);
/* After a reset calls run again. A call that runs during the reset may or may not be cancelled. */
void libsched_cancel_set(libsched_cancel *cancel);
void libsched_cancel_reset(libsched_cancel *cancel);
bool libsched_cancel_is_set(const libsched_cancel *cancel);

uint32_t libsched_abi_version(void);    /* LIBSCHED_ABI_VERSION of the library that is loaded */
const char *libsched_version(void);     /* "0.1.0"; static */
const char *libsched_k8s_version(void); /* "1.37", the release to follow where none is chosen; static */

#ifdef __cplusplus
}
#endif
#endif
