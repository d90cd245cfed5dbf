// The parts common to all kinds: type, metadata, and the frame in which an object is made.
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/object_builder.hpp"

#include <cstring>

namespace libsched {
namespace {

constexpr KeyTable kObjectMeta("name", "generateName", "namespace", "selfLink", "uid",
                               "resourceVersion", "generation", "creationTimestamp",
                               "deletionTimestamp", "deletionGracePeriodSeconds", "labels",
                               "annotations", "ownerReferences", "finalizers", "managedFields");
constexpr KeyTable kOwnerReference("apiVersion", "kind", "name", "uid", "controller",
                                   "blockOwnerDeletion");
constexpr KeyTable kNamespace("apiVersion", "kind", "metadata", "spec", "status");
constexpr KeyTable kPriorityClass("apiVersion", "kind", "metadata", "value", "globalDefault",
                                  "description", "preemptionPolicy");

}  // namespace

void ObjectBuilder::start(Arena& arena) {
  arena_ = &arena;
  other_type_ = false;
  unknown_fields_ = 0;
  first_unknown_.clear();
  generate_name_ = false;
  keep_annotations_ = hash_annotations_ = keep_version_ = false;
  annotations_hash_ = 0;
  mirror_ = keep_generation_ = false;
  finalizers_ = nullptr;
  generation_ = 0;
  controller_ = nullptr;
  std::apply([](auto&... vectors) { (vectors.clear(), ...); }, scratch_);
}

bool ObjectBuilder::type_field(Str expected) {
  JsonString s;
  if (reader_.is_null()) return null();
  const size_t offset = reader_.offset();
  if (!reader_.string(s)) return false;
  if (s.text.empty() || s.text == expected) return true;
  other_type_ = true;
  return reader_.fail(offset, "not a " + std::string(expected));
}

bool ObjectBuilder::metadata(ObjectMeta& meta) {
  return object(kObjectMeta, [&](int field) {
    switch (field) {
      case kObjectMeta["name"]: return string(meta.name);
      case kObjectMeta["namespace"]: return string(meta.ns);
      case kObjectMeta["uid"]: return string(meta.uid);
      case kObjectMeta["generateName"]: {
        Str prefix;
        if (!string(prefix)) return false;
        generate_name_ = !prefix.empty();
        return true;
      }
      case kObjectMeta["creationTimestamp"]: return time(meta.created);
      case kObjectMeta["deletionTimestamp"]: return time(meta.deleted);
      case kObjectMeta["labels"]: return labels(meta.labels);
      case kObjectMeta["resourceVersion"]:
        return keep_version_ ? string(meta.resource_version) : skip();
      case kObjectMeta["generation"]: return keep_generation_ ? int64(generation_) : skip();
      case kObjectMeta["annotations"]: return annotations(meta);
      case kObjectMeta["finalizers"]:
        return finalizers_ != nullptr ? string_list(*finalizers_) : skip();
      case kObjectMeta["ownerReferences"]:
        return list(meta.owners, [&](OwnerReference& o) { return owner(o); });
      default: return skip();
    }
  });
}

// For pods and nodes; `hash`: changes are detected by a hash.
void ObjectBuilder::keep_annotations(bool hash) {
  keep_annotations_ = options_.keep_annotations || options_.keep_raw;
  hash_annotations_ = hash;
}

void ObjectBuilder::mark_annotations(ObjectMeta& meta) const {
  static constexpr KeyValue kNone{};
  if (keep_annotations_ && meta.annotations.empty()) meta.annotations = {&kNone, size_t{0}};
}

bool ObjectBuilder::annotations(ObjectMeta& meta) {
  const auto add = [&](Str key, Str value) {
    annotations_hash_ += hash_long(value.data(), value.size(), hash_str(key));
  };
  if (keep_annotations_) {
    if (!map(meta.annotations, &KeyValue::key, [&](KeyValue& a) { return string(a.value); }))
      return false;
    mirror_ = find_annotation(meta, "kubernetes.io/config.mirror") != nullptr;
    if (hash_annotations_)
      for (const KeyValue& a : meta.annotations) add(a.key, a.value);
    return true;
  }
  if (!hash_annotations_) {
    // A quote within a text is escaped, so only a key or a whole value reads like this.
    constexpr Str kMirror = "\"kubernetes.io/config.mirror\"";
    const size_t begin = reader_.offset();
    if (!skip()) return false;
    const Str all = reader_.text().substr(begin, reader_.end_of_last() - begin);
    const void* found = memmem(all.data(), all.size(), kMirror.data(), kMirror.size());
    if (found != nullptr) {
      size_t after = static_cast<const char*>(found) - all.data() + kMirror.size();
      after = all.find_first_not_of(" \t\r\n", after);
      mirror_ = after != Str::npos && all[after] == ':';
    }
    return true;
  }
  if (reader_.is_null()) return null();
  if (!reader_.enter('{')) return false;
  if (!reader_.take('}')) {
    do {
      JsonString name;
      Str key, value;
      if (!reader_.key(name) || !reader_.text_of(name, key_text_, key)) return false;
      if (!passing_string(value_text_, value)) return false;
      add(key, value);
    } while (reader_.take(','));
    if (!reader_.expect('}')) return false;
  }
  reader_.leave();
  return true;
}

bool ObjectBuilder::owner(OwnerReference& owner) {
  return object(kOwnerReference, [&](int field) {
    switch (field) {
      case kOwnerReference["apiVersion"]: return string(owner.api_version);
      case kOwnerReference["kind"]: return string(owner.kind);
      case kOwnerReference["name"]: return string(owner.name);
      case kOwnerReference["uid"]: return string(owner.uid);
      case kOwnerReference["controller"]: return boolean(owner.controller);
      default: return skip();
    }
  });
}

bool ObjectBuilder::finish_meta(ObjectMeta& meta, bool namespaced, size_t begin) {
  if (meta.name.empty()) {
    return reader_.fail(
        begin,
        generate_name_ ? "missing; the object has only a generateName, give it a name" : "missing",
        ".metadata.name");
  }
  if (!namespaced) {
    meta.ns = Str("", 0);
  } else if (meta.ns.empty()) {
    meta.ns = "default";
  }
  meta.key_hash = object_key_hash(meta.ns, meta.name);
  mark_annotations(meta);
  return true;
}

void ObjectBuilder::remember_document(Object& object, size_t begin) {
  const Str document = reader_.text().substr(begin, reader_.end_of_last() - begin);
  // Options for defaulting and kept parts make different objects of the same document.
  const uint64_t made = (options_.defaults ? 2U : 1U) + (options_.keep_raw ? 4U : 0U) +
                        (options_.keep_annotations ? 8U : 0U);
  object.content_hash = hash_long(document.data(), document.size(), made) | 1;
  if (options_.keep_raw) object.raw = object.arena.copy(document);
}

Ref<Namespace> ObjectBuilder::name_space(Str api_version, Str kind) {
  auto ns = make_ref<Namespace>();
  start(ns->arena);
  const size_t begin = reader_.offset();
  const bool ok = object(kNamespace, [&](int field) {
    switch (field) {
      case kNamespace["apiVersion"]: return type_field(api_version);
      case kNamespace["kind"]: return type_field(kind);
      case kNamespace["metadata"]: return metadata(ns->meta);
      default: return skip();
    }
  });
  if (!ok || !finish_meta(ns->meta, /*namespaced=*/false, begin)) return nullptr;
  if (options_.defaults) set_namespace_defaults(*ns);
  remember_document(*ns, begin);
  return ns;
}

Ref<PriorityClass> ObjectBuilder::priority_class(Str api_version, Str kind) {
  auto pc = make_ref<PriorityClass>();
  start(pc->arena);
  const size_t begin = reader_.offset();
  const bool ok = object(kPriorityClass, [&](int field) {
    switch (field) {
      case kPriorityClass["apiVersion"]: return type_field(api_version);
      case kPriorityClass["kind"]: return type_field(kind);
      case kPriorityClass["metadata"]: return metadata(pc->meta);
      case kPriorityClass["value"]: return int32(pc->value);
      case kPriorityClass["globalDefault"]: return boolean(pc->global_default);
      case kPriorityClass["preemptionPolicy"]: return string(pc->preemption_policy);
      default: return skip();
    }
  });
  if (!ok || !finish_meta(pc->meta, /*namespaced=*/false, begin)) return nullptr;
  remember_document(*pc, begin);
  return pc;
}

}  // namespace libsched
