// The messages of Kubernetes' protobuf encoding: for each field its number, its name in JSON and
// the form of its value.
#pragma once

#include <cstdint>
#include <span>

#include "libsched/base/arena.hpp"

namespace libsched {

enum class MessageForm : uint8_t {
  kString,
  kBool,
  kInt32,
  kInt64,
  kMessage,
  kQuantity,     // a message with a text
  kTime,         // a message of seconds and nanoseconds, of which Go's types keep the seconds
  kMicroTime,    // the same, down to microseconds
  kIntOrString,  // a message of which one field counts
  kJson,         // a message whose only field is JSON
  kSkip,         // bytes, or JSON inside of protobuf, which no object here reads
};

struct MessageField {
  static constexpr uint8_t kRepeated = 1, kMap = 2;  // of the form; the keys of a map are texts
  static constexpr uint8_t kOmitEmpty = 4;           // JSON leaves out "", 0 and false
  static constexpr uint8_t kInline = 8;  // the message's fields are its parent's in JSON

  uint16_t number;
  Str name;
  MessageForm form;
  uint8_t flags;
  uint16_t message;  // of kMessage
};

struct MessageKind {
  Str api_version, kind;
  uint16_t message;
};

// In the order of their numbers.
std::span<const MessageField> message_fields(uint16_t message);
// nullptr for a kind without a table.
const MessageKind* find_message_kind(Str api_version, Str kind);

}  // namespace libsched
