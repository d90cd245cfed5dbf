// decode_config: from the text of a KubeSchedulerConfiguration to its versioned types, with the
// errors of upstream's strict decoder. Internal to the configuration layer.
#pragma once

#include "libsched/base/result.hpp"
#include "libsched/config/strict_decoder.hpp"
#include "libsched/config/v1_types.hpp"

namespace libsched {

inline constexpr Str kConfigGroup = "kubescheduler.config.k8s.io";
inline constexpr Str kConfigGroupVersion = "kubescheduler.config.k8s.io/v1";
inline constexpr Str kConfigKind = "KubeSchedulerConfiguration";

Result<V1Config> decode_config(Str bytes, Release release, std::vector<std::string>& warnings);
// A profile without the configuration around it, just as strictly.
Result<V1Profile> decode_profile(Str bytes, Release release, std::vector<std::string>& warnings);

// Decodes the kind and apiVersion of an object, which are read first: at this point they only have
// to be strings.
inline void decode_type_meta(StrictDecoder& d, const JsonValue& v) {
  std::string ignored;
  d.string(v, ignored);
}
template <typename T>
inline constexpr JsonField<T> kApiVersionField = {
    "apiVersion", [](StrictDecoder& d, const JsonValue& v, T&) { decode_type_meta(d, v); },
    "TypeMeta"};
template <typename T>
inline constexpr JsonField<T> kKindField = {
    "kind", [](StrictDecoder& d, const JsonValue& v, T&) { decode_type_meta(d, v); }, "TypeMeta"};

// Field tables (decode_fields.cpp, decode_args.cpp).
void decode_v1(StrictDecoder& d, const JsonValue& v, V1Config& out);
void decode_v1_profile(StrictDecoder& d, const JsonValue& v, V1Profile& out);
// The empty arguments of a kind such as "NodeAffinityArgs", or monostate if it is none.
V1Args make_v1_args(Str kind, Release release);
// The alternative of `args` selects the type to decode.
void decode_v1_args(StrictDecoder& d, const JsonValue& v, V1Args& args);

}  // namespace libsched
