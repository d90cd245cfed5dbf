// Messages of google.protobuf that expressions can make: wrappers, which are plain values at run
// time, durations, timestamps and JSON values.
#pragma once

#include <string>

#include "libsched/cel/machine.hpp"
#include "libsched/cel/type.hpp"

namespace libsched::cel {

struct MessageField {
  Str name;
  Str type;    // as in overloads.inc: "list(dyn)"
  Str native;  // Go's type, which says what fits and is named in errors: "int32"
};

struct Message {
  Str name;
  Str type;  // of the value; a wrapper's may be null
  bool is_wrapper = false;
  Span<MessageField> fields;
};

const Message* find_message(Str name);
const MessageField* find_field(const Message& message, Str name);
// The type that the checker gives to a value of the message, and to a field.
const Type* message_type(const Message& message, Arena& arena);
const Type* field_type(const MessageField& field, Arena& arena);

// The value of a message from those of its fields, in the order of `fields`; kError stands for a
// field that was not given. An error has upstream's text.
Value make_message(Machine& m, const Message& message, Span<const Value*> fields);

// A duration, cut off at what it holds, or a timestamp.
Value make_time(Machine& m, bool is_duration, int64_t seconds, int64_t nanos);

// Upstream's error of a value that is no `native`: "unsupported type conversion from 'int' to
// bool".
std::string native_error(const Value& v, Str native);

}  // namespace libsched::cel
