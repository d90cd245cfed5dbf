// Documents: the objects of the API server as JSON, for the changes of a script.
#pragma once

#include <map>
#include <string>

#include "libsched/scheduler/api_memory/api_server.hpp"
#include "world.hpp"

namespace libsched::cycles {

class Documents {
 public:
  Documents(Ref<ApiServer> server, int64_t start) : server_(std::move(server)), start_(start) {}

  // As a client; the texts of errors are those of the oracle's API server.
  Result<void> create(Json object);
  Result<void> patch(const std::string& kind, const std::string& key, const Json& patch);
  Result<void> remove(const std::string& kind, const std::string& key);
  Result<void> assign(const std::string& key, const std::string& node);
  // What the volume controller does: binds claims that volumes refer to, and makes volumes for
  // claims with a selected node.
  Result<void> bind_claims();
  // The scheduler has updated an object.
  void updated(StoredKind kind, const ObjectMeta& meta, Str patch);

 private:
  Result<void> put(const Json& object, bool is_new);
  Result<void> replace(const Json& object) { return put(object, false); }
  Json* find(const std::string& kind, const std::string& key);

  Ref<ApiServer> server_;
  int64_t start_;
  Mutex mutex_;      // of the documents: the scheduler's threads update some
  int created_ = 0;  // pods
  std::map<std::string, std::map<std::string, Json>> by_kind_;
};

bool cluster_scoped(const std::string& kind);

// "namespace/name", or "name".
std::pair<std::string, std::string> split_key(const std::string& key);

}  // namespace libsched::cycles
