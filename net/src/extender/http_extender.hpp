// HttpExtender: upstream's HTTPExtender, the functions of a libsched_extender over HTTP.
//
// Requests have the bodies and errors the texts of upstream's. Any thread may call its functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libsched.h"
#include "libsched/base/without_password.hpp"
#include "net/src/extender/documents.hpp"
#include "net/src/http/client.hpp"

namespace libsched {

// An entry of `extenders` of a KubeSchedulerConfiguration.
struct HttpExtenderConfig {
  std::string url_prefix, filter_verb, preempt_verb, prioritize_verb, bind_verb;
  int64_t weight = 0;
  bool node_cache_capable = false, ignorable = false;
  std::vector<std::string> managed_resources;
  HttpOptions http;

  // From the JSON of libsched_config_extender_json(). Reads the files that it names.
  static Result<HttpExtenderConfig> read(std::string_view json);
};

class HttpExtender {
 public:
  explicit HttpExtender(HttpExtenderConfig config)
      : config_(std::move(config)),
        shown_url_(without_password(config_.url_prefix)),
        client_(config_.http) {}

  // The functions for libsched_extender_create(), whose user data is this; strings are borrowed.
  libsched_extender_functions functions(std::vector<libsched_str>* managed) const;

  Result<void> filter(const libsched_pod* pod, const libsched_node* const* nodes, size_t count,
                      const libsched_extender_answer& answer);
  Result<void> prioritize(const libsched_pod* pod, const libsched_node* const* nodes, size_t count,
                          const libsched_extender_answer& answer);
  Result<void> process_preemption(const libsched_pod* pod,
                                  const libsched_extender_candidate* candidates, size_t count,
                                  const libsched_extender_answer& answer);
  Result<void> bind(const libsched_pod* pod, std::string_view node);

 private:
  // The first JSON value of the answer, a piece of *body.
  Result<std::string_view> send(const std::string& verb, std::string_view request,
                                std::string* body) const;
  Result<std::string> node_arguments(const libsched_pod* pod, const libsched_node* const* nodes,
                                     size_t count);

  HttpExtenderConfig config_;
  const std::string shown_url_;  // in texts
  HttpClient client_;
  NodeDocuments documents_;
};

}  // namespace libsched
