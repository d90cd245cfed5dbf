/* Basics: return codes, strings, texts, errors, versions. Include <libsched.h>.
   @since 0.1, where nothing else is said. */
#ifndef LIBSCHED_BASE_H
#define LIBSCHED_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers, and the number of the ABI that they describe. A library is of the
   same ABI if libsched_abi_version() gives the same number.
     #if LIBSCHED_VERSION_AT_LEAST(0, 2) */
#define LIBSCHED_VERSION_MAJOR 0
#define LIBSCHED_VERSION_MINOR 1
#define LIBSCHED_VERSION_PATCH 0
#define LIBSCHED_ABI_VERSION 1
#define LIBSCHED_VERSION_AT_LEAST(major, minor) \
  (LIBSCHED_VERSION_MAJOR > (major) || (LIBSCHED_VERSION_MAJOR == (major) && LIBSCHED_VERSION_MINOR >= (minor)))

/* The null pointer of C and C++, for the _INIT macros of structs: all of them list every field. */
#ifdef __cplusplus
#define LIBSCHED_NULL nullptr
#else
#define LIBSCHED_NULL NULL
#endif

/* Marks a pointer whose ownership passes to the callee (parameters) or to the caller (results). */
#define LIBSCHED_OWN

/* What a call returns: 0, or one of these for ever pinned negative numbers. */
typedef int32_t libsched_rc;
enum {
  LIBSCHED_OK = 0,               /* the call happened; what it found is in its outputs */
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
  LIBSCHED_ERR_NO_MEMORY = -11,  /* the system gave no memory; nothing was changed */
  LIBSCHED_ERR_INTERNAL = -12,   /* a bug in libsched: please report it */
  LIBSCHED_ERR_CANCELLED = -13,  /* the caller ended the call: see libsched_cancel_set() */
  LIBSCHED_ERR_DEADLINE = -14,   /* the caller's deadline ended the call */
  LIBSCHED_ERR_PLUGIN = -15      /* a plugin said Error; the error names it and quotes its reason */
};

/* UTF-8, not necessarily NUL-terminated as an input; borrowed outputs are NUL-terminated, too. */
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

/* The libsched_str of a NUL-terminated string, which it points to; NULL gives the empty string.
     libsched_cluster_load(libsched_str_from(argv[1]), &cluster, &error); */
libsched_str libsched_str_from(const char *text);

/* A text made by the library, such as a JSON document. Immutable, freely shared by threads. */
typedef struct libsched_text libsched_text;
libsched_str libsched_text_get(const libsched_text *text); /* borrowed from `text` */
libsched_text *libsched_text_ref(const libsched_text *text);
void libsched_text_unref(LIBSCHED_OWN libsched_text *text); /* NULL is a no-op */

/* An error: why a call did not happen. Immutable, freely shared by threads; all texts are borrowed
   from it.
     if (libsched_cluster_load(path, &cluster, &error)) puts(libsched_error_message(error).ptr);
     libsched_error_unref(error); */
typedef struct libsched_error libsched_error;
libsched_rc libsched_error_code(const libsched_error *error); /* what the call returned; OK of NULL */
libsched_str libsched_error_message(const libsched_error *error); /* a sentence for people */
/* Where in the input: "items[3].spec.nodeName"; empty if it belongs to no place. */
libsched_str libsched_error_path(const libsched_error *error);
libsched_str libsched_error_plugin(const libsched_error *error); /* the plugin concerned, or empty */
libsched_error *libsched_error_ref(const libsched_error *error);
void libsched_error_unref(LIBSCHED_OWN libsched_error *error); /* NULL is a no-op */

/* What ends running calls: set by any thread, and looked at by all calls that have it in their options.
   They end with CANCELLED, and so do those that begin while it is set. All functions may be called by
   any thread at any time; setting it neither waits nor takes a lock, so signal handlers may.
     libsched_cancel_create(&cancel, &error);
     options.cancel = cancel; // of libsched_run_cycle() in a worker; libsched_cancel_set(cancel) ends it */
typedef struct libsched_cancel libsched_cancel;
libsched_rc libsched_cancel_create(LIBSCHED_OWN libsched_cancel **out, LIBSCHED_OWN libsched_error **error); /* not set */
libsched_cancel *libsched_cancel_ref(libsched_cancel *cancel);
void libsched_cancel_unref(LIBSCHED_OWN libsched_cancel *cancel);
/* From reset on calls run again. One that runs at this moment has seen the set, or never does. */
void libsched_cancel_set(libsched_cancel *cancel);
void libsched_cancel_reset(libsched_cancel *cancel);
bool libsched_cancel_is_set(const libsched_cancel *cancel);

uint32_t libsched_abi_version(void);    /* LIBSCHED_ABI_VERSION of the library that is loaded */
const char *libsched_version(void);     /* "0.1.0"; static */
const char *libsched_k8s_version(void); /* "1.36": whose semantics these are; static */

#ifdef __cplusplus
}
#endif
#endif
