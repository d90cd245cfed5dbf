// API clients written in C: turns requests into calls, and codes into errors.
#include "api_client.hpp"

#include "given.hpp"

#include <string>

#include "libsched/base/quote.hpp"
#include "libsched/ingest/write/write.hpp"

namespace libsched::capi {
namespace {

// The claim that a client says it has created. Takes the reference to `created`.
Result<Ref<const ResourceClaim>> created_claim(libsched_objects* created, Str ns) {
  const std::unique_ptr<libsched_objects, void (*)(libsched_objects*)> owned(
      created, [](libsched_objects* o) { libsched_objects_unref(o); });
  if (created != nullptr)
    for (const StoredObject& o : unwrap(created)->set.stored)
      if (o.kind == StoredKind::kResourceClaim && o.object->meta.ns == ns)
        return Ref<const ResourceClaim>::share(static_cast<const ResourceClaim*>(o.object.get()));
  return Error{Rc::kState, "create_object of the API client gave no ResourceClaim in namespace " +
                               std::string(ns)};
}

class ForeignApi final : public ApiClient {
 public:
  ForeignApi(const libsched_api_client& calls, void* user_data)
      : calls_(calls), user_data_(user_data) {}
  ~ForeignApi() override {
    if (calls_.destroy != nullptr) calls_.destroy(user_data_);
  }

  Result<void> bind(const Pod& pod, Str node) override {
    const std::string name(node);
    return ask(calls_.bind, "bind", [&](auto call, libsched_status* status) {
      return call(user_data_, wrap(&pod), out(name), status);
    });
  }
  Result<void> delete_pod(const Pod& pod) override {
    return ask(calls_.delete_pod, "delete_pod", [&](auto call, libsched_status* status) {
      return call(user_data_, wrap(&pod), status);
    });
  }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    const std::string json = status_patch_json(patch);
    return ask(calls_.patch_pod_status, "patch_pod_status",
               [&](auto call, libsched_status* status) {
                 return call(user_data_, wrap(&pod), out(json), status);
               });
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    const std::string json(patch);
    return ask(calls_.patch_object, "patch_object", [&](auto call, libsched_status* status) {
      return call(user_data_, out(stored_kind_name(kind)), out(object->meta.ns),
                  out(object->meta.name), out(json), status);
    });
  }
  Result<Ref<const ResourceClaim>> create_claim(const ResourceClaim& claim,
                                                Str generate_name) override {
    if (calls_.create_object == nullptr) return ApiClient::create_claim(claim, generate_name);
    JsonText text;
    write_new_claim(text, claim, generate_name);
    const std::string json = text.take();
    libsched_objects* created = nullptr;
    const Result<void> done =
        ask(calls_.create_object, "create_object", [&](auto call, libsched_status* status) {
          return call(user_data_, out(stored_kind_name(StoredKind::kResourceClaim)),
                      out(claim.meta.ns), out(json), &created, status);
        });
    Result<Ref<const ResourceClaim>> made = created_claim(created, claim.meta.ns);
    return done.ok() ? std::move(made) : done.error();
  }
  Result<void> delete_object(StoredKind kind, Str ns, Str name) override {
    return ask(calls_.delete_object, "delete_object", [&](auto call, libsched_status* status) {
      return call(user_data_, out(stored_kind_name(kind)), out(ns), out(name), status);
    });
  }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    if (calls_.event == nullptr) return;
    const std::string texts[] = {std::string(type), std::string(reason), std::string(action),
                                 std::string(note)};
    [[maybe_unused]] const Borrowing borrowing;
    calls_.event(user_data_, wrap(&pod), out(texts[0]), out(texts[1]), out(texts[2]),
                 out(texts[3]));
  }

 private:
  template <typename Slot, typename Call>
  Result<void> ask(Slot slot, const char* what, Call&& call) const {
    if (slot == nullptr) return {};
    Borrowing borrowing;
    const Lent<StatusObject> status;
    status->ref();  // a release by the callee frees nothing
    const libsched_code code = call(slot, wrap(status.get()));
    if (const char* given_back = borrowing.released())
      return Error{Rc::kState, std::string(what) + " of the API client released " + given_back +
                                   " that it had borrowed"};
    if (code == LIBSCHED_CODE_SUCCESS) return {};
    if (status->out_of_memory) throw std::bad_alloc();
    std::string why = status->status.message();
    if (why.empty())
      why = std::string(what) + " of the API client returned code " + std::to_string(code);
    return Error{Rc::kState, std::move(why)};
  }

  libsched_api_client calls_;
  void* user_data_;
};

}  // namespace

std::string status_patch_json(const PodStatusPatch& patch) {
  std::string conditions;
  for (const PodStatusPatch::Condition& c : patch.conditions) {
    conditions += (conditions.empty() ? "{\"type\":" : ",{\"type\":") + json_quote(c.type) +
                  ",\"status\":" + json_quote(c.status);
    if (!c.reason.empty()) conditions += ",\"reason\":" + json_quote(c.reason);
    if (!c.message.empty()) conditions += ",\"message\":" + json_quote(c.message);
    conditions += "}";
  }
  std::string status;
  if (!conditions.empty()) status = "\"conditions\":[" + conditions + "]";
  if (patch.set_nominated_node)
    status += (status.empty() ? "\"nominatedNodeName\":" : ",\"nominatedNodeName\":") +
              (patch.nominated_node.empty() ? "null" : json_quote(patch.nominated_node));
  if (patch.extended_claim) {
    std::string mappings;
    for (const PodStatusPatch::ExtendedClaim::Mapping& m : patch.extended_claim->mappings)
      mappings += (mappings.empty() ? "{\"containerName\":" : ",{\"containerName\":") +
                  json_quote(m.container) + ",\"resourceName\":" + json_quote(m.resource) +
                  ",\"requestName\":" + json_quote(m.request) + "}";
    status +=
        (status.empty() ? "" : ",") +
        ("\"extendedResourceClaimStatus\":{\"resourceClaimName\":" +
         json_quote(patch.extended_claim->claim) + ",\"requestMappings\":[" + mappings + "]}");
  }
  if (patch.allocatable_claims)
    status += (status.empty() ? "" : ",") +
              ("\"nodeAllocatableResourceClaimStatuses\":" + patch.allocatable_claims->json);
  return "{\"status\":{" + status + "}}";
}

// Reads only the fields that a struct of that size has: invalid structs are destroyed, too.
ApiOwner::ApiOwner(const libsched_services_options* options) noexcept {
  constexpr size_t kNeeded = offsetof(libsched_services_options, api_user_data) + sizeof(void*);
  if (options == nullptr || options->struct_size < kNeeded ||
      options->struct_size > kMaxStructSize || options->api == nullptr)
    return;
  given_ = options->api;
  user_data_ = options->api_user_data;
  constexpr size_t kDestroy = offsetof(libsched_api_client, destroy) + sizeof(given_->destroy);
  if (given_->struct_size >= kDestroy && given_->struct_size <= kMaxStructSize)
    destroy_ = given_->destroy;
}

ApiOwner::~ApiOwner() {
  if (destroy_ != nullptr) destroy_(user_data_);
}

Result<Ref<ApiClient>> ApiOwner::client() {
  if (given_ == nullptr) return Ref<ApiClient>();
  const Result<libsched_api_client> calls = read_given(given_);
  if (!calls.ok()) return calls.error();
  Ref<ApiClient> made = make_ref<ForeignApi>(*calls, user_data_);
  destroy_ = nullptr;  // now the client's
  return made;
}

}  // namespace libsched::capi
