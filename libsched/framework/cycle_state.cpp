// CycleState: the keyed values of plugins and callers, copies of the state, and narrowing of nodes.
#include "libsched/framework/cycle_state.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace libsched {

void PreFilterResult::narrow(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (all_nodes) {
    all_nodes = false;
    nodes = std::move(names);
    return;
  }
  std::vector<std::string> both;
  std::set_intersection(nodes.begin(), nodes.end(), names.begin(), names.end(),
                        std::back_inserter(both));
  nodes = std::move(both);
}

bool PreFilterResult::allows(Str node) const {
  return all_nodes ||
         std::binary_search(nodes.begin(), nodes.end(), node, [](Str a, Str b) { return a < b; });
}

void CycleState::tie(Ref<const RefCounted> framework, size_t plugins) {
  Ref<Entries> fresh = make_ref<Entries>();
  fresh->list.resize(plugins);
  entries_ = std::move(fresh);
  note_edit();
  pristine_ = true;
  adopted_ = false;
  framework_ = std::move(framework);
}

std::span<CycleState::Entry> CycleState::edit_entries() {
  if (!entries_) return {};
  note_edit();
  adopted_ = false;
  if (!entries_->unique()) {
    Ref<Entries> own = make_ref<Entries>();
    own->list = entries_->list;
    entries_ = std::move(own);
  }
  entries_->bound.reset();
  entries_->reserves = true;
  return entries_->list;
}

void CycleState::adopt(const RefCounted& framework, uint64_t pod_serial,
                       const Ref<Entries>& entries) {
  // The same again: the steps of its filters stay, too.
  if (adopted_ && entries_.get() == entries.get() && framework_.get() == &framework &&
      pod_serial_ == pod_serial && data_serial_ == pod_serial && pre_filter_.all_nodes)
    return;
  if (framework_.get() != &framework) framework_ = Ref<const RefCounted>::share(&framework);
  if (entries_.get() != entries.get()) entries_ = entries;
  note_edit();
  adopted_ = true;
  pod_serial_ = data_serial_ = pod_serial;
  if (!pre_filter_.all_nodes) pre_filter_ = {};
}

void CycleState::release_shared() {
  if (!entries_) return;
  const auto release = [](const Entry& e) {
    for (PluginData* data : {e.data.get(), e.score_data.get()})
      if (bound_to_view(data) && data->release()) data->view_version = PluginData::kReleased;
  };
  if (entries_->bound) {
    for (const uint32_t i : *entries_->bound) release(entries_->list[i]);
  } else {
    for (const Entry& e : entries_->list) release(e);
  }
}

// Skips stay until the plugins run again, as in upstream's sets of names.
void CycleState::forget_data() {
  if (!entries_ || pristine_) return;
  note_edit();
  adopted_ = false;
  Ref<Entries> own = entries_->unique() ? entries_ : make_ref<Entries>();
  own->list.resize(entries_->list.size());
  own->bound.reset();
  own->reserves = true;
  for (size_t i = 0; i < own->list.size(); ++i) {
    const Entry& e = entries_->list[i];
    Entry fresh;
    fresh.skip_score = e.skip_score;
    fresh.skip_pre_bind = e.skip_pre_bind;
    fresh.parallel_pre_bind = e.parallel_pre_bind;
    own->list[i] = std::move(fresh);
  }
  entries_ = std::move(own);
}

void CycleState::forget_pre_score() {
  const auto has_some = [](const Entry& e) { return e.score_data || e.pre_scored || e.skip_score; };
  const std::span<const Entry> all = std::as_const(*this).entries();
  if (std::none_of(all.begin(), all.end(), has_some)) return;
  for (Entry& e : edit_entries()) {
    e.score_data.reset();
    e.pre_scored = e.skip_score = false;
  }
}

void CycleState::begin_pre_filter(uint64_t pod_serial) {
  pod_serial_ = data_serial_ = pod_serial;
  forget_data();
  pre_filter_ = {};
}

void CycleState::begin_filter(uint64_t pod_serial) {
  data_serial_ = pod_serial;
  forget_data();
}

void CycleState::write(Str key, std::shared_ptr<StateValue> value) {
  std::shared_ptr<StateValue> old;  // destroyed outside of the lock
  const std::lock_guard lock(mutex_);
  const auto it = values_.find(key);
  if (it == values_.end()) {
    values_.emplace(std::string(key), std::move(value));
  } else {
    old = std::exchange(it->second, std::move(value));
  }
}

std::shared_ptr<StateValue> CycleState::read(Str key) const {
  const std::lock_guard lock(mutex_);
  const auto it = values_.find(key);
  return it == values_.end() ? nullptr : it->second;
}

void CycleState::erase(Str key) {
  std::shared_ptr<StateValue> old;
  const std::lock_guard lock(mutex_);
  const auto it = values_.find(key);
  if (it == values_.end()) return;
  old = std::move(it->second);
  values_.erase(it);
}

bool CycleState::clones_anywhere() const {
  const std::lock_guard lock(mutex_);
  return std::all_of(values_.begin(), values_.end(),
                     [](const auto& v) { return v.second->clones_anywhere(); });
}

void CycleState::activate(const PodRef& pod) {
  const std::lock_guard lock(mutex_);
  activations_[std::string(pod->meta.ns) + "/" + std::string(pod->meta.name)] = pod;
  activates_ = true;
}

std::map<std::string, PodRef> CycleState::take_activations() {
  if (!activates_) return {};
  const std::lock_guard lock(mutex_);
  activates_ = false;
  return std::exchange(activations_, {});
}

size_t CycleState::activation_count() const {
  const std::lock_guard lock(mutex_);
  return activations_.size();
}

const Pod* CycleState::activation(size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < activations_.size()
             ? std::next(activations_.begin(), static_cast<ptrdiff_t>(index))->second.get()
             : nullptr;
}

Ref<CycleState> CycleState::clone() const {
  Ref<CycleState> copy = make_ref<CycleState>();
  copy->framework_ = framework_;
  copy->pod_serial_ = pod_serial_;
  copy->data_serial_ = data_serial_;
  copy->entries_ = entries_;
  for (Entry& e : copy->edit_entries()) {
    if (e.data) e.data = e.data->clone();
    if (e.score_data) e.score_data = e.score_data->clone();
  }
  copy->pre_filter_ = pre_filter_;
  copy->skip_all_post_filter_ = skip_all_post_filter_;
  copy->meter_ = meter_;
  copy->timed_ = timed_;
  {
    const std::lock_guard lock(mutex_);
    copy->values_ = values_;
    copy->activations_ = activations_;
    copy->activates_ = !activations_.empty();
  }
  // Foreign code, hence without the lock: it may read the state.
  for (auto& [key, value] : copy->values_) value = value->clone(value);
  return copy;
}

}  // namespace libsched
