// Tables through Arrow's C data interface: structs of a fixed layout that any Arrow library takes
// over, without a copy and without a dependency on one.
//
// https://arrow.apache.org/docs/format/CDataInterface.html defines the structs. A text is Arrow's
// large_utf8, a word a dictionary of large_utf8, nanoseconds are duration[ns].
#pragma once

#include <cstdint>

#include "libsched/scheduler/simulation/table.hpp"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE
}

namespace libsched {

// Fills structs that keep the table alive until they are released. If memory runs out, they are
// as before.
void export_schema(const TableRef& table, ArrowSchema* out);
void export_array(const TableRef& table, ArrowArray* out);
// A stream of one batch, the whole table. Its calls return ENOMEM if memory runs out.
void export_stream(const TableRef& table, ArrowArrayStream* out);

}  // namespace libsched
