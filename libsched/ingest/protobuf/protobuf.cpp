// One pass over the bytes: each message is walked once, and its fields are written as they come.
// Recursion follows the table, in which no message contains itself.
#include "libsched/ingest/protobuf/protobuf.hpp"

#include "libsched/base/wire.hpp"
#include "libsched/ingest/protobuf/message_writer.hpp"

namespace libsched {
namespace {

constexpr Str kContentType = "application/vnd.kubernetes.protobuf";

Error broken(Str where, const std::string& problem) {
  return invalid({}, "protobuf: " + std::string(where) + problem);
}

Error wrong_type(Str field) { return broken(field, "a number where bytes belong"); }

Result<void> read_type(Str bytes, TypeName& type) {
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number != 1 && f.number != 2) continue;
    if (f.type != WireField::kBytes) return wrong_type("the envelope's type: ");
    (f.number == 1 ? type.api_version : type.kind) = f.bytes;
  }
  if (!wire.problem().empty()) return broken("the envelope's type: ", wire.problem());
  return {};
}

// Returns the message in an envelope.
Result<Str> open_envelope(Str bytes, TypeName& type) {
  Str raw;
  bool found = false;
  WireReader wire(bytes);
  for (WireField f; wire.next(f);) {
    if (f.number < 1 || f.number > 4) continue;
    if (f.type != WireField::kBytes) return wrong_type("the envelope: ");
    if (f.number == 1) {
      LIBSCHED_TRY(read_type(f.bytes, type));
    } else if (f.number == 2) {
      raw = f.bytes;
      found = true;
    } else if (!f.bytes.empty() && (f.number == 3 || f.bytes != kContentType)) {
      return Error{Rc::kUnsupported, f.number == 3
                                         ? "protobuf: the envelope's content is encoded once more"
                                         : "protobuf: the envelope's content is not protobuf"};
    }
  }
  if (!wire.problem().empty()) return broken("the envelope: ", wire.problem());
  if (!found) return broken("the envelope: ", "it has no object");
  return raw;
}

}  // namespace

Result<std::string> protobuf_to_json(Str bytes, const TypeName& given,
                                     const ProtobufLimits& limits) {
  TypeName type = given;
  if (bytes.starts_with(kProtobufEnvelope)) {
    type = {};
    Result<Str> raw = open_envelope(bytes.substr(kProtobufEnvelope.size()), type);
    if (!raw.ok()) return raw.error();
    bytes = *raw;
  } else if (type.kind.empty()) {
    return broken("", "the type of the object is not known: the bytes have no envelope (k8s\\0)");
  }
  // Names the errors of a type that libsched knows in other versions or that has no name at all.
  const Result<ObjectKind> kind = classify(type);
  if (!kind.ok()) return kind.error();
  if (type.kind == "List") {
    return Error{Rc::kUnsupported, "protobuf: a List of objects of several kinds is not read"};
  }
  MessageWriter writer(limits);
  if (!writer.object(bytes, type, *kind == ObjectKind::kList)) return writer.error();
  return std::move(writer.text());
}

}  // namespace libsched
