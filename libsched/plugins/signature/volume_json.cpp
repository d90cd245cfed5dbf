// The JSON of a volume's source as Go writes it: fields in the order of the API types, no empty or
// unknown fields, quantities in their canonical form.
#include "libsched/base/quantity.hpp"
#include "libsched/config/json_document.hpp"
#include "libsched/ingest/write/json_text.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

using Kind = JsonValue::Kind;

enum class Type : uint8_t {
  kString,
  kBool,
  kInt,
  kQuantity,
  kTime,
  kAny,
  kStrings,
  kStringMap,
  kQuantityMap,
  kObject,
  kObjects,
};
// When a field is written: a Go pointer, a plain value with omitempty, or values without omitempty.
enum class When : uint8_t { kIfPresent, kUnlessEmpty, kAlways, kOrNull };

struct Field {
  const char* name;
  Type type;
  When when;
  const Field* of = nullptr;
  size_t of_count = 0;

  constexpr Field(const char* n, Type t, When w) : name(n), type(t), when(w) {}
  template <size_t N>
  constexpr Field(const char* n, Type t, When w, const Field (&fields)[N])
      : name(n), type(t), when(w), of(fields), of_count(N) {}
};

// The types of core/v1.
constexpr Field kHostPath[] = {{"path", Type::kString, When::kAlways},
                               {"type", Type::kString, When::kIfPresent}};
constexpr Field kEmptyDir[] = {{"medium", Type::kString, When::kUnlessEmpty},
                               {"sizeLimit", Type::kQuantity, When::kIfPresent}};
constexpr Field kGcePersistentDisk[] = {{"pdName", Type::kString, When::kAlways},
                                        {"fsType", Type::kString, When::kUnlessEmpty},
                                        {"partition", Type::kInt, When::kUnlessEmpty},
                                        {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kAwsElasticBlockStore[] = {{"volumeID", Type::kString, When::kAlways},
                                           {"fsType", Type::kString, When::kUnlessEmpty},
                                           {"partition", Type::kInt, When::kUnlessEmpty},
                                           {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kGitRepo[] = {{"repository", Type::kString, When::kAlways},
                              {"revision", Type::kString, When::kUnlessEmpty},
                              {"directory", Type::kString, When::kUnlessEmpty}};
constexpr Field kKeyToPath[] = {{"key", Type::kString, When::kAlways},
                                {"path", Type::kString, When::kAlways},
                                {"mode", Type::kInt, When::kIfPresent}};
constexpr Field kSecret[] = {{"secretName", Type::kString, When::kUnlessEmpty},
                             {"items", Type::kObjects, When::kUnlessEmpty, kKeyToPath},
                             {"defaultMode", Type::kInt, When::kIfPresent},
                             {"optional", Type::kBool, When::kIfPresent}};
constexpr Field kNfs[] = {{"server", Type::kString, When::kAlways},
                          {"path", Type::kString, When::kAlways},
                          {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kLocalObjectReference[] = {{"name", Type::kString, When::kUnlessEmpty}};
constexpr Field kIscsi[] = {{"targetPortal", Type::kString, When::kAlways},
                            {"iqn", Type::kString, When::kAlways},
                            {"lun", Type::kInt, When::kAlways},
                            {"iscsiInterface", Type::kString, When::kUnlessEmpty},
                            {"fsType", Type::kString, When::kUnlessEmpty},
                            {"readOnly", Type::kBool, When::kUnlessEmpty},
                            {"portals", Type::kStrings, When::kUnlessEmpty},
                            {"chapAuthDiscovery", Type::kBool, When::kUnlessEmpty},
                            {"chapAuthSession", Type::kBool, When::kUnlessEmpty},
                            {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference},
                            {"initiatorName", Type::kString, When::kIfPresent}};
constexpr Field kGlusterfs[] = {{"endpoints", Type::kString, When::kAlways},
                                {"path", Type::kString, When::kAlways},
                                {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kPersistentVolumeClaim[] = {{"claimName", Type::kString, When::kAlways},
                                            {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kRbd[] = {{"monitors", Type::kStrings, When::kOrNull},
                          {"image", Type::kString, When::kAlways},
                          {"fsType", Type::kString, When::kUnlessEmpty},
                          {"pool", Type::kString, When::kUnlessEmpty},
                          {"user", Type::kString, When::kUnlessEmpty},
                          {"keyring", Type::kString, When::kUnlessEmpty},
                          {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference},
                          {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kFlex[] = {{"driver", Type::kString, When::kAlways},
                           {"fsType", Type::kString, When::kUnlessEmpty},
                           {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference},
                           {"readOnly", Type::kBool, When::kUnlessEmpty},
                           {"options", Type::kStringMap, When::kUnlessEmpty}};
constexpr Field kCinder[] = {{"volumeID", Type::kString, When::kAlways},
                             {"fsType", Type::kString, When::kUnlessEmpty},
                             {"readOnly", Type::kBool, When::kUnlessEmpty},
                             {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference}};
constexpr Field kCephFs[] = {{"monitors", Type::kStrings, When::kOrNull},
                             {"path", Type::kString, When::kUnlessEmpty},
                             {"user", Type::kString, When::kUnlessEmpty},
                             {"secretFile", Type::kString, When::kUnlessEmpty},
                             {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference},
                             {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kFlocker[] = {{"datasetName", Type::kString, When::kUnlessEmpty},
                              {"datasetUUID", Type::kString, When::kUnlessEmpty}};
constexpr Field kObjectFieldSelector[] = {{"apiVersion", Type::kString, When::kUnlessEmpty},
                                          {"fieldPath", Type::kString, When::kAlways}};
constexpr Field kResourceFieldSelector[] = {{"containerName", Type::kString, When::kUnlessEmpty},
                                            {"resource", Type::kString, When::kAlways},
                                            {"divisor", Type::kQuantity, When::kAlways}};
constexpr Field kDownwardApiVolumeFile[] = {
    {"path", Type::kString, When::kAlways},
    {"fieldRef", Type::kObject, When::kIfPresent, kObjectFieldSelector},
    {"resourceFieldRef", Type::kObject, When::kIfPresent, kResourceFieldSelector},
    {"mode", Type::kInt, When::kIfPresent}};
constexpr Field kDownwardApi[] = {
    {"items", Type::kObjects, When::kUnlessEmpty, kDownwardApiVolumeFile},
    {"defaultMode", Type::kInt, When::kIfPresent}};
constexpr Field kFc[] = {{"targetWWNs", Type::kStrings, When::kUnlessEmpty},
                         {"lun", Type::kInt, When::kIfPresent},
                         {"fsType", Type::kString, When::kUnlessEmpty},
                         {"readOnly", Type::kBool, When::kUnlessEmpty},
                         {"wwids", Type::kStrings, When::kUnlessEmpty}};
constexpr Field kAzureFile[] = {{"secretName", Type::kString, When::kAlways},
                                {"shareName", Type::kString, When::kAlways},
                                {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kConfigMap[] = {{"name", Type::kString, When::kUnlessEmpty},
                                {"items", Type::kObjects, When::kUnlessEmpty, kKeyToPath},
                                {"defaultMode", Type::kInt, When::kIfPresent},
                                {"optional", Type::kBool, When::kIfPresent}};
constexpr Field kVsphereVirtualDisk[] = {{"volumePath", Type::kString, When::kAlways},
                                         {"fsType", Type::kString, When::kUnlessEmpty},
                                         {"storagePolicyName", Type::kString, When::kUnlessEmpty},
                                         {"storagePolicyID", Type::kString, When::kUnlessEmpty}};
constexpr Field kQuobyte[] = {
    {"registry", Type::kString, When::kAlways},    {"volume", Type::kString, When::kAlways},
    {"readOnly", Type::kBool, When::kUnlessEmpty}, {"user", Type::kString, When::kUnlessEmpty},
    {"group", Type::kString, When::kUnlessEmpty},  {"tenant", Type::kString, When::kUnlessEmpty}};
constexpr Field kAzureDisk[] = {
    {"diskName", Type::kString, When::kAlways},       {"diskURI", Type::kString, When::kAlways},
    {"cachingMode", Type::kString, When::kIfPresent}, {"fsType", Type::kString, When::kIfPresent},
    {"readOnly", Type::kBool, When::kIfPresent},      {"kind", Type::kString, When::kIfPresent}};
constexpr Field kPhotonPersistentDisk[] = {{"pdID", Type::kString, When::kAlways},
                                           {"fsType", Type::kString, When::kUnlessEmpty}};
constexpr Field kSecretProjection[] = {{"name", Type::kString, When::kUnlessEmpty},
                                       {"items", Type::kObjects, When::kUnlessEmpty, kKeyToPath},
                                       {"optional", Type::kBool, When::kIfPresent}};
constexpr Field kDownwardApiProjection[] = {
    {"items", Type::kObjects, When::kUnlessEmpty, kDownwardApiVolumeFile}};
constexpr Field kConfigMapProjection[] = {{"name", Type::kString, When::kUnlessEmpty},
                                          {"items", Type::kObjects, When::kUnlessEmpty, kKeyToPath},
                                          {"optional", Type::kBool, When::kIfPresent}};
constexpr Field kServiceAccountTokenProjection[] = {
    {"audience", Type::kString, When::kUnlessEmpty},
    {"expirationSeconds", Type::kInt, When::kIfPresent},
    {"path", Type::kString, When::kAlways}};
constexpr Field kLabelSelectorRequirement[] = {{"key", Type::kString, When::kAlways},
                                               {"operator", Type::kString, When::kAlways},
                                               {"values", Type::kStrings, When::kUnlessEmpty}};
constexpr Field kLabelSelector[] = {
    {"matchLabels", Type::kStringMap, When::kUnlessEmpty},
    {"matchExpressions", Type::kObjects, When::kUnlessEmpty, kLabelSelectorRequirement}};
constexpr Field kClusterTrustBundleProjection[] = {
    {"name", Type::kString, When::kIfPresent},
    {"signerName", Type::kString, When::kIfPresent},
    {"labelSelector", Type::kObject, When::kIfPresent, kLabelSelector},
    {"optional", Type::kBool, When::kIfPresent},
    {"path", Type::kString, When::kAlways}};
constexpr Field kPodCertificateProjection[] = {
    {"signerName", Type::kString, When::kUnlessEmpty},
    {"keyType", Type::kString, When::kUnlessEmpty},
    {"maxExpirationSeconds", Type::kInt, When::kIfPresent},
    {"credentialBundlePath", Type::kString, When::kUnlessEmpty},
    {"keyPath", Type::kString, When::kUnlessEmpty},
    {"certificateChainPath", Type::kString, When::kUnlessEmpty},
    {"userAnnotations", Type::kStringMap, When::kUnlessEmpty}};
constexpr Field kVolumeProjection[] = {
    {"secret", Type::kObject, When::kIfPresent, kSecretProjection},
    {"downwardAPI", Type::kObject, When::kIfPresent, kDownwardApiProjection},
    {"configMap", Type::kObject, When::kIfPresent, kConfigMapProjection},
    {"serviceAccountToken", Type::kObject, When::kIfPresent, kServiceAccountTokenProjection},
    {"clusterTrustBundle", Type::kObject, When::kIfPresent, kClusterTrustBundleProjection},
    {"podCertificate", Type::kObject, When::kIfPresent, kPodCertificateProjection}};
constexpr Field kProjected[] = {{"sources", Type::kObjects, When::kOrNull, kVolumeProjection},
                                {"defaultMode", Type::kInt, When::kIfPresent}};
constexpr Field kPortworx[] = {{"volumeID", Type::kString, When::kAlways},
                               {"fsType", Type::kString, When::kUnlessEmpty},
                               {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kScaleIo[] = {{"gateway", Type::kString, When::kAlways},
                              {"system", Type::kString, When::kAlways},
                              {"secretRef", Type::kObject, When::kOrNull, kLocalObjectReference},
                              {"sslEnabled", Type::kBool, When::kUnlessEmpty},
                              {"protectionDomain", Type::kString, When::kUnlessEmpty},
                              {"storagePool", Type::kString, When::kUnlessEmpty},
                              {"storageMode", Type::kString, When::kUnlessEmpty},
                              {"volumeName", Type::kString, When::kUnlessEmpty},
                              {"fsType", Type::kString, When::kUnlessEmpty},
                              {"readOnly", Type::kBool, When::kUnlessEmpty}};
constexpr Field kStorageOs[] = {
    {"volumeName", Type::kString, When::kUnlessEmpty},
    {"volumeNamespace", Type::kString, When::kUnlessEmpty},
    {"fsType", Type::kString, When::kUnlessEmpty},
    {"readOnly", Type::kBool, When::kUnlessEmpty},
    {"secretRef", Type::kObject, When::kIfPresent, kLocalObjectReference}};
constexpr Field kCsi[] = {
    {"driver", Type::kString, When::kAlways},
    {"readOnly", Type::kBool, When::kIfPresent},
    {"fsType", Type::kString, When::kIfPresent},
    {"volumeAttributes", Type::kStringMap, When::kUnlessEmpty},
    {"nodePublishSecretRef", Type::kObject, When::kIfPresent, kLocalObjectReference}};
constexpr Field kOwnerReference[] = {{"apiVersion", Type::kString, When::kAlways},
                                     {"kind", Type::kString, When::kAlways},
                                     {"name", Type::kString, When::kAlways},
                                     {"uid", Type::kString, When::kAlways},
                                     {"controller", Type::kBool, When::kIfPresent},
                                     {"blockOwnerDeletion", Type::kBool, When::kIfPresent}};
constexpr Field kManagedFieldsEntry[] = {{"manager", Type::kString, When::kUnlessEmpty},
                                         {"operation", Type::kString, When::kUnlessEmpty},
                                         {"apiVersion", Type::kString, When::kUnlessEmpty},
                                         {"time", Type::kTime, When::kIfPresent},
                                         {"fieldsType", Type::kString, When::kUnlessEmpty},
                                         {"fieldsV1", Type::kAny, When::kIfPresent},
                                         {"subresource", Type::kString, When::kUnlessEmpty}};
constexpr Field kObjectMeta[] = {
    {"name", Type::kString, When::kUnlessEmpty},
    {"generateName", Type::kString, When::kUnlessEmpty},
    {"namespace", Type::kString, When::kUnlessEmpty},
    {"selfLink", Type::kString, When::kUnlessEmpty},
    {"uid", Type::kString, When::kUnlessEmpty},
    {"resourceVersion", Type::kString, When::kUnlessEmpty},
    {"generation", Type::kInt, When::kUnlessEmpty},
    {"creationTimestamp", Type::kTime, When::kIfPresent},
    {"deletionTimestamp", Type::kTime, When::kIfPresent},
    {"deletionGracePeriodSeconds", Type::kInt, When::kIfPresent},
    {"labels", Type::kStringMap, When::kUnlessEmpty},
    {"annotations", Type::kStringMap, When::kUnlessEmpty},
    {"ownerReferences", Type::kObjects, When::kUnlessEmpty, kOwnerReference},
    {"finalizers", Type::kStrings, When::kUnlessEmpty},
    {"managedFields", Type::kObjects, When::kUnlessEmpty, kManagedFieldsEntry}};
constexpr Field kVolumeResourceRequirements[] = {
    {"limits", Type::kQuantityMap, When::kUnlessEmpty},
    {"requests", Type::kQuantityMap, When::kUnlessEmpty}};
constexpr Field kTypedLocalObjectReference[] = {{"apiGroup", Type::kString, When::kOrNull},
                                                {"kind", Type::kString, When::kAlways},
                                                {"name", Type::kString, When::kAlways}};
constexpr Field kTypedObjectReference[] = {{"apiGroup", Type::kString, When::kOrNull},
                                           {"kind", Type::kString, When::kAlways},
                                           {"name", Type::kString, When::kAlways},
                                           {"namespace", Type::kString, When::kIfPresent}};
constexpr Field kPersistentVolumeClaimSpec[] = {
    {"accessModes", Type::kStrings, When::kUnlessEmpty},
    {"selector", Type::kObject, When::kIfPresent, kLabelSelector},
    {"resources", Type::kObject, When::kAlways, kVolumeResourceRequirements},
    {"volumeName", Type::kString, When::kUnlessEmpty},
    {"storageClassName", Type::kString, When::kIfPresent},
    {"volumeMode", Type::kString, When::kIfPresent},
    {"dataSource", Type::kObject, When::kIfPresent, kTypedLocalObjectReference},
    {"dataSourceRef", Type::kObject, When::kIfPresent, kTypedObjectReference},
    {"volumeAttributesClassName", Type::kString, When::kIfPresent}};
constexpr Field kPersistentVolumeClaimTemplate[] = {
    {"metadata", Type::kObject, When::kAlways, kObjectMeta},
    {"spec", Type::kObject, When::kAlways, kPersistentVolumeClaimSpec}};
constexpr Field kEphemeral[] = {
    {"volumeClaimTemplate", Type::kObject, When::kIfPresent, kPersistentVolumeClaimTemplate}};
constexpr Field kImage[] = {{"reference", Type::kString, When::kUnlessEmpty},
                            {"pullPolicy", Type::kString, When::kUnlessEmpty}};
constexpr Field kVolumeSource[] = {
    {"hostPath", Type::kObject, When::kIfPresent, kHostPath},
    {"emptyDir", Type::kObject, When::kIfPresent, kEmptyDir},
    {"gcePersistentDisk", Type::kObject, When::kIfPresent, kGcePersistentDisk},
    {"awsElasticBlockStore", Type::kObject, When::kIfPresent, kAwsElasticBlockStore},
    {"gitRepo", Type::kObject, When::kIfPresent, kGitRepo},
    {"secret", Type::kObject, When::kIfPresent, kSecret},
    {"nfs", Type::kObject, When::kIfPresent, kNfs},
    {"iscsi", Type::kObject, When::kIfPresent, kIscsi},
    {"glusterfs", Type::kObject, When::kIfPresent, kGlusterfs},
    {"persistentVolumeClaim", Type::kObject, When::kIfPresent, kPersistentVolumeClaim},
    {"rbd", Type::kObject, When::kIfPresent, kRbd},
    {"flexVolume", Type::kObject, When::kIfPresent, kFlex},
    {"cinder", Type::kObject, When::kIfPresent, kCinder},
    {"cephfs", Type::kObject, When::kIfPresent, kCephFs},
    {"flocker", Type::kObject, When::kIfPresent, kFlocker},
    {"downwardAPI", Type::kObject, When::kIfPresent, kDownwardApi},
    {"fc", Type::kObject, When::kIfPresent, kFc},
    {"azureFile", Type::kObject, When::kIfPresent, kAzureFile},
    {"configMap", Type::kObject, When::kIfPresent, kConfigMap},
    {"vsphereVolume", Type::kObject, When::kIfPresent, kVsphereVirtualDisk},
    {"quobyte", Type::kObject, When::kIfPresent, kQuobyte},
    {"azureDisk", Type::kObject, When::kIfPresent, kAzureDisk},
    {"photonPersistentDisk", Type::kObject, When::kIfPresent, kPhotonPersistentDisk},
    {"projected", Type::kObject, When::kIfPresent, kProjected},
    {"portworxVolume", Type::kObject, When::kIfPresent, kPortworx},
    {"scaleIO", Type::kObject, When::kIfPresent, kScaleIo},
    {"storageos", Type::kObject, When::kIfPresent, kStorageOs},
    {"csi", Type::kObject, When::kIfPresent, kCsi},
    {"ephemeral", Type::kObject, When::kIfPresent, kEphemeral},
    {"image", Type::kObject, When::kIfPresent, kImage}};

void write_object(JsonText& json, const JsonValue* value, const Field* fields, size_t count);

void write_string(JsonText& json, const JsonValue& value) { json.string(value.text); }

void write_quantity(JsonText& json, const JsonValue& value) {
  const Str text = value.kind == Kind::kString ? Str(value.text) : value.raw;
  const Result<Quantity> q = Quantity::parse_trimmed(text);
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  if (!q.ok() || begin == Str::npos) return json.string("0");
  json.string(canonical_quantity(*q, text.substr(begin, end - begin + 1)));
}

// The members are sorted by their names, and the last of a name counts.
template <typename F>
void write_map(JsonText& json, const JsonValue& value, F&& write) {
  json.object([&] {
    for (size_t i = 0; i < value.members.size(); ++i) {
      const JsonValue::Member& m = value.members[i];
      if (i + 1 < value.members.size() && value.members[i + 1].first == m.first) continue;
      json.key(m.first);
      write(json, m.second);
    }
  });
}

template <typename F>
void write_list(JsonText& json, const JsonValue& value, F&& write) {
  json.open('[');
  for (const JsonValue& item : value.items) write(json, item);
  json.close(']');
}

bool is_integer(const JsonValue& value) {
  return value.kind == Kind::kNumber && value.raw.find_first_of(".eE") == Str::npos;
}

// The JSON of a value that is present; a value of another type counts as empty (upstream refuses
// the document).
void write_value(JsonText& json, const JsonValue& value, const Field& f) {
  const auto object = [&](JsonText&, const JsonValue& v) {
    write_object(json, &v, f.of, f.of_count);
  };
  switch (f.type) {
    case Type::kString:
    case Type::kTime: return write_string(json, value);
    case Type::kBool: return json.boolean(value.is_true());
    case Type::kInt: return json.raw(is_integer(value) ? value.raw : Str("0"));
    case Type::kQuantity: return write_quantity(json, value);
    case Type::kAny: return json.raw(compact_json(value.raw));
    case Type::kStrings: return write_list(json, value, write_string);
    case Type::kStringMap: return write_map(json, value, write_string);
    case Type::kQuantityMap: return write_map(json, value, write_quantity);
    case Type::kObject: return object(json, value);
    case Type::kObjects: return write_list(json, value, object);
  }
}

void write_absent(JsonText& json, const Field& f) {
  if (f.when == When::kOrNull) return json.null();
  switch (f.type) {
    case Type::kString: return json.string("");
    case Type::kBool: return json.boolean(false);
    case Type::kInt: return json.number(0);
    case Type::kQuantity: return json.string("0");
    case Type::kObject: return write_object(json, nullptr, f.of, f.of_count);
    default: return json.null();
  }
}

bool is_empty(const JsonValue& value) {
  switch (value.kind) {
    case Kind::kNull: return true;
    case Kind::kBool: return !value.is_true();
    case Kind::kNumber: return value.raw.find_first_of("123456789") == Str::npos;
    case Kind::kString: return value.text.empty();
    case Kind::kArray: return value.items.empty();
    case Kind::kObject: return value.members.empty();
  }
  return true;
}

// The last member of that name, or null if there is none or it has no value.
const JsonValue* find(const JsonValue* object, Str name) {
  const JsonValue* found = nullptr;
  if (object != nullptr)
    for (const auto& [first, value] : object->members)
      if (first == name) found = value.is_null() ? nullptr : &value;
  return found;
}

void write_object(JsonText& json, const JsonValue* value, const Field* fields, size_t count) {
  json.object([&] {
    for (size_t i = 0; i < count; ++i) {
      const Field& f = fields[i];
      const JsonValue* const member = find(value, f.name);
      if (member == nullptr && f.when != When::kAlways && f.when != When::kOrNull) continue;
      if (member != nullptr && f.when == When::kUnlessEmpty && is_empty(*member)) continue;
      json.key(f.name);
      member != nullptr ? write_value(json, *member, f) : write_absent(json, f);
    }
  });
}

}  // namespace

std::string volume_source_json(Str written) {
  Result<JsonValue> value = parse_json_document(written);
  if (value.ok()) value->sort_members();
  JsonText json;
  write_object(json, value.ok() ? &*value : nullptr, kVolumeSource, std::size(kVolumeSource));
  return json.take();
}

}  // namespace libsched
