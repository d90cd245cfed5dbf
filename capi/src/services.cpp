// Services: the clock, the API client, nominated and waiting pods, activations.
#include <string>

#include "api_client.hpp"
#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/ingest/write/write.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// The texts are put together from strings: a JSON library's values may allocate when they end.
std::string request_json(const MemoryApi::Request& r) {
  using Verb = MemoryApi::Verb;
  const auto member = [](const char* name, Str text) {
    return std::string(",\"") + name + "\":" + json_quote(text);
  };
  const auto about_pod = [&](const char* verb) {
    return std::string("{\"verb\":\"") + verb + "\"" +
           member("pod", std::string(r.pod->meta.ns) + "/" + std::string(r.pod->meta.name));
  };
  switch (r.verb) {
    case Verb::kBind: return about_pod("bind") + member("node", r.node) + "}";
    case Verb::kDeletePod: return about_pod("deletePod") + "}";
    case Verb::kPatchPodStatus:
      return about_pod("patchPodStatus") + ",\"patch\":" + status_patch_json(r.patch) + "}";
    case Verb::kUpdateObject: {
      const ObjectMeta& meta = r.object->meta;
      return "{\"verb\":\"patchObject\"" + member("kind", stored_kind_name(r.kind)) +
             (meta.ns.empty() ? std::string() : member("namespace", meta.ns)) +
             member("name", meta.name) + ",\"patch\":" + r.object_patch + "}";
    }
    case Verb::kCreateObject: {
      JsonText object;
      write_stored(object, r.kind, *r.object);
      return "{\"verb\":\"createObject\"" + member("kind", stored_kind_name(r.kind)) +
             member("namespace", r.object->meta.ns) + member("name", r.object->meta.name) +
             ",\"object\":" + object.take() + "}";
    }
    case Verb::kDeleteObject:
      return "{\"verb\":\"deleteObject\"" + member("kind", stored_kind_name(r.kind)) +
             member("namespace", r.object_ns) + member("name", r.name) + "}";
    case Verb::kEvent:
      return about_pod("event") + member("type", r.type) + member("reason", r.reason) +
             member("action", r.action) + member("note", r.note) + "}";
  }
  return "{}";
}

}  // namespace

extern "C" {

libsched_rc libsched_clock_create_system(libsched_clock** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return static_cast<Clock*>(new SystemClock()); });
}
libsched_rc libsched_clock_create_virtual(int64_t now_ns, libsched_clock** result,
                                          libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return static_cast<Clock*>(new VirtualClock(now_ns)); });
}
int64_t libsched_clock_now(const libsched_clock* clock) {
  return !live(clock) ? 0 : unwrap(clock)->now_ns();
}
libsched_rc libsched_clock_advance_to(libsched_clock* clock, int64_t now_ns,
                                      libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, clock);
  return guarded(error, [&]() -> Result<void> {
    auto* moved = dynamic_cast<VirtualClock*>(unwrap(clock));
    if (moved == nullptr) return Error{Rc::kState, "the clock cannot be moved: it is not virtual"};
    moved->advance_to(now_ns);
    return {};
  });
}

libsched_rc libsched_services_create(const libsched_services_options* options,
                                     libsched_services** result, libsched_error** error) {
  ApiOwner owner(options);
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_services_options> o = read_given(options);
    if (!o.ok()) return o.error();
    LIBSCHED_TRY(live_or_null("options->clock", o->clock));
    LIBSCHED_TRY(live_or_null("options->deadline_clock", o->deadline_clock));
    LIBSCHED_TRY(live_or_null("options->memory_api", o->memory_api));
    if (o->api != nullptr && o->memory_api != nullptr)
      return Error{Rc::kInvalid, "libsched_services_options: api and memory_api are both set"};
    Result<Ref<ApiClient>> api = owner.client();
    if (!api.ok()) return std::move(api.error());
    if (o->memory_api != nullptr) *api = Ref<MemoryApi>::share(unwrap(o->memory_api));
    const auto shared = [](libsched_clock* clock) {
      return clock == nullptr ? Ref<Clock>() : Ref<Clock>::share(unwrap(clock));
    };
    auto services =
        make_ref<Services>(shared(o->clock), std::move(*api), shared(o->deadline_clock));
    if (o->random_preemption) services->preemption_seed = o->seed;
    services->preemption_offset = o->preemption_offset;
    *result = own(services.release());
    return {};
  });
}
libsched_clock* libsched_services_clock(libsched_services* services) {
  return !live(services) ? nullptr : wrap(&unwrap(services)->clock());
}

libsched_clock* libsched_services_deadline_clock(libsched_services* services) {
  return !live(services) ? nullptr : wrap(&unwrap(services)->deadline_clock());
}

libsched_rc libsched_evaluator_set_services(libsched_evaluator* evaluator,
                                            libsched_services* services, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, evaluator, services);
  return guarded(error,
                 [&] { return unwrap(evaluator)->use(Ref<Services>::share(unwrap(services))); });
}
libsched_services* libsched_evaluator_services(libsched_evaluator* evaluator) {
  return !live(evaluator) ? nullptr : wrap(&unwrap(evaluator)->services());
}

libsched_memory_api* libsched_services_memory_api(libsched_services* services) {
  return !live(services) ? nullptr : wrap(dynamic_cast<MemoryApi*>(&unwrap(services)->api()));
}

libsched_rc libsched_memory_api_create(libsched_memory_api** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, result);
  return hand_over(error, result, [&] { return new MemoryApi(); });
}
libsched_rc libsched_memory_api_requests_json(const libsched_memory_api* api,
                                              libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, api, result);
  return hand_over(error, result, [&] {
    std::string json = "[";
    for (const MemoryApi::Request& r : unwrap(api)->requests())
      json += (json.size() > 1 ? "," : "") + request_json(r);
    return json + "]";
  });
}
libsched_rc libsched_memory_api_deliver(libsched_memory_api* api, libsched_cluster* cluster,
                                        libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, api, cluster);
  return guarded(error, [&] { return unwrap(api)->deliver(*unwrap(cluster)); });
}

libsched_rc libsched_services_nominate(libsched_services* services, const libsched_pod* pod,
                                       const libsched_nomination* nomination,
                                       libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, services, pod);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_nomination> n = read_given(nomination);
    if (!n.ok()) return n.error();
    std::optional<Nomination> wish;
    if (n->mode == LIBSCHED_NOMINATION_NOOP) wish = Nomination{};
    if (n->mode == LIBSCHED_NOMINATION_OVERRIDE) wish = Nomination{true, std::string(in(n->node))};
    if (n->mode > LIBSCHED_NOMINATION_OVERRIDE)
      return Error{Rc::kUnsupported, "libsched_nomination: unknown mode"};
    unwrap(services)->nominator().add(PodRef::share(unwrap(pod)), wish);
    return {};
  });
}
void libsched_services_remove_nomination(libsched_services* services, const libsched_pod* pod) {
  if (!live(services) || !live(pod)) return;
  quietly(false, [&] {
    unwrap(services)->nominator().remove(*unwrap(pod));
    return true;
  });
}
libsched_str libsched_services_nominated_node(const libsched_services* services,
                                              const libsched_pod* pod) {
  if (!live(services) || !live(pod)) return out(Str());
  return out(unwrap(services)->nominator().node_of(*unwrap(pod)));
}

libsched_rc libsched_cycle_state_activate(libsched_cycle_state* state, const libsched_pod* pod,
                                          libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, state, pod);
  return guarded(error, [&]() -> Result<void> {
    unwrap(state)->activate(PodRef::share(unwrap(pod)));
    return {};
  });
}
size_t libsched_cycle_state_activation_count(const libsched_cycle_state* state) {
  return !live(state) ? 0 : unwrap(state)->activation_count();
}
const libsched_pod* libsched_cycle_state_activation(const libsched_cycle_state* state,
                                                    size_t index) {
  return !live(state) ? nullptr : wrap(unwrap(state)->activation(index));
}
void libsched_cycle_state_clear_activations(libsched_cycle_state* state) {
  if (live(state)) unwrap(state)->take_activations();
}

}  // extern "C"
