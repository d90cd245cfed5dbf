// The syntax of label keys, label values and DNS names, and upstream's explanations of what breaks
// it. selector.hpp declares the checks of whole texts.
#pragma once

#include "libsched/objects/selector.hpp"

namespace libsched {

inline constexpr size_t kMaxLabel = 63;  // of a DNS label, a name and a label's value
inline constexpr size_t kMaxSubdomain = 253;

inline constexpr Str kLabelRule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
inline constexpr Str kSubdomainRule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

// Dot-separated labels of lower-case alphanumerics with dashes inside, of any length.
bool matches_subdomain(Str s);
inline bool matches_label(Str s) { return matches_subdomain(s) && s.find('.') == Str::npos; }

}  // namespace libsched
