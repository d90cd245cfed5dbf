// The codes that slots may return, for the sentence that tells the author of a plugin so.
//
// Upstream prints Go's "%!w(<nil>)" where a plugin returns Wait or Skip to a point that does not
// know it, and nothing at all for an Error without a reason. Each other code has reasons, which
// say more than its name.
#pragma once

#include <initializer_list>
#include <string>

#include "libsched/framework/status.hpp"

namespace libsched::capi {

struct SlotCodes {
  constexpr SlotCodes(const char* name, std::initializer_list<Code> codes) : slot(name) {
    for (const Code code : codes) mask |= bit(code);
  }
  static constexpr uint32_t bit(Code code) { return 1u << static_cast<uint32_t>(code); }

  bool has(Code code) const { return (mask & bit(code)) != 0; }
  // What is wrong with an answer, as a sentence; empty: nothing.
  std::string objection(const Status& answer) const;

  const char* slot;
  uint32_t mask = 0;
};

namespace slot_codes {

inline constexpr SlotCodes kPreFilter{"pre_filter",
                                      {Code::kSuccess, Code::kSkip, Code::kUnschedulable,
                                       Code::kUnschedulableAndUnresolvable, Code::kError}};
inline constexpr SlotCodes kAddPod{"add_pod", {Code::kSuccess, Code::kError}};
inline constexpr SlotCodes kRemovePod{"remove_pod", {Code::kSuccess, Code::kError}};
inline constexpr SlotCodes kFilter{
    "filter",
    {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable, Code::kPending,
     Code::kError}};
inline constexpr SlotCodes kFilterBatch{
    "filter_batch",
    {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable, Code::kPending,
     Code::kError}};
inline constexpr SlotCodes kPostFilter{
    "post_filter",
    {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable, Code::kError}};
inline constexpr SlotCodes kPreScore{"pre_score", {Code::kSuccess, Code::kSkip, Code::kError}};
inline constexpr SlotCodes kScore{"score", {Code::kSuccess, Code::kError}};
inline constexpr SlotCodes kScoreBatch{"score_batch", {Code::kSuccess, Code::kError}};
inline constexpr SlotCodes kNormalizeScore{"normalize_score", {Code::kSuccess, Code::kError}};
inline constexpr SlotCodes kReserve{
    "reserve",
    {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable, Code::kPending,
     Code::kError}};
inline constexpr SlotCodes kPermit{
    "permit",
    {Code::kSuccess, Code::kWait, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable,
     Code::kPending, Code::kError}};
inline constexpr SlotCodes kPreBind{
    "pre_bind",
    {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable, Code::kPending,
     Code::kError}};
inline constexpr SlotCodes kBind{
    "bind",
    {Code::kSuccess, Code::kSkip, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable,
     Code::kPending, Code::kError}};

}  // namespace slot_codes
}  // namespace libsched::capi
