// Embedded configurations: KubeSchedulerConfigurations that stand in another document, such as in
// the data of a ConfigMap. kube-scheduler itself reads none of them.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"

namespace libsched {

struct EmbeddedConfig {
  std::string place;  // as in `data["scheduler.yaml"]` or `documents[1].items[0].spec.config`
  std::string text;   // YAML or JSON, as it stands there
  // Whether the place is meant for whole files: a document of a stream, an item of a List, or the
  // data of a ConfigMap. What reads any other place is not known.
  bool is_file = false;
};

// In the order of the text. None: the text is a configuration by itself, it holds none, or it
// cannot be read. Of a stream of documents all are searched. Thread-safe.
std::vector<EmbeddedConfig> embedded_configs(Str text);

// The same as a JSON list of objects with "place", "text" and "isFile".
std::string embedded_configs_json(Str text);

}  // namespace libsched
