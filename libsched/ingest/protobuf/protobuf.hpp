// Kubernetes' protobuf encoding -> JSON text, which the object builder reads as any other.
//
// A table of messages drives the conversion, so each field has the name, the defaults, the checks
// and the path in errors that it has in JSON. Unknown fields are skipped. Fields that hold JSON or
// opaque bytes (managedFields, parameters of device drivers) are left out; no object reads them.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/interrupt.hpp"
#include "libsched/ingest/kinds.hpp"

namespace libsched {

// The bytes before a runtime.Unknown message, which names the type of the object within: the form
// in etcd and in answers of the API server.
constexpr Str kProtobufEnvelope("k8s\0", 4);

struct ProtobufLimits {
  size_t max_bytes = size_t{4} << 30;  // of the JSON text
  int max_depth = 200;                 // of messages within messages
  Interrupt interrupt;
};

// `type`: of a message without an envelope; empty: such a message is an error. An object of a kind
// that libsched does not read becomes one without fields, and a list of such objects keeps their
// number. Errors: Rc::kInvalid (with the path: "spec.containers[0].image"; for truncated bytes, a
// wrong wire type, text that is not UTF-8, a field that is there twice, or elements of a list
// that do not stand together), kLimit, kUnsupported (an envelope with compressed or other content),
// kCancelled. Throws std::bad_alloc.
Result<std::string> protobuf_to_json(Str bytes, const TypeName& type, const ProtobufLimits& limits);

}  // namespace libsched
