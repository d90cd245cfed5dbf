// YAML to JSON: the output is JSON that the object parser reads or refuses with a path.
#include <cstdlib>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/yaml.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Str text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<std::string>> documents = yaml_to_json(text, YamlLimits());
  if (!documents.ok() && documents.error().message.empty()) std::abort();
  ParseOptions options;
  options.format = Format::kYaml;
  options.max_bytes = 1 << 22;
  const Result<ObjectSet> set = parse_objects(text, options);
  if (!set.ok() && set.error().message.empty()) std::abort();
  // The object parser cannot accept text that the YAML reader refuses.
  if (!documents.ok() && set.ok()) std::abort();
  return 0;
}
