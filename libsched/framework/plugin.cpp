// Plugin and Registry: the defaults of extension points, and plugins by name.
#include "libsched/framework/plugin.hpp"

namespace libsched {

Result<Status> PreFilterPlugin::pre_filter(const PreFilterCall&, PreFilterResult*) const {
  return Status();
}

void FilterPlugin::filter_status(const FilterCall&, uint32_t, Status* out) const {
  out->set(Code::kError, "rejected without a reason");
}

Scored ScorePlugin::score(const ScoreCall&, const ScoreSet&, int64_t*) const { return {true, 0}; }

Status ScorePlugin::score_status(const ScoreCall&, uint32_t) const {
  return Status(Code::kError, "no score, without a reason");
}

Status PermitPlugin::permit(const BindingCall&, int64_t* timeout_ns) const {
  *timeout_ns = 0;
  return {};
}

Status PreBindPlugin::pre_bind_pre_flight(const BindingCall&, bool* allow_parallel) const {
  *allow_parallel = false;
  return {};
}

Result<void> Registry::add(Str name, Item item) {
  if (name.empty()) return Error{Rc::kInvalid, "a plugin needs a name"};
  if (items_.find(name) != items_.end())
    return Error{Rc::kExists,
                 "a plugin named " + std::string(name) + " already exists",
                 {},
                 std::string(name)};
  EnabledPlugin enabled{std::string(name), 0};
  enabled_.reserve(enabled_.size() + 1);
  const bool in_tree = item.in_tree;
  items_.emplace(std::string(name), std::move(item));
  if (!in_tree) enabled_.push_back(std::move(enabled));  // cannot fail: there is room
  return {};
}

const Registry::Item* Registry::find(Str name) const {
  const auto it = items_.find(name);
  return it == items_.end() ? nullptr : &it->second;
}

Result<void> Registry::enable(Str name, int32_t weight) {
  if (find(name) == nullptr)
    return Error{Rc::kNotFound,
                 "no plugin named " + std::string(name) + " in the registry",
                 {},
                 std::string(name)};
  for (EnabledPlugin& e : enabled_)
    if (e.name == name) {
      e.weight = weight;
      return {};
    }
  enabled_.push_back({std::string(name), weight});
  return {};
}

Ref<Registry> Registry::copy() const {
  Ref<Registry> r = make_ref<Registry>();
  r->items_ = items_;
  r->enabled_ = enabled_;
  return r;
}

}  // namespace libsched
