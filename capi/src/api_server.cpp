// The API server in memory.
#include "libsched/scheduler/api_memory/api_server.hpp"

#include <cmath>
#include <string>

#include "api_client.hpp"
#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/quote.hpp"
#include "refusals.hpp"
#include "removable_kind.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

struct NamedVerb {
  ApiVerb verb;
  const char* name;
};
constexpr NamedVerb kVerbs[] = {{ApiVerb::kBind, "bind"},
                                {ApiVerb::kDeletePod, "deletePod"},
                                {ApiVerb::kPatchPodStatus, "patchPodStatus"},
                                {ApiVerb::kUpdateObject, "patchObject"}};

const char* name_of(ApiVerb verb) {
  for (const NamedVerb& v : kVerbs)
    if (v.verb == verb) return v.name;
  return "";
}

Result<ApiServerOptions> options_of(const libsched_api_server_options& o) {
  LIBSCHED_TRY(live_or_null("options->clock", o.clock));
  if (o.grace_ns < 0 || o.most_slow_ns < 0 || o.provision_ns < 0)
    return invalid("libsched_api_server_options: a time is negative");
  for (const double rate : {o.fault_rate, o.slow_rate})
    if (!(rate >= 0 && rate <= 1))
      return invalid("libsched_api_server_options: a rate is not between 0 and 1");
  if (o.provision_ns != 0 && !o.bind_volumes)
    return invalid("a time to make a volume needs a controller that makes volumes");
  ApiServerOptions out;
  if (o.bind_volumes) out.volumes = VolumeOptions{o.provision_ns, {}};
  out.release_claims = o.release_claims;
  out.grace_ns = o.grace_ns;
  out.keep_calls = o.keep_calls;
  out.keep_events = o.keep_events;
  out.faults = {o.fault_seed, o.fault_rate, o.slow_rate, o.most_slow_ns};
  return out;
}

// The texts are put together from strings: a JSON library's values may allocate when they end.
std::string call_json(const ApiCall& call) {
  std::string j = "{\"at\":" + std::to_string(call.at_ns) + ",\"verb\":\"" + name_of(call.verb) +
                  "\",\"key\":" + json_quote(call.key);
  if (call.verb == ApiVerb::kBind) j += ",\"node\":" + json_quote(call.node);
  if (call.verb == ApiVerb::kPatchPodStatus) j += ",\"patch\":" + status_patch_json(call.patch);
  if (!call.error.empty()) j += ",\"error\":" + json_quote(call.error);
  return j + "}";
}

std::string event_json(const ApiEvent& e) {
  return "{\"at\":" + std::to_string(e.at_ns) + ",\"key\":" + json_quote(e.key) +
         ",\"type\":" + json_quote(e.type) + ",\"reason\":" + json_quote(e.reason) +
         ",\"action\":" + json_quote(e.action) + ",\"note\":" + json_quote(e.note) +
         (e.about_claim ? ",\"kind\":\"PersistentVolumeClaim\"}" : "}");
}

template <typename T, typename F>
Text* text_of(const std::vector<T>& list, F&& json) {
  std::string all = "[";
  for (const T& item : list) all += (all.size() > 1 ? "," : "") + json(item);
  return new Text(all + "]");
}

}  // namespace

extern "C" {

libsched_rc libsched_api_server_create(const libsched_api_server_options* options,
                                       libsched_api_server** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_api_server_options> o = read_given(options);
    if (!o.ok()) return o.error();
    const Result<ApiServerOptions> how = options_of(*o);
    if (!how.ok()) return how.error();
    Ref<Clock> clock = o->clock == nullptr ? Ref<Clock>(make_ref<SystemClock>())
                                           : Ref<Clock>::share(unwrap(o->clock));
    *result = own(new ApiServer(std::move(clock), *how));
    return {};
  });
}

libsched_rc libsched_api_server_create_objects(libsched_api_server* server,
                                               const libsched_objects* objects,
                                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, objects);
  return guarded(error, [&] { return unwrap(server)->create(unwrap(objects)->set); });
}

libsched_rc libsched_api_server_update_objects(libsched_api_server* server,
                                               const libsched_objects* objects,
                                               libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, objects);
  return guarded(error, [&] { return unwrap(server)->update(unwrap(objects)->set); });
}

libsched_rc libsched_api_server_create_pod(libsched_api_server* server, const libsched_pod* pod,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, pod);
  return guarded(error, [&] { return unwrap(server)->create(PodRef::share(unwrap(pod))); });
}

libsched_rc libsched_api_server_create_node(libsched_api_server* server, const libsched_node* node,
                                            libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, node);
  return guarded(error, [&] { return unwrap(server)->create(NodeRef::share(unwrap(node))); });
}

libsched_rc libsched_api_server_update_pod(libsched_api_server* server, const libsched_pod* pod,
                                           libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, pod);
  return guarded(error, [&] { return unwrap(server)->update(PodRef::share(unwrap(pod))); });
}

libsched_rc libsched_api_server_update_node(libsched_api_server* server, const libsched_node* node,
                                            libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, node);
  return guarded(error, [&] { return unwrap(server)->update(NodeRef::share(unwrap(node))); });
}

libsched_rc libsched_api_server_delete(libsched_api_server* server, libsched_str kind,
                                       libsched_str namespace_, libsched_str name,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server);
  return guarded(error, [&]() -> Result<void> {
    if (in(kind) == "Pod") return unwrap(server)->remove_pod(in(namespace_), in(name));
    if (in(kind) == "Node") return unwrap(server)->remove_node(in(name));
    const size_t stored = find_stored_kind(in(kind));
    if (stored == kStoredKinds)
      return invalid("the server keeps no objects of kind \"" + std::string(in(kind)) + "\"");
    return unwrap(server)->remove_object(static_cast<StoredKind>(stored), in(namespace_), in(name));
  });
}

libsched_rc libsched_api_server_bind(libsched_api_server* server, libsched_str namespace_,
                                     libsched_str name, libsched_str node_name,
                                     libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server);
  return guarded(error,
                 [&] { return unwrap(server)->assign(in(namespace_), in(name), in(node_name)); });
}

libsched_rc libsched_api_server_finish_pod(libsched_api_server* server, libsched_str namespace_,
                                           libsched_str name, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server);
  return guarded(error, [&] { return unwrap(server)->finish_pod(in(namespace_), in(name)); });
}

libsched_rc libsched_api_server_add_fault(libsched_api_server* server,
                                          const libsched_api_fault* fault, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server);
  LIBSCHED_REQUIRE(error, fault != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_api_fault> f = read_given(fault);
    if (!f.ok()) return f.error();
    if (f->slow_ns < 0) return invalid("libsched_api_fault: slow_ns is negative");
    ApiFault made;
    for (const NamedVerb& v : kVerbs)
      if (in(f->verb) == v.name) made.verb = v.verb;
    if (!made.verb && !in(f->verb).empty())
      return invalid("libsched_api_fault: a scheduler makes no call \"" + std::string(in(f->verb)) +
                     "\"");
    made.key = in(f->key);
    made.error = in(f->error);
    made.slow_ns = f->slow_ns;
    made.times = f->times;
    unwrap(server)->add_fault(std::move(made));
    return {};
  });
}
void libsched_api_server_clear_faults(libsched_api_server* server) {
  if (live(server)) unwrap(server)->clear_faults();
}

libsched_rc libsched_api_server_find_pod(const libsched_api_server* server, libsched_str namespace_,
                                         libsched_str name, libsched_pod** result,
                                         libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, result);
  return hand_over(error, result, [&]() -> Result<PodRef> {
    PodRef found = unwrap(server)->pod(in(namespace_), in(name));
    if (!found) return api_error("notFound", "pods", in(name));
    return found;
  });
}

libsched_rc libsched_api_server_find_node(const libsched_api_server* server, libsched_str name,
                                          libsched_node** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, result);
  return hand_over(error, result, [&]() -> Result<NodeRef> {
    NodeRef found = unwrap(server)->node(in(name));
    if (!found) return api_error("notFound", "nodes", in(name));
    return found;
  });
}

libsched_rc libsched_api_server_objects(const libsched_api_server* server,
                                        libsched_objects** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, result);
  return hand_over(error, result, [&] {
    auto made = make_ref<Objects>();
    made->set.nodes = unwrap(server)->nodes();
    made->set.pods = unwrap(server)->pods();
    return made;
  });
}

uint64_t libsched_api_server_version(const libsched_api_server* server) {
  return live(server) ? unwrap(server)->version() : 0;
}

libsched_rc libsched_api_server_take_calls_json(libsched_api_server* server, libsched_text** result,
                                                libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, result);
  return guarded(error, [&]() -> Result<void> {
    const std::vector<ApiCall> calls = unwrap(server)->calls();
    *result = own(text_of(calls, call_json));
    unwrap(server)->drop_calls(calls.size());
    return {};
  });
}

libsched_rc libsched_api_server_take_events_json(libsched_api_server* server,
                                                 libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, server, result);
  return guarded(error, [&]() -> Result<void> {
    const std::vector<ApiEvent> events = unwrap(server)->events();
    *result = own(text_of(events, event_json));
    unwrap(server)->drop_events(events.size());
    return {};
  });
}

}  // extern "C"
