// MessageWriter: one object, or a list of objects, from its protobuf message to JSON.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/wire.hpp"
#include "libsched/ingest/protobuf/message_table.hpp"
#include "libsched/ingest/protobuf/protobuf.hpp"

namespace libsched {

class MessageWriter {
 public:
  explicit MessageWriter(const ProtobufLimits& limits) : limits_(limits) {}

  // False: see error().
  bool object(Str bytes, const TypeName& type, bool list);
  const Error& error() const { return error_; }
  std::string& text() { return out_; }

 private:
  static constexpr size_t kNoIndex = SIZE_MAX;
  struct Step {
    Str name;
    size_t index = kNoIndex;
    bool key = false;  // of a map
  };

  bool items(Str bytes, const TypeName& item);
  bool message(Str bytes, uint16_t message, bool* first);
  bool field(const MessageField& f, const WireField& wire, bool* first);
  bool element(const MessageField& f, const WireField& wire);
  bool map_entry(const MessageField& f, Str bytes);
  bool packed(const MessageField& f, Str bytes);
  bool value(const MessageField& f, const WireField& wire);
  bool string(Str text);
  bool quantity(Str bytes);
  bool time(Str bytes, bool micro);
  bool int_or_string(Str bytes);
  bool json(Str bytes);
  bool bytes_of(const WireField& wire) {
    return wire.type == WireField::kBytes || fail("a number where bytes belong");
  }
  bool number_of(const WireField& wire) {
    return wire.type == WireField::kVarint || fail("the wire type is not that of an integer");
  }
  void key(Str name, bool* first);
  bool limited() { return out_.size() <= limits_.max_bytes || too_large(); }
  bool too_large();
  bool fail(const std::string& message, Rc rc = Rc::kInvalid);

  const ProtobufLimits& limits_;
  std::string out_;
  std::vector<Step> steps_;
  int depth_ = 0;
  Error error_;
};

}  // namespace libsched
