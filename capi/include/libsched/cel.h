/* CEL: selectors of devices in the Common Expression Language, as Kubernetes compiles and evaluates them.
   Include <libsched.h>. */
#ifndef LIBSCHED_CEL_H
#define LIBSCHED_CEL_H

#include <libsched/objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A compiled expression. Immutable; threads share it freely. */
typedef struct libsched_cel libsched_cel;
/* The options for compiling. Zero everywhere is the default. */
typedef struct libsched_cel_options {
  uint32_t struct_size;  /* sizeof(libsched_cel_options) */
  bool list_attributes;  /* attributes may be lists: feature gate DRAListTypeAttributes */
  bool any_result;       /* takes expressions whose result is no bool, for their values */
  bool reserved[2];      /* false */
  uint64_t cost_limit;   /* where an evaluation ends; 0: 1,000,000, as in Kubernetes */
  /* The release whose expressions they are, as in libsched_framework_options; empty: the default,
     libsched_k8s_version(). From 1.37 on attributes may be lists also without list_attributes. */
  libsched_str semantics;
} libsched_cel_options;
#define LIBSCHED_CEL_OPTIONS_INIT {sizeof(libsched_cel_options), false, false, {false, false}, 0, {LIBSCHED_NULL, 0}}

/* The forms of an attribute's value. */
enum {
  LIBSCHED_CEL_NONE = 0, /* none that this version knows: every expression fails */
  LIBSCHED_CEL_INT = 1,
  LIBSCHED_CEL_BOOL = 2,
  LIBSCHED_CEL_STRING = 3,
  LIBSCHED_CEL_VERSION = 4,
  LIBSCHED_CEL_INTS = 5, /* lists need list_attributes before 1.37 */
  LIBSCHED_CEL_BOOLS = 6,
  LIBSCHED_CEL_STRINGS = 7,
  LIBSCHED_CEL_VERSIONS = 8
};
/* An attribute of a device, with a qualified name ("gpu.example.com/model") or one of the driver's domain. */
typedef struct libsched_cel_attribute {
  libsched_str name;
  uint32_t kind;            /* LIBSCHED_CEL_* */
  uint32_t reserved;        /* 0 */
  int64_t number;           /* INT; BOOL: 0 or 1 */
  libsched_str text;        /* STRING, VERSION */
  const int64_t *numbers;   /* INTS; BOOLS: 0 or 1 each */
  const libsched_str *texts; /* STRINGS, VERSIONS */
  size_t count;             /* of numbers or texts */
} libsched_cel_attribute;
/* A capacity of a device: a name as above, and a quantity such as "40Gi". */
typedef struct libsched_cel_capacity {
  libsched_str name;
  libsched_str value;
} libsched_cel_capacity;
/* A device. Names are distinct. */
typedef struct libsched_cel_device {
  uint32_t struct_size;            /* sizeof(libsched_cel_device) */
  bool allow_multiple_allocations;
  bool reserved[3];                /* false */
  libsched_str driver;
  const libsched_cel_attribute *attributes;
  size_t attribute_count;
  const libsched_cel_capacity *capacity;
  size_t capacity_count;
} libsched_cel_device;
#define LIBSCHED_CEL_DEVICE_INIT                                                                        \
  {sizeof(libsched_cel_device), false, {false, false, false}, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0,       \
   LIBSCHED_NULL, 0}

/* Whether a device matches. */
enum {
  LIBSCHED_CEL_NO = 0,
  LIBSCHED_CEL_YES = 1,
  LIBSCHED_CEL_ERROR = 2 /* the evaluation fails, which makes the attempt to allocate fail */
};
/* What an expression says of a device. */
typedef struct libsched_cel_answer {
  uint32_t struct_size; /* sizeof(libsched_cel_answer) */
  uint32_t match;       /* LIBSCHED_CEL_NO, _YES or _ERROR */
  uint64_t cost;        /* in upstream's units */
} libsched_cel_answer;
#define LIBSCHED_CEL_ANSWER_INIT {sizeof(libsched_cel_answer), 0, 0}

/* Compiles an expression. `options` may be NULL. Error INVALID: the message is upstream's text
   ("compilation failed: ERROR: <input>:1:8: ..."), the path the place of the first error, "line:column" in
   code points from 1, or empty. Error UNSUPPORTED: unknown semantics.
     libsched_cel_compile(LIBSCHED_STR("device.driver == 'gpu.example.com'"), NULL, &cel, &error); */
libsched_rc libsched_cel_compile(libsched_str expression, const libsched_cel_options *options,
                                 LIBSCHED_OWN libsched_cel **out, LIBSCHED_OWN libsched_error **error);
libsched_cel *libsched_cel_ref(const libsched_cel *cel);
void libsched_cel_unref(LIBSCHED_OWN libsched_cel *cel);
/* The type of the result: "bool", "google.protobuf.Any" or "dyn", and any other with any_result. Borrowed
   from `cel`. */
libsched_str libsched_cel_type(const libsched_cel *cel);
/* Evaluates the expression on a device. `text` may be NULL; it gets upstream's error of LIBSCHED_CEL_ERROR,
   with any_result otherwise the value with its type (`int(1)`, `"text"`, `[true]`), and "" in other cases.
   `answer->struct_size` is the caller's. Errors: INVALID (a capacity that is no quantity), UNSUPPORTED (an
   unknown kind). */
libsched_rc libsched_cel_match(const libsched_cel *cel, const libsched_cel_device *device, libsched_cel_answer *answer,
                               LIBSCHED_OWN libsched_text **text, LIBSCHED_OWN libsched_error **error);
/* Evaluates the expression on all devices of the ResourceSlices among the objects, in their order. JSON:
     [{"slice", "driver", "pool", "device", "node", "match": true|false|null, "cost", "error",
       "because": {"expression", "answer", "subject", "value"}}]
   "node" is of devices of a single node. `match` is null for LIBSCHED_CEL_ERROR. "because" is the first operand
   of the outermost &&, also in parentheses and in cel.bind(), that is "false", or that fails if `match` is null;
   it is absent if no operand alone is the reason. "subject" is what the operand compares or calls a method of,
   "value" its value on the device; both are absent if there is no such thing. With any_result there is "value"
   instead of match and because. */
libsched_rc libsched_cel_devices_json(const libsched_cel *cel, const libsched_objects *objects,
                                      LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
