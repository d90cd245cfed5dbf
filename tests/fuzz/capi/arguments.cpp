// Chooses and checks arguments.
#include "arguments.hpp"

namespace fuzz {
namespace {

std::string shown(Kind kind, const Entry& e) {
  std::string out = std::string(name_of(kind)) + "#" + std::to_string(e.number);
  if (kind == Kind::pod || kind == Kind::node) out += " (" + e.content.substr(0, 40) + ")";
  return out;
}

// Objects that calls fill, which nothing reads meanwhile.
bool is_output(Kind kind) {
  return kind == Kind::status || kind == Kind::prefilter_result || kind == Kind::score_table ||
         kind == Kind::node_statuses;
}

// A pod or node that is borrowed from a document or a view.
void* borrowed(Turn& t, Kind kind, std::string& text, bool& lasts) {
  World& w = world();
  if (t.choose.one_in(2)) {
    Entry* e = w.pools.any(t.choose, Kind::objects, true);
    if (e == nullptr) return nullptr;
    const auto* objects = static_cast<const libsched_objects*>(e->handle);
    text = "of " + shown(Kind::objects, *e);
    const size_t i = t.choose.below(3);
    return kind == Kind::pod ? const_cast<libsched_pod*>(libsched_objects_get_pod(objects, i))
                             : static_cast<void*>(const_cast<libsched_node*>(
                                   libsched_objects_get_node(objects, i)));
  }
  Entry* e = w.pools.any(t.choose, Kind::cluster, true);
  if (e == nullptr) return nullptr;
  const libsched_view* view = libsched_cluster_view(static_cast<libsched_cluster*>(e->handle));
  const auto row = static_cast<uint32_t>(t.choose.below(libsched_view_row_count(view) + 1));
  text = "of " + shown(Kind::cluster, *e);
  lasts = false;
  return kind == Kind::pod
             ? static_cast<void*>(
                   const_cast<libsched_pod*>(libsched_view_node_pod(view, row, t.choose.below(3))))
             : static_cast<void*>(const_cast<libsched_node*>(libsched_view_node(view, row)));
}

const void* lent_to_a_slot(Turn& t, Kind kind, unsigned rules) {
  const auto& lent = world().pools.lent;
  if (lent.empty()) return nullptr;
  for (int tries = 0; tries < 4; ++tries) {
    const Pools::Lent& l = lent[t.choose.below(lent.size())];
    if (l.kind == kind && (!l.is_const || (rules & kConst) != 0)) return l.handle;
  }
  return nullptr;
}

// Views are borrowed from clusters and snapshots.
void* view_handle(Turn& t, std::string& text) {
  const Kind of = t.choose.one_in(3) ? Kind::snapshot : Kind::cluster;
  Entry* e = world().pools.any(t.choose, of, true);
  if (e == nullptr) e = make(t, of);
  if (e == nullptr) fail("cannot make a cluster");
  text = "view of " + shown(of, *e);
  return const_cast<libsched_view*>(
      of == Kind::cluster ? libsched_cluster_view(static_cast<libsched_cluster*>(e->handle))
                          : libsched_snapshot_view(static_cast<libsched_snapshot*>(e->handle)));
}

}  // namespace

Picked pick(Turn& t, Kind kind, unsigned rules) {
  Pools& pools = world().pools;
  Picked p;
  const size_t how = t.choose.below(96);
  if (how == 0) {
    p.text = "NULL";
    if ((rules & kMayBeNull) == 0) t.must_refuse = true;
    return p;
  }
  if ((rules & kMayBeNull) != 0 && how < 48) {
    p.text = "NULL";
    return p;
  }
  if (how == 1 && (p.handle = pools.wrong(t.choose, kind)) != nullptr) {
    p.text = std::string(name_of(pools.find(p.handle)->kind)) + " instead of " + name_of(kind);
    t.must_refuse = true;
    return p;
  }
  // With other threads, what was released may be an object of theirs now.
  const bool alone = world().alone;
  if (how == 2 && alone && (p.handle = pools.stale(t.choose, kind)) != nullptr) {
    p.text = std::string(name_of(kind)) + " that was released";
    return p;
  }
  if (t.depth != 0 && t.choose.one_in(2)) {
    p.handle = const_cast<void*>(lent_to_a_slot(t, kind, rules));
    p.text = std::string("the lent ") + name_of(kind);
    if (p.handle != nullptr) return p;
  }
  if (kind == Kind::view) {
    p.handle = view_handle(t, p.text);
    return p;
  }
  if (kind > Kind::kOwned) {  // lent only to slots
    p.text = "NULL";
    t.must_refuse = true;
    return p;
  }
  if ((kind == Kind::pod || kind == Kind::node) && t.choose.one_in(8)) {
    p.handle = borrowed(t, kind, p.text, p.lasts);
    if (p.handle != nullptr) {
      if (!p.lasts && kind == Kind::pod)
        p.pod = facts_of(static_cast<const libsched_pod*>(p.handle));
      return p;
    }
    p.lasts = true;
  }
  // A slot may read the arguments of a call, and even try to change the cluster.
  const bool shared = ((rules & kConst) != 0 && !is_output(kind)) || kind == Kind::cluster ||
                      kind == Kind::clock || kind == Kind::waiting_pod;
  Entry* e = pools.any(t.choose, kind, shared);
  if (e == nullptr) e = make(t, kind);
  if (e == nullptr) {
    p.text = "NULL";
    t.must_refuse = t.must_refuse || (rules & kMayBeNull) == 0;
    return p;
  }
  ++e->pins;
  p.entry = e;
  p.handle = e->handle;
  p.text = shown(kind, *e);
  return p;
}

void unpin(const void* handle) {
  if (Entry* e = world().pools.find(handle)) --e->pins;
}

Picked pick_released(Turn& t, Kind kind) {
  Pools& pools = world().pools;
  Picked p;
  switch (t.choose.below(12)) {
    case 0: p.text = "NULL"; return p;
    case 1:
      if (!world().alone) break;
      p.handle = pools.stale(t.choose, kind);
      p.text = "again";
      return p;
    case 2:
      if (!t.choose.one_in(4)) break;
      p.handle = pools.wrong(t.choose, kind);
      p.text = std::string("not ") + name_of(kind);
      return p;
    case 3: {  // a borrowed handle
      if (!world().alone) break;
      const void* lent = lent_to_a_slot(t, kind, kConst);
      Entry* e = lent == nullptr ? nullptr : pools.find(lent);
      if (lent == nullptr || (e != nullptr && (e->refs > 1 || e->refs_of_slots != 0))) break;
      p.handle = const_cast<void*>(lent);
      p.text = std::string("the lent ") + name_of(kind);
      return p;
    }
    default: break;
  }
  Entry* e = pools.releasable(t.choose, kind, t.depth != 0);
  if (e == nullptr || (kind == Kind::cluster && pools.count(kind) < 2)) {
    p.text = "NULL";
    return p;
  }
  p.text = shown(kind, *e);
  p.handle = e->handle;
  pools.release(*e, t.depth != 0);
  return p;
}

Watch::Watch(Kind kind, const void* handle) {
  World& w = world();
  if (kind == Kind::evaluator) {
    const auto found = w.evaluators.find(handle);
    if (found == w.evaluators.end() || w.pools.find(handle) == nullptr) return;
    cluster_ = found->second.cluster;
    view_ = found->second.view;
  } else if (kind == Kind::cluster || kind == Kind::snapshot) {
    const Entry* e = w.pools.find(handle);
    const auto found = w.clusters.find(handle);
    if (found == w.clusters.end() || (e != nullptr && e->kind != kind)) return;
    cluster_ = found->second;  // an evaluator may keep a released cluster
    view_ = kind == Kind::cluster
                ? libsched_cluster_view(static_cast<const libsched_cluster*>(handle))
                : libsched_snapshot_view(static_cast<const libsched_snapshot*>(handle));
  }
  if (view_ == nullptr) cluster_ = nullptr;
  if (cluster_ == nullptr) return;
  if (cluster_->changing != 0) {
    hidden_ = std::move(cluster_);
    cluster_ = nullptr;
    return;
  }
  version_ = libsched_view_version(view_);
  changes_ = cluster_->changes;
}

void Watch::settle(const Turn& t, bool failed) const {
  if (hidden_ != nullptr && t.changes >= Changes::kWhole && !failed) ++hidden_->changes;
  if (cluster_ == nullptr || disturbed()) return;
  const bool may = t.changes == Changes::kPartly || (t.changes == Changes::kWhole && !failed);
  if (may && !cluster_->frozen) return;
  if (libsched_view_version(view_) != version_) {
    if (cluster_->recounted && !cluster_->frozen) {
      cluster_->read(view_);
      ++cluster_->changes;
      return;
    }
    t.wrong(failed ? "failed and changed the cluster's version" : "changed the cluster's version");
  }
  static thread_local unsigned turn = 0;
  if ((failed && t.changes == Changes::kWhole) || ++turn % 16 == 0)
    cluster_->check(view_, failed ? "after a failed call" : "after a call that only reads");
}

void Fault::settle(Turn& t, libsched_rc rc) {
  if (!asked_) return;
  if (rc == LIBSCHED_OK) {
    if (error_ != untouched()) t.wrong("succeeded and wrote an error");
    return;
  }
  if (error_ == untouched() || error_ == nullptr) t.wrong("failed without an error");
  if (libsched_error_code(error_) != rc) t.wrong("gave an error of another code");
  if (libsched_error_message(error_).len == 0) t.wrong("gave an error without words");
  t.look(libsched_error_message(error_));
  t.look(libsched_error_path(error_));
  t.look(libsched_error_plugin(error_));
  const bool as_asked = std::string_view(t.name()) == "libsched_error_create";
  if (rc == LIBSCHED_ERR_INTERNAL && !as_asked && t.depth == 0 &&
      libsched_error_plugin(error_).len == 0 && !world().hostile)
    t.wrong("says INTERNAL: " + std::string(libsched_error_message(error_).ptr));
  if (t.choose.one_in(8)) {
    t.adopt(error_);
  } else {
    libsched_error_unref(error_);
  }
}

String::String(Turn& t, const char* name, Words words) : name_(name) {
  const Entry* e = t.choose.one_in(16) ? world().pools.any(t.choose, Kind::cluster, true) : nullptr;
  if (e != nullptr) {  // memory that this call may free
    const libsched_view* view = libsched_cluster_view(static_cast<libsched_cluster*>(e->handle));
    const auto row = static_cast<uint32_t>(t.choose.below(libsched_view_row_count(view) + 1));
    if (words == Words::kNode) str_ = libsched_node_name(libsched_view_node(view, row));
    const libsched_pod* pod = libsched_view_node_pod(view, row, 0);
    if (words == Words::kPod) str_ = libsched_pod_name(pod);
    if (words == Words::kNamespace) str_ = libsched_pod_namespace(pod);
    if (str_.len != 0) {
      text_.assign(str_.ptr, str_.len);
      return;
    }
  }
  str_ = {nullptr, 0};
  text_ = make_text(t.choose, words);
  if (text_.empty() && t.choose.one_in(2)) return;
  room_ = std::make_unique<char[]>(text_.size());
  std::memcpy(room_.get(), text_.data(), text_.size());
  str_ = {room_.get(), text_.size()};
}

std::string String::show() const {
  std::string out = std::string(name_) + "=\"";
  for (const char c : text_.substr(0, 300)) out += c < ' ' ? '.' : c;
  return out + (str_.len > 300 ? "\" (" + std::to_string(str_.len) + " bytes)" : "\"");
}

int64_t make_number(Choices& choose) {
  switch (choose.below(16)) {
    case 0: return -1;
    case 1: return INT64_MAX;
    case 2: return INT64_MIN;
    case 3: return int64_t{1} << choose.below(63);
    case 4: return static_cast<int64_t>(choose.below(1000));
    case 5: return 7'258'118'400'000'000'000;  // the year 2200
    default: return static_cast<int64_t>(choose.below(6));
  }
}

template <typename T>
Buffer<T>::Buffer(Turn& t, const char* name, bool kept) : name_(name), kept_(kept) {
  constexpr size_t kLengths[] = {0, 1, 1, 2, 3, 5, 64, 128, 192, 300};
  length_ = t.choose.of(kLengths);
  if (std::is_same_v<Item, libsched_permit_wait>) length_ = t.choose.below(4);
  null_ = t.choose.one_in(8);
  list_ = new Item[length_];
  for (size_t i = 0; i < length_; ++i) {
    if constexpr (std::is_same_v<Item, libsched_permit_wait>) {
      static constexpr const char* kNames[] = {"Hostile0", "Somebody", "", "VolumeBinding"};
      list_[i] = {libsched_str_from(t.choose.of(kNames)), make_number(t.choose)};
    } else if constexpr (std::is_same_v<Item, libsched_str>) {
      list_[i] = {nullptr, 0};
    } else if constexpr (!std::is_integral_v<Item>) {
      std::memset(&list_[i], 0, sizeof(Item));
    } else {
      list_[i] = static_cast<Item>(t.choose.next() & t.choose.next());
    }
  }
  before_.assign(list_, list_ + length_);
}
template class Buffer<uint64_t>;
template class Buffer<const uint64_t>;
template class Buffer<int64_t>;
template class Buffer<libsched_str>;
template class Buffer<libsched_reason_total>;
template class Buffer<libsched_in_flight>;
template class Buffer<libsched_nominated_pod>;
template class Buffer<libsched_permit_wait>;
template class Buffer<const libsched_permit_wait>;

}  // namespace fuzz
