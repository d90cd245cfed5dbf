// See ephemeral_claim.hpp.
#include "libsched/ingest/ephemeral_claim.hpp"

#include "libsched/ingest/json_place.hpp"
#include "libsched/ingest/json_reader.hpp"
#include "libsched/ingest/object_builder.hpp"

namespace libsched {

Result<Ref<PersistentVolumeClaim>> read_ephemeral_claim(const Volume& volume) {
  ParseOptions options;
  options.defaults = true;
  JsonReader reader(options.max_depth);
  ObjectBuilder builder(reader, options);
  reader.open(volume.json);
  Ref<PersistentVolumeClaim> made;
  const auto read = [&] {
    made = builder.ephemeral_claim();
    return static_cast<bool>(made);
  };
  if (!volume.json.empty() && reader.load(0) && reader.whole(read)) return made;
  const JsonFailure& failure = reader.failure();
  return invalid(place_of(volume.json, failure.offset).path,
                 failure.message.empty() ? "no claim template" : failure.message);
}

}  // namespace libsched
