// ObjectBuilder: JSON values -> typed objects. The generic part: fields, lists, maps, scalars.
//
// The builder accepts the input of upstream's decoder: null is absent, keys are case-sensitive,
// integers have no fraction, a quantity is a string or a number. A duplicate key is an error, which
// is stricter on purpose. A function that returns false has called fail() on the reader. Scratch
// space is kept between objects; every object gets its own arena.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/json_reader.hpp"
#include "libsched/objects/admitting.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/resource_slice.hpp"

namespace libsched {

struct NodeCapacity;

TaintEffect to_taint_effect(Str text);

class JobRules;

class ObjectBuilder {
 public:
  ObjectBuilder(JsonReader& reader, const ParseOptions& options)
      : reader_(reader), options_(options) {}

  // Build the next value as an object; nullptr after a failure. `api_version` and `kind` are its
  // type as far as known; a document with another type fails with other_type().
  Ref<Pod> pod(Str api_version, Str kind);
  Ref<Node> node(Str api_version, Str kind);
  Ref<Namespace> name_space(Str api_version, Str kind);
  Ref<PriorityClass> priority_class(Str api_version, Str kind);
  Ref<Workload> workload(Str api_version, Str kind);
  // The selector of the last workload, if it is a ReplicaSet or StatefulSet; else null.
  const Ref<Controller>& controller() const { return controller_; }
  // Any other kind that read_as kStored; the object is null after a failure.
  StoredObject stored(StoredKind kind, Str api_version);
  // The claim that a volume with a generic ephemeral source asks for, without name and namespace;
  // null after a failure.
  Ref<PersistentVolumeClaim> ephemeral_claim();

  // The failure was only that the object is of another type than expected.
  bool other_type() const { return other_type_; }
  // The keys of the last object that its API type does not have: their number, and of the first
  // ones the places and the names that may have been meant.
  struct UnknownField {
    size_t offset = 0;
    std::string hint;  // as of NearName
  };
  int64_t unknown_fields() const { return unknown_fields_; }
  const std::vector<UnknownField>& first_unknown() const { return first_unknown_; }
  static constexpr size_t kMaxFirstUnknown = 10;

 private:
  // Generic readers. A null is accepted and leaves `out` unchanged.
  template <size_t N, typename OnField>
  bool object(const KeyTable<N>& table, OnField&& on_field);
  template <typename T, typename ReadItem>
  bool list(Span<T>& out, ReadItem&& read_item);
  template <typename T, typename ReadItem>
  bool present_list(Span<T>& out, bool& present, ReadItem&& read_item);
  // A map from any text (stored in T::*name) to values read by read_value; sorted by key, a
  // duplicate key is an error.
  template <typename T, typename ReadValue>
  bool map(Span<T>& out, Str T::* name, ReadValue&& read_value);
  template <typename T>
  bool sort_map(std::vector<T>& items, size_t mark, Str T::* name);
  bool skip() { return reader_.skip(); }
  bool null() {
    Str ignored;
    return reader_.scalar(ignored);
  }
  bool string(Str& out);
  bool passing_string(std::string& scratch, Str& out);  // for a moment: see JsonReader::text_of
  bool string_list(Span<Str>& out);
  bool boolean(bool& out);
  bool optional_boolean(std::optional<bool>& out);
  bool int32(int32_t& out);
  bool optional_string(std::optional<Str>& out);
  bool optional_quantity(std::optional<Quantity>& out);
  bool optional_int32(std::optional<int32_t>& out);
  bool int64(int64_t& out);
  bool time(Time& out);
  bool quantity(Quantity& out, Str* written = nullptr);  // `written`: its text, if not null
  bool resource_list(ResourceList& out);
  bool labels(Labels& out);
  bool key_lookup(JsonString& key, size_t offset);
  bool unknown_field(size_t offset, Str key, std::span<const Str> known);
  bool duplicate_key(size_t offset);

  // Parts of objects, by file.
  void start(Arena& arena);  // meta_builder.cpp
  bool type_field(Str expected);
  bool metadata(ObjectMeta& meta);
  bool annotations(ObjectMeta& meta);
  void keep_annotations(bool hash);
  void mark_annotations(ObjectMeta& meta) const;
  bool finish_meta(ObjectMeta& meta, bool namespaced, size_t begin);
  bool owner(OwnerReference& owner);
  void remember_document(Object& object, size_t begin);
  enum class RequirementOf : uint8_t { kLabels, kNodeLabels, kNodeFields };
  bool requirement(Requirement& r, RequirementOf of);  // selector_builder.cpp
  bool label_selector(LabelSelector& selector);
  bool node_selector(NodeSelector& selector);
  bool node_selector_term(NodeSelectorTerm& term);
  bool preferred_term(PreferredSchedulingTerm& term);
  bool affinity(PodSpec& spec);  // affinity_builder.cpp
  bool node_affinity(NodeAffinity& affinity);
  bool pod_affinity(PodAffinity& affinity);
  bool pod_affinity_term(PodAffinityTerm& term);
  bool weighted_pod_affinity_term(PodAffinityTerm& term);
  bool spread_constraint(TopologySpreadConstraint& constraint);
  bool pod_spec(PodSpec& spec);  // pod_builder.cpp
  bool toleration(Toleration& t);
  bool pod_resource_claim(PodResourceClaim& claim);
  bool named(Str& name);
  bool scheduling_group(Str& group);
  bool pod_resources(PodSpec& spec);
  void finish_pod(Pod& pod);
  void learn_size(const Arena& arena);
  bool container(Container& c);  // container_builder.cpp
  bool container_port(ContainerPort& port);
  bool container_resources(ResourceList& requests, ResourceList& limits, Span<Str>& claims,
                           bool* has_requests = nullptr);
  bool restart_rules(bool& restarts_all);
  bool volume_mounts();
  bool volume(Volume& v);  // volume_builder.cpp
  template <typename Table>
  bool volume_source(Volume& v, VolumeKind kind, const Table& table, int id, int read_only);
  template <typename Table>
  bool azure_volume(Volume& v, VolumeKind kind, const Table& table, int id);
  bool rbd(Volume& v);
  bool ephemeral(Volume& v);
  bool pod_status(PodStatus& status);  // pod_status_builder.cpp
  bool condition(PodCondition& condition);
  bool container_status(ContainerStatus& status);
  bool claim_status(ResourceClaimStatus& status);
  bool allocatable_claim(AllocatableClaim& claim);
  bool extended_claim_status(PodStatus& status);
  bool node_spec(Node& node);  // node_builder.cpp
  bool taint(Taint& taint, Time& added);
  bool node_status(Node& node, NodeCapacity& capacity);
  bool image(ContainerImage& image);
  bool taints(Node& node);
  bool node_conditions(uint64_t& hash);
  struct WorkloadParts;  // workload_builder.cpp
  bool workload_spec(WorkloadParts& parts, Str kind);
  template <typename Table>
  bool workload_fields(WorkloadParts& parts, const Table& table, int pod, int count);
  bool stateful_set_spec(WorkloadParts& parts);
  bool job_spec(WorkloadParts& parts);
  bool other_job_field(JobRules& job, Str name, std::vector<Str>& others);
  bool cron_job_spec(WorkloadParts& parts);
  bool job_metadata(WorkloadParts& parts);
  void inherit_annotations(const WorkloadParts& parts);
  bool pod_template(WorkloadParts& parts);
  bool claim_template(PersistentVolumeClaim& made);
  bool workload_selector(WorkloadParts& parts);
  void finish_controller(const WorkloadParts& parts, Str api_version);
  struct TypeNames {
    Str api_version, kind;
  };
  template <typename T>
  Ref<T> stored_object(StoredKind kind, const TypeNames& type,
                       bool (ObjectBuilder::*read)(T&, const TypeNames&));
  bool persistent_volume(PersistentVolume& pv, const TypeNames& type);  // storage_builder.cpp
  bool persistent_volume_spec(PersistentVolume& pv);
  bool storage_of(std::optional<Quantity>& out);
  bool claim_ref(std::optional<ClaimRef>& out);
  template <typename Table>
  bool persistent_source(VolumeSource& source, VolumeKind kind, const Table& table, int id);
  bool csi_source(VolumeSource& source);
  bool azure_file(VolumeSource& source);
  bool azure_disk(VolumeSource& source);
  bool claim(PersistentVolumeClaim& claim, const TypeNames& type);
  bool claim_spec(PersistentVolumeClaim& claim);
  bool storage_class(StorageClass& sc, const TypeNames& type);  // csi_builder.cpp
  bool topology_term(TopologySelectorTerm& term);
  bool csi_node(CsiNode& node, const TypeNames& type);
  bool csi_node_driver(CsiNodeDriver& driver);
  bool csi_driver(CsiDriver& driver, const TypeNames& type);
  bool csi_storage_capacity(CsiStorageCapacity& capacity, const TypeNames& type);
  bool volume_attachment(VolumeAttachment& attachment, const TypeNames& type);
  bool service(Service& service, const TypeNames& type);  // selecting_builder.cpp
  bool disruption_budget(PodDisruptionBudget& budget, const TypeNames& type);
  bool budget_status(PodDisruptionBudget& budget, int64_t& observed);
  bool runtime_class(RuntimeClass& made, const TypeNames& type);  // admitting_builder.cpp
  bool runtime_class_field(RuntimeClass& made, int field);
  bool limit_range(LimitRange& range, const TypeNames& type);
  bool limit_range_item(LimitRangeItem& item);
  bool pod_group(PodGroup& group, const TypeNames& type);  // pod_group_builder.cpp
  bool composite_pod_group(CompositePodGroup& group, const TypeNames& type);
  bool pod_group_policy(PodGroup& group);
  bool pod_group_constraints(PodGroup& group);
  bool pod_group_disruption(PodGroup& group);
  bool pod_group_status(PodGroup& group);
  bool raw_json(Str& out);  // device_builder.cpp
  bool device_selectors(Span<DeviceSelector>& out);
  bool opaque_configuration(DeviceConfiguration& config);
  bool device_tolerations(Span<DeviceToleration>& out);
  bool device_taint(DeviceTaint& taint);
  bool device_class(DeviceClass& device_class, const TypeNames& type);
  bool device_taint_rule(DeviceTaintRule& rule, const TypeNames& type);
  bool resource_slice(ResourceSlice& slice, const TypeNames& type);  // resource_slice_builder.cpp
  bool resource_slice_spec(ResourceSlice& slice, bool basic);
  bool device(Device& device, bool basic);
  bool device_field(Device& device, int field);
  bool device_mapping(AllocatableUse& use);
  bool device_allocatable(AllocatableUse& use);
  bool device_attribute(DeviceAttribute& attribute);
  bool device_capacity(DeviceCapacity& capacity);
  bool optional_amount(std::optional<Amount>& out);
  bool amount_list(AmountList& out);
  bool capacity_policy(DeviceCapacity& capacity);
  bool device_counters(DeviceCounters& counters, bool consumed);
  bool resource_claim(ResourceClaim& claim, const TypeNames& type);  // resource_claim_builder.cpp
  bool resource_claim_template(ResourceClaimTemplate& made, const TypeNames& type);
  bool resource_claim_spec(ResourceClaimSpec& spec, bool flat);
  bool device_request(DeviceRequest& request, bool flat);
  bool device_requirement(DeviceRequirement& requirement, bool alternative);
  static void set_requirement_defaults(DeviceRequirement& requirement);
  bool requirement_field(DeviceRequirement& requirement, int field);
  bool device_constraint(DeviceConstraint& constraint);
  bool resource_claim_status(ResourceClaim& claim);  // claim_status_builder.cpp
  bool claim_allocation(std::optional<ClaimAllocation>& allocation);
  bool allocated_device(AllocatedDevice& device);
  bool allocated_device_status(AllocatedDeviceStatus& status);

  // Scratch for lists while they grow, one vector per type.
  template <typename T>
  std::vector<T>& scratch() {
    return std::get<std::vector<T>>(scratch_);
  }
  std::tuple<
      std::vector<Str>, std::vector<Label>, std::vector<Requirement>, std::vector<NodeSelectorTerm>,
      std::vector<PreferredSchedulingTerm>, std::vector<PodAffinityTerm>,
      std::vector<TopologySpreadConstraint>, std::vector<Toleration>, std::vector<Container>,
      std::vector<ContainerPort>, std::vector<Volume>, std::vector<PodResourceClaim>,
      std::vector<ResourceClaimStatus>, std::vector<PodCondition>, std::vector<ContainerStatus>,
      std::vector<OwnerReference>, std::vector<Taint>, std::vector<ContainerImage>,
      std::vector<NamedQuantity>, std::vector<KeyValue>, std::vector<TopologySelectorTerm>,
      std::vector<TopologySelectorRequirement>, std::vector<CsiNodeDriver>,
      std::vector<PodGroup::Condition>, std::vector<int64_t>, std::vector<Amount>,
      std::vector<NamedAmount>, std::vector<DeviceSelector>, std::vector<DeviceToleration>,
      std::vector<DeviceTaint>, std::vector<DeviceConfiguration>, std::vector<DeviceAttribute>,
      std::vector<DeviceCapacity>, std::vector<DeviceCounters>, std::vector<Device>,
      std::vector<DeviceRequest>, std::vector<DeviceRequirement>, std::vector<DeviceConstraint>,
      std::vector<AllocatedDevice>, std::vector<ClaimConsumer>, std::vector<AllocatedDeviceStatus>,
      std::vector<AllocatedDeviceStatus::Condition>, std::vector<LimitRangeItem>,
      std::vector<AllocatableClaim>, std::vector<AllocatableUse>>
      scratch_;
  std::vector<size_t> key_offsets_;  // of the map being read

  JsonReader& reader_;
  const ParseOptions& options_;
  Arena* arena_ = nullptr;        // of the object being built
  size_t arena_estimate_ = 2048;  // bytes that objects like the last ones took
  bool other_type_ = false;
  // For the current object. A node's annotations are hashed if they are not kept.
  bool keep_annotations_ = false, hash_annotations_ = false, keep_version_ = false;
  uint64_t annotations_hash_ = 0;
  bool mirror_ = false;         // has the annotation of a static pod
  bool mount_options_ = false;  // some container of the pod has bindMountOptions
  bool keep_generation_ = false;
  Span<Str>* finalizers_ = nullptr;  // where the object keeps them, or null
  int64_t generation_ = 0;
  std::string key_text_, value_text_;                      // scratch
  std::vector<std::pair<uint64_t, uint64_t>> conditions_;  // of a node: hashes of types, of both
  Ref<Controller> controller_;
  bool generate_name_ = false;  // the metadata read last has a generateName
  int64_t unknown_fields_ = 0;
  std::vector<UnknownField> first_unknown_;
};

template <size_t N, typename OnField>
bool ObjectBuilder::object(const KeyTable<N>& table, OnField&& on_field) {
  if (reader_.is_null()) return null();
  if (!reader_.enter('{')) return false;
  uint64_t seen = 0;
  if (!reader_.take('}')) {
    do {
      const size_t offset = reader_.offset();
      JsonString key;
      if (!reader_.key(key)) return false;
      if (key.escaped && !key_lookup(key, offset)) return false;
      const int field = table.find(key.text);
      if (field < 0) {
        if (!unknown_field(offset, key.text, table.names())) return false;
        continue;
      }
      const uint64_t bit = uint64_t{1} << field;
      if ((seen & bit) != 0) return duplicate_key(offset);
      seen |= bit;
      if (!on_field(field)) return false;
    } while (reader_.take(','));
    if (!reader_.expect('}')) return false;
  }
  reader_.leave();
  return true;
}

template <typename T, typename ReadItem>
bool ObjectBuilder::list(Span<T>& out, ReadItem&& read_item) {
  if (reader_.is_null()) return null();
  if (!reader_.enter('[')) return false;
  std::vector<T>& items = scratch<T>();
  const size_t mark = items.size();
  if (!reader_.take(']')) {
    do {
      T item{};
      if (!read_item(item)) return false;
      items.push_back(item);
    } while (reader_.take(','));
    if (!reader_.expect(']')) return false;
  }
  reader_.leave();
  out = arena_->copy(items.data() + mark, items.size() - mark);
  items.resize(mark);
  return true;
}

template <typename T, typename ReadItem>
bool ObjectBuilder::present_list(Span<T>& out, bool& present, ReadItem&& read_item) {
  present = !reader_.is_null();
  return list(out, std::forward<ReadItem>(read_item));
}

template <typename T, typename ReadValue>
bool ObjectBuilder::map(Span<T>& out, Str T::* name, ReadValue&& read_value) {
  if (reader_.is_null()) return null();
  if (!reader_.enter('{')) return false;
  std::vector<T>& items = scratch<T>();
  const size_t mark = items.size();
  key_offsets_.clear();
  bool sorted = true;
  if (!reader_.take('}')) {
    do {
      key_offsets_.push_back(reader_.offset());
      JsonString key;
      T item{};
      if (!reader_.key(key) || !reader_.text_of(key, *arena_, item.*name)) return false;
      if (!read_value(item)) return false;
      if (items.size() > mark && !(items.back().*name < item.*name)) sorted = false;
      items.push_back(item);
    } while (reader_.take(','));
    if (!reader_.expect('}')) return false;
  }
  reader_.leave();
  if (!sorted && !sort_map(items, mark, name)) return false;
  out = arena_->copy(items.data() + mark, items.size() - mark);
  items.resize(mark);
  return true;
}

template <typename T>
bool ObjectBuilder::sort_map(std::vector<T>& items, size_t mark, Str T::* name) {
  const size_t n = items.size() - mark;
  std::vector<size_t> order(n);
  for (size_t i = 0; i < n; ++i) order[i] = i;
  const auto key = [&](size_t i) { return items[mark + i].*name; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  for (size_t i = 1; i < n; ++i) {
    if (key(order[i - 1]) == key(order[i])) return duplicate_key(key_offsets_[order[i]]);
  }
  std::vector<T> sorted;
  sorted.reserve(n);
  for (const size_t i : order) sorted.push_back(items[mark + i]);
  std::copy(sorted.begin(), sorted.end(), items.begin() + static_cast<ptrdiff_t>(mark));
  return true;
}

}  // namespace libsched
