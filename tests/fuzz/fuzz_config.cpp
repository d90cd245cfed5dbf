// Configurations of any release: an accepted one can be written and read back to the same
// configuration.
#include <cstdlib>

#include "libsched/config/config.hpp"
#include "libsched/config/config_json.hpp"

using namespace libsched;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Str text(reinterpret_cast<const char*>(data), size);
  const auto release = static_cast<Release>(size % kReleaseCount);
  ConfigOptions options;
  options.gates = FeatureGates(release);
  const Result<ConfigRef> config = parse_config(text, options);
  if (!config.ok()) {
    if (config.error().message.empty()) std::abort();
    return 0;
  }
  const Result<std::string> described = check_config_json(**config, in_tree_catalog(release));
  if (!described.ok() && described.error().message.empty()) std::abort();
  const std::string written = config_to_json(**config);
  const Result<ConfigRef> again = parse_config(written, options);
  if (!again.ok() || config_to_json(**again) != written) std::abort();
  return 0;
}
