// The JSON of a volume's source as Go writes it: fields in the order of the API types, no empty or
// unknown fields, quantities in their canonical form.
#include <nlohmann/json.hpp>

#include "libsched/base/quantity.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

using Json = nlohmann::json;  // maps sorted by key

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

std::string object_json(const Json& value, const Field* fields, size_t count);

std::string quantity_json(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  const Result<Quantity> q = Quantity::parse_trimmed(text);
  const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  if (!q.ok() || begin == std::string::npos) return "\"0\"";
  return json_quote(canonical_quantity(*q, Str(text).substr(begin, end - begin + 1)));
}

template <typename F>
std::string map_json(const Json& value, F&& json) {
  std::string out = "{";
  for (auto it = value.begin(); it != value.end(); ++it)
    out.append(out.size() > 1 ? "," : "")
        .append(json_quote(it.key()))
        .append(":")
        .append(json(it.value()));
  return out + "}";
}

std::string string_json(const Json& value) {
  return json_quote(value.is_string() ? Str(value.get_ref<const std::string&>()) : Str());
}

template <typename F>
std::string list_json(const Json& value, F&& json) {
  std::string out = "[";
  for (const Json& item : value) out.append(out.size() > 1 ? "," : "").append(json(item));
  return out + "]";
}

// The JSON of a value that is present; a value of another type counts as empty (upstream refuses
// the document).
std::string value_json(const Json& value, const Field& f) {
  switch (f.type) {
    case Type::kString: return string_json(value);
    case Type::kBool: return value == true ? "true" : "false";
    case Type::kInt: return value.is_number_integer() ? value.dump() : "0";
    case Type::kQuantity: return quantity_json(value);
    case Type::kTime: return string_json(value);
    case Type::kAny: return value.dump();
    case Type::kStrings: return list_json(value, string_json);
    case Type::kStringMap: return map_json(value, string_json);
    case Type::kQuantityMap: return map_json(value, quantity_json);
    case Type::kObject: return object_json(value, f.of, f.of_count);
    case Type::kObjects:
      return list_json(value,
                       [&](const Json& item) { return object_json(item, f.of, f.of_count); });
  }
  return "null";
}

std::string absent_json(const Field& f) {
  if (f.when == When::kOrNull) return "null";
  switch (f.type) {
    case Type::kString: return "\"\"";
    case Type::kBool: return "false";
    case Type::kInt: return "0";
    case Type::kQuantity: return "\"0\"";
    case Type::kObject: return object_json(Json(), f.of, f.of_count);
    default: return "null";
  }
}

bool is_empty(const Json& value) {
  return value == false || value == 0 || value == "" || value.empty();
}

std::string object_json(const Json& value, const Field* fields, size_t count) {
  std::string out = "{";
  for (size_t i = 0; i < count; ++i) {
    const Field& f = fields[i];
    const auto it = value.is_object() ? value.find(f.name) : value.end();
    const bool there = it != value.end() && !it->is_null();
    if (!there && f.when != When::kAlways && f.when != When::kOrNull) continue;
    if (there && f.when == When::kUnlessEmpty && is_empty(*it)) continue;
    out.append(out.size() > 1 ? "," : "").append("\"").append(f.name).append("\":");
    out += there ? value_json(*it, f) : absent_json(f);
  }
  return out + "}";
}

}  // namespace

std::string volume_source_json(Str written) {
  const Json value = Json::parse(written.begin(), written.end(), nullptr, false);
  return object_json(value, kVolumeSource, std::size(kVolumeSource));
}

}  // namespace libsched
