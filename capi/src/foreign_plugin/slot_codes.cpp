// The sentences about codes that a slot may not return.
#include "slot_codes.hpp"

namespace libsched::capi {

std::string SlotCodes::objection(const Status& answer) const {
  const bool nameless = answer.code == Code::kWait || answer.code == Code::kSkip;
  if (answer.code == Code::kError && answer.reasons.empty() && !answer.error)
    return std::string(slot) + " returned Error without a reason";
  if (!nameless || has(answer.code)) return {};
  std::string list;
  // In upstream's order, but for Error, which comes last.
  for (const Code code : {Code::kSuccess, Code::kUnschedulable, Code::kUnschedulableAndUnresolvable,
                          Code::kWait, Code::kSkip, Code::kPending})
    if (has(code)) list += (list.empty() ? "" : ", ") + std::string(code_name(code));
  return std::string(slot) + " returned " + code_name(answer.code) + "; it may return " + list +
         " or " + code_name(Code::kError);
}

}  // namespace libsched::capi
