// The handles that a run has.
#include "pools.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "trace.hpp"

namespace fuzz {
namespace {

constexpr size_t kMaxStale = 24;

std::string_view view(libsched_str s) { return {s.ptr == nullptr ? "" : s.ptr, s.len}; }

std::string pod_content(const libsched_pod* pod) {
  std::string out;
  for (const libsched_str s : {libsched_pod_name(pod), libsched_pod_namespace(pod),
                               libsched_pod_uid(pod), libsched_pod_node_name(pod)})
    out.append(view(s)).push_back('|');
  libsched_str key, value;
  for (size_t i = 0; libsched_pod_label_at(pod, i, &key, &value); ++i)
    out.append(view(key)).append("=").append(view(value)).push_back('|');
  int64_t amount = 0;
  for (size_t i = 0; libsched_pod_resource(pod, i, &key, &amount); ++i)
    out.append(view(key)).append(std::to_string(amount)).push_back('|');
  return out;
}

std::string node_content(const libsched_node* node) {
  std::string out(view(libsched_node_name(node)));
  libsched_str key, value;
  for (size_t i = 0; libsched_node_label_at(node, i, &key, &value); ++i)
    out.append(view(key)).append("=").append(view(value)).push_back('|');
  int64_t amount = 0;
  for (size_t i = 0; libsched_node_resource(node, i, &key, &amount); ++i)
    out.append(view(key)).append(std::to_string(amount)).push_back('|');
  return out + (libsched_node_unschedulable(node) ? "closed" : "");
}

std::string decision_content(const libsched_decision* decision) {
  std::string out;
  for (size_t i = 0; i < libsched_decision_node_count(decision); ++i) {
    out.append(view(libsched_decision_node(decision, i)))
        .append(std::to_string(libsched_decision_code(decision, i)))
        .append(view(libsched_decision_plugin(decision, i)));
    for (size_t r = 0; r < libsched_decision_reason_count(decision, i); ++r)
      out.append(view(libsched_decision_reason(decision, i, r)));
    for (size_t f = 0; f < libsched_decision_fact_count(decision, i); ++f)
      out.append(view(libsched_decision_fact_reason(decision, i, f)))
          .append(std::to_string(libsched_decision_fact_field_count(decision, i, f)));
  }
  for (size_t i = 0; i < libsched_decision_feasible_count(decision); ++i)
    out.append(view(libsched_decision_feasible(decision, i))).push_back('|');
  out.append(view(libsched_decision_fit_error(decision)));
  return out.append(view(libsched_decision_error(decision)));
}

std::string capacity_content(const libsched_capacity* capacity) {
  std::string out = std::to_string(libsched_capacity_end(capacity)) + "|" +
                    std::to_string(libsched_capacity_count(capacity));
  for (size_t i = 0; i < libsched_capacity_node_count(capacity); ++i) {
    size_t pods = 0;
    out.append(view(libsched_capacity_node(capacity, i, &pods))).append(std::to_string(pods));
  }
  return out;
}

std::string edited_content(const libsched_edited* edited) {
  std::string out;
  for (size_t i = 0; i < libsched_edited_pod_count(edited); ++i) {
    size_t origin = 0, replicas = 0;
    const libsched_pod* pod = libsched_edited_pod(edited, i, &origin, &replicas);
    out.append(view(libsched_pod_name(pod))).append(std::to_string(origin));
    out.append("x").append(std::to_string(replicas));
  }
  for (size_t i = 0; i < libsched_edited_note_count(edited); ++i)
    out.append(view(libsched_edited_note(edited, i)));
  return out;
}

std::string drain_content(const libsched_drain* drain) {
  std::string out = libsched_drain_complete(drain) ? "complete|" : "|";
  for (size_t i = 0; i < libsched_drain_node_count(drain); ++i)
    out.append(view(libsched_drain_node(drain, i)));
  for (size_t i = 0; i < libsched_drain_pod_count(drain); ++i) {
    libsched_drained_pod p = LIBSCHED_DRAINED_POD_INIT;
    libsched_drain_pod(drain, i, &p);
    out.append(view(libsched_pod_name(p.pod))).append(std::to_string(p.outcome));
    out.append(view(p.from_node)).append(view(p.to_node)).append(view(p.text));
  }
  return out;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
#define FUZZ_NAME(name) \
  case Kind::name: return #name;
    FUZZ_OWNED_KINDS(FUZZ_NAME)
    FUZZ_LENT_KINDS(FUZZ_NAME)
#undef FUZZ_NAME
    default: return "?";
  }
}

void unref(Kind kind, void* handle) {
  switch (kind) {
#define FUZZ_UNREF(name) \
  case Kind::name: return libsched_##name##_unref(static_cast<libsched_##name*>(handle));
    FUZZ_OWNED_KINDS(FUZZ_UNREF)
#undef FUZZ_UNREF
    default: return;
  }
}

std::string content_of(Kind kind, const void* handle) {
  switch (kind) {
    case Kind::text: {
      const libsched_str s = libsched_text_get(static_cast<const libsched_text*>(handle));
      return {s.ptr, s.len};
    }
    case Kind::error: {
      const auto* error = static_cast<const libsched_error*>(handle);
      return std::to_string(libsched_error_code(error))
          .append(view(libsched_error_message(error)))
          .append(view(libsched_error_path(error)))
          .append(view(libsched_error_plugin(error)));
    }
    case Kind::pod: return pod_content(static_cast<const libsched_pod*>(handle));
    case Kind::node: return node_content(static_cast<const libsched_node*>(handle));
    case Kind::decision: return decision_content(static_cast<const libsched_decision*>(handle));
    case Kind::capacity: return capacity_content(static_cast<const libsched_capacity*>(handle));
    case Kind::edited: return edited_content(static_cast<const libsched_edited*>(handle));
    case Kind::drain: return drain_content(static_cast<const libsched_drain*>(handle));
    case Kind::objects: {
      const auto* objects = static_cast<const libsched_objects*>(handle);
      std::string out;
      for (size_t i = 0; i < libsched_objects_pod_count(objects); ++i)
        out += pod_content(libsched_objects_get_pod(objects, i));
      for (size_t i = 0; i < libsched_objects_node_count(objects); ++i)
        out += node_content(libsched_objects_get_node(objects, i));
      return out;
    }
    case Kind::config: {
      const auto* config = static_cast<const libsched_config*>(handle);
      std::string out;
      for (size_t i = 0; i < libsched_config_profile_count(config); ++i)
        out.append(view(libsched_config_profile_name(config, i))).push_back('|');
      return out;
    }
    case Kind::framework:
      return std::string(
          view(libsched_framework_profile(static_cast<const libsched_framework*>(handle))));
    default: return {};
  }
}

Entry& Pools::adopt(Kind kind, void* handle, bool in_slot) {
  if (handle == nullptr) fail(std::string("a call gave no ") + name_of(kind));
  std::erase_if(stale_, [&](const Stale& s) { return s.handle == handle; });
  Entry*& entry = by_handle_[handle];
  if (entry != nullptr) {
    if (entry->kind != kind)
      fail(std::string("a ") + name_of(kind) + " is where a live " + name_of(entry->kind) + " is");
    ++entry->refs;
  } else {
    auto& list = live_[static_cast<size_t>(kind)];
    list.push_back(std::make_unique<Entry>());
    entry = list.back().get();
    entry->handle = handle;
    entry->kind = kind;
    entry->number = next_number_++;
    entry->content = content_of(kind, handle);
  }
  if (in_slot) ++entry->refs_of_slots;
  return *entry;
}

void Pools::forget(Entry& entry) {
  note_stale(entry.kind, entry.handle);
  by_handle_.erase(entry.handle);
  auto& list = live_[static_cast<size_t>(entry.kind)];
  std::erase_if(list, [&](const auto& e) { return e.get() == &entry; });
}

void Pools::release(Entry& entry, bool in_slot) {
  if (content_of(entry.kind, entry.handle) != entry.content)
    fail(std::string(name_of(entry.kind)) + "#" + std::to_string(entry.number) +
         " no longer says what it said: \"" + entry.content + "\", now \"" +
         content_of(entry.kind, entry.handle) + "\"");
  --entry.refs;
  if (entry.refs_of_slots != 0 && (in_slot || entry.refs_of_slots > entry.refs))
    --entry.refs_of_slots;
  if (entry.refs == 0) forget(entry);
}

void Pools::release_all(Choices& choose) {
  std::vector<std::pair<Kind, void*>> all;
  for (auto& list : live_)
    for (auto& e : list) all.insert(all.end(), e->refs, {e->kind, e->handle});
  while (!all.empty()) {
    std::swap(all[choose.below(all.size())], all.back());
    const auto [kind, handle] = all.back();
    all.pop_back();
    release(*find(handle), false);
    unref(kind, handle);
  }
  stale_.clear();
}

Entry* Pools::find(const void* handle) {
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() ? nullptr : found->second;
}

Entry* Pools::any(Choices& choose, Kind kind, bool shared) {
  auto& list = live_[static_cast<size_t>(kind)];
  if (list.empty()) return nullptr;
  void*& focus = focus_[static_cast<size_t>(kind)];
  Entry* const same = focus == nullptr ? nullptr : find(focus);
  if (same != nullptr && same->kind == kind && (shared || same->pins == 0) && !choose.one_in(4))
    return same;
  Entry* const entry = choose.of(list).get();
  if (!shared && entry->pins != 0) return nullptr;
  if (choose.one_in(4)) focus = entry->handle;
  return entry;
}

Entry* Pools::releasable(Choices& choose, Kind kind, bool in_slot) {
  auto& list = live_[static_cast<size_t>(kind)];
  if (list.empty()) return nullptr;
  Entry* const entry = choose.of(list).get();
  if (entry->pins != 0) return nullptr;
  // A slot releases only references that slots took; any other handle may be lent to it.
  if (in_slot && entry->refs_of_slots == 0) return nullptr;
  return entry;
}

void* Pools::wrong(Choices& choose, Kind kind) {
  for (int tries = 0; tries < 4; ++tries) {
    const size_t other = choose.below(kOwnedKinds);
    if (static_cast<Kind>(other) == kind || live_[other].empty()) continue;
    return choose.of(live_[other])->handle;
  }
  return nullptr;
}

void* Pools::stale(Choices& choose, Kind kind) {
  for (int tries = 0; tries < 6 && !stale_.empty(); ++tries) {
    const Stale& s = stale_[choose.below(stale_.size())];
    if (s.kind == kind) return s.handle;
  }
  return nullptr;
}

void Pools::note_stale(Kind kind, void* handle) {
  stale_.push_back({kind, handle});
  if (stale_.size() > kMaxStale) stale_.pop_front();
}

}  // namespace fuzz
