// The claim that a generic ephemeral volume asks for. A pod keeps the volume's document, so reading
// many pods costs nothing more.
#pragma once

#include "libsched/base/result.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

// The volume's claim template with the API server's defaults, as a claim without name and
// namespace. Errors: kInvalid with the path in the volume.
Result<Ref<PersistentVolumeClaim>> read_ephemeral_claim(const Volume& volume);

}  // namespace libsched
