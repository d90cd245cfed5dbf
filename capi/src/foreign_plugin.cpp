// A libsched_plugin as a Plugin of the framework: the adapter between C slots and C++ calls.
#include <mutex>
#include <unordered_map>

#include "handles.hpp"
#include "libsched/config/config_json.hpp"

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// The registered struct with what it points to copied; destroys user_data when the last user goes.
struct Registered {
  libsched_plugin slots{};
  std::string name;
  std::vector<std::string> reasons;
  void* user_data = nullptr;
  // Serialises calls unless the plugin is concurrent. Recursive: a slot may ask an evaluator of its
  // own, whose framework has this plugin, too.
  std::recursive_mutex mutex;

  ~Registered() {
    if (slots.destroy != nullptr) slots.destroy(user_data);
  }
};

// What the plugin said of the rows it rejected in this state, for filter_status.
struct Verdicts final : PluginData {
  mutable std::unordered_map<uint32_t, Status> rejected;
  std::shared_ptr<PluginData> clone() const override { return std::make_shared<Verdicts>(*this); }
};

Code checked(int32_t code, Status* status, const std::string& plugin) {
  if (code_name(static_cast<Code>(code)) != nullptr) return static_cast<Code>(code);
  status->reasons = {"plugin \"" + plugin + "\" returned the unknown code " + std::to_string(code)};
  return Code::kError;
}

// The node set of a Score call, in upstream's order of the calls.
NodeSet node_set(const View& view, Span<uint32_t> rows) {
  return {&view, rows.data(), rows.size(), {&view, 0}};
}

class ForeignPlugin final : public Plugin {
 public:
  ForeignPlugin(std::shared_ptr<Registered> r, void* instance)
      : r_(std::move(r)), instance_(instance) {}
  ForeignPlugin(const ForeignPlugin&) = delete;
  ForeignPlugin& operator=(const ForeignPlugin&) = delete;
  ~ForeignPlugin() override {
    if (r_->slots.create != nullptr && r_->slots.release != nullptr)
      r_->slots.release(r_->user_data, instance_);
  }

  Result<Status> pre_filter(const PreFilterCall& call, PreFilterResult* result) const override {
    StatusObject status;
    PreFilterObject narrowed;
    const auto lock = serialise();
    const int32_t code = r_->slots.pre_filter(self(), wrap(&call.state), wrap(&call.pod),
                                              wrap(&narrowed), wrap(&status));
    status.status.code = checked(code, &status.status, r_->name);
    *result = std::move(narrowed.result);
    return std::move(status.status);
  }

  std::shared_ptr<PluginData> prepare(const View&, const Pod&) const override {
    return std::make_shared<Verdicts>();
  }

  void filter(const FilterCall& call, const RowSet& set) const override {
    std::vector<uint32_t> rows;
    set.for_each([&](uint32_t row) { rows.push_back(row); });
    if (rows.empty()) return;
    const auto& verdicts = static_cast<const Verdicts&>(*call.data);
    const auto lock = serialise();
    if (r_->slots.filter_batch != nullptr) {
      filter_batch(call, set, rows, verdicts);
    } else {
      for (const uint32_t row : rows) {
        StatusObject status;
        const NodeInfo info{&call.view, row};
        const int32_t code = r_->slots.filter(self(), wrap(&call.state), wrap(&call.pod),
                                              wrap(&info), wrap(&status));
        status.status.code = checked(code, &status.status, r_->name);
        if (!status.status.success()) reject(set, row, std::move(status.status), verdicts);
      }
    }
  }

  Status filter_status(const FilterCall& call, uint32_t row) const override {
    const auto& rejected = static_cast<const Verdicts&>(*call.data).rejected;
    const auto it = rejected.find(row);
    return it == rejected.end() ? Status(Code::kError, "no verdict") : it->second;
  }

  Status pre_score(const PreScoreCall& call, std::shared_ptr<PluginData>*) const override {
    if (r_->slots.pre_score == nullptr) return {};
    StatusObject status;
    const NodeSet nodes = node_set(call.view, call.set.rows());
    const auto lock = serialise();
    return finished(r_->slots.pre_score(self(), wrap(&call.state), wrap(&call.pod), wrap(&nodes),
                                        wrap(&status)),
                    &status);
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    const Span<uint32_t> rows = set.rows();
    const auto lock = serialise();
    if (r_->slots.score_batch != nullptr) {
      StatusObject status;
      const NodeSet nodes = node_set(call.view, rows);
      std::vector<int64_t> batch(rows.size(), 0);
      Status s = finished(r_->slots.score_batch(self(), wrap(&call.state), wrap(&call.pod),
                                                wrap(&nodes), batch.data(), wrap(&status)),
                          &status);
      if (!s.success()) return fail(set, rows[0], std::move(s));
      for (size_t i = 0; i < rows.size(); ++i) scores[rows[i]] = batch[i];
      return {};
    }
    for (const uint32_t row : rows) {
      StatusObject status;
      const NodeInfo info{&call.view, row};
      int64_t score = 0;
      Status s = finished(r_->slots.score(self(), wrap(&call.state), wrap(&call.pod), wrap(&info),
                                          &score, wrap(&status)),
                          &status);
      if (!s.success()) return fail(set, row, std::move(s));
      scores[row] = score;
    }
    return {};
  }

  Status score_status(const ScoreCall&, uint32_t) const override { return failed(); }

  bool normalizes() const override { return r_->slots.normalize_score != nullptr; }

  Status normalize(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    const Span<uint32_t> rows = set.rows();
    StatusObject status;
    const NodeSet nodes = node_set(call.view, rows);
    std::vector<int64_t> batch;
    for (const uint32_t row : rows) batch.push_back(scores[row]);
    const auto lock = serialise();
    Status s = finished(r_->slots.normalize_score(self(), wrap(&call.state), wrap(&call.pod),
                                                  wrap(&nodes), batch.data(), wrap(&status)),
                        &status);
    for (size_t i = 0; i < rows.size(); ++i) scores[rows[i]] = batch[i];
    return s;
  }

  Status reserve(const ReserveCall& call) const override {
    if (r_->slots.reserve == nullptr) return {};
    StatusObject status;
    const Cluster::Judging judging(&call.cluster);  // a slot may not change the cluster
    const auto lock = serialise();
    return finished(r_->slots.reserve(self(), wrap(&call.state), wrap(&call.pod), call.row,
                                      node_name(call), wrap(&status)),
                    &status);
  }

  void unreserve(const ReserveCall& call) const override {
    if (r_->slots.unreserve == nullptr) return;
    const Cluster::Judging judging(&call.cluster);
    const auto lock = serialise();
    r_->slots.unreserve(self(), wrap(&call.state), wrap(&call.pod), call.row, node_name(call));
  }

 private:
  // What a slot answered.
  Status finished(int32_t code, StatusObject* status) const {
    status->status.code = checked(code, &status->status, r_->name);
    return std::move(status->status);
  }

  // The last score() of this thread that failed: score_status() is asked right after it. One row
  // is enough, because upstream ends at the first one, too.
  static Status& failed() {
    static thread_local Status status;
    return status;
  }
  static Scored fail(const ScoreSet& set, uint32_t row, Status status) {
    set.fail(row);
    failed() = std::move(status);
    return {};
  }

  static libsched_str node_name(const ReserveCall& call) {
    return call.row == kNoId ? out(Str()) : out(call.cluster.view().row(call.row).name);
  }

  void* self() const { return instance_ == nullptr ? r_->user_data : instance_; }

  std::unique_lock<std::recursive_mutex> serialise() const {
    if ((r_->slots.flags & LIBSCHED_PLUGIN_CONCURRENT) != 0) return {};
    return std::unique_lock(r_->mutex);
  }

  static void reject(const RowSet& set, uint32_t row, Status status, const Verdicts& verdicts) {
    if (status.rejected()) {
      set.reject(row);
    } else {
      set.reject_with_error(row);
    }
    verdicts.rejected[row] = std::move(status);
  }

  void filter_batch(const FilterCall& call, const RowSet& set, const std::vector<uint32_t>& rows,
                    const Verdicts& verdicts) const {
    std::vector<int8_t> codes(rows.size(), LIBSCHED_SUCCESS);
    std::vector<uint16_t> reasons(rows.size(), 0);
    StatusObject whole;
    const NodeSet nodes{&call.view, rows.data(), rows.size(), {&call.view, 0}};
    const int32_t rc =
        r_->slots.filter_batch(self(), wrap(&call.state), wrap(&call.pod), wrap(&nodes),
                               codes.data(), reasons.data(), wrap(&whole));
    if (rc != LIBSCHED_SUCCESS) {
      whole.status.code = Code::kError;
      if (whole.status.reasons.empty())
        whole.status.reasons.push_back("filter_batch returned code " + std::to_string(rc));
      for (const uint32_t row : rows) reject(set, row, whole.status, verdicts);
      return;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (codes[i] == LIBSCHED_SUCCESS) continue;
      Status status;
      status.code = checked(codes[i], &status, r_->name);
      if (status.reasons.empty()) {
        if (reasons[i] < r_->reasons.size()) {
          status.reasons.push_back(r_->reasons[reasons[i]]);
        } else if (!r_->reasons.empty() || reasons[i] != 0) {
          status = Status(Code::kError, "plugin \"" + r_->name + "\" gave reason " +
                                            std::to_string(reasons[i]) + " of " +
                                            std::to_string(r_->reasons.size()));
        }
      }
      reject(set, rows[i], std::move(status), verdicts);
    }
  }

  std::shared_ptr<Registered> r_;
  void* instance_;
};

Result<std::unique_ptr<Plugin>> make_foreign(const std::shared_ptr<Registered>& r,
                                             const FactoryCall& call) {
  void* instance = nullptr;
  if (r->slots.create != nullptr) {
    const std::string args = call.args == nullptr ? "null" : args_to_json(*call.args);
    StatusObject status;
    const int32_t code = r->slots.create(r->user_data, out(args), &instance, wrap(&status));
    if (code != LIBSCHED_SUCCESS)
      return Error{Rc::kInvalid,
                   status.status.reasons.empty() ? "create returned code " + std::to_string(code)
                                                 : status.status.message(),
                   {},
                   r->name};
  }
  return std::unique_ptr<Plugin>(std::make_unique<ForeignPlugin>(r, instance));
}

Result<void> add(Registry* registry, const libsched_plugin* given,
                 const std::shared_ptr<Registered>& r) {
  Result<libsched_plugin> read = read_struct(given, libsched_plugin{}, "libsched_plugin");
  if (!read.ok()) return read.error();
  const libsched_plugin& p = *read;
  if (p.abi_version != LIBSCHED_ABI_VERSION)
    return Error{Rc::kUnsupported,
                 "the plugin was built for ABI version " + std::to_string(p.abi_version) +
                     ", this is " + std::to_string(LIBSCHED_ABI_VERSION),
                 {},
                 {}};
  if ((p.flags & ~uint32_t{LIBSCHED_PLUGIN_CONCURRENT | LIBSCHED_PLUGIN_CALLER_THREAD}) != 0)
    return Error{Rc::kUnsupported, "the plugin has flags that this version does not know", {}, {}};
  if (p.reason_count != 0 && p.reasons == nullptr)
    return Error{Rc::kInvalid, "reason_count is set, but reasons is NULL", {}, {}};
  r->slots = p;
  r->name = std::string(in(p.name));
  for (uint32_t i = 0; i < p.reason_count; ++i) r->reasons.emplace_back(in(p.reasons[i]));
  PointMask points = 0;
  if (p.pre_filter != nullptr) points |= point_bit(ExtensionPoint::kPreFilter);
  if (p.filter != nullptr || p.filter_batch != nullptr)
    points |= point_bit(ExtensionPoint::kFilter);
  if (p.pre_score != nullptr) points |= point_bit(ExtensionPoint::kPreScore);
  if (p.score != nullptr || p.score_batch != nullptr) points |= point_bit(ExtensionPoint::kScore);
  if (p.normalize_score != nullptr && (points & point_bit(ExtensionPoint::kScore)) == 0)
    return Error{Rc::kInvalid, "normalize_score is set, but no Score slot", {}, {}};
  if (p.reserve != nullptr || p.unreserve != nullptr) points |= point_bit(ExtensionPoint::kReserve);
  return registry->add(
      r->name, {points, [r](const FactoryCall& call) { return make_foreign(r, call); }, false});
}

}  // namespace

extern "C" {

uint32_t libsched_node_info_row(const libsched_node_info* info) {
  return info == nullptr ? LIBSCHED_NO_ROW : unwrap(info)->row;
}
const libsched_node* libsched_node_info_node(const libsched_node_info* info) {
  return info == nullptr ? nullptr
                         : libsched_view_node(wrap(unwrap(info)->view), unwrap(info)->row);
}
size_t libsched_node_info_pod_count(const libsched_node_info* info) {
  return info == nullptr
             ? 0
             : libsched_view_node_pod_count(wrap(unwrap(info)->view), unwrap(info)->row);
}
const libsched_pod* libsched_node_info_pod(const libsched_node_info* info, size_t index) {
  return info == nullptr
             ? nullptr
             : libsched_view_node_pod(wrap(unwrap(info)->view), unwrap(info)->row, index);
}
int64_t libsched_node_info_allocatable(const libsched_node_info* info, libsched_str resource) {
  return info == nullptr
             ? 0
             : libsched_view_allocatable(wrap(unwrap(info)->view), unwrap(info)->row, resource);
}
int64_t libsched_node_info_requested(const libsched_node_info* info, libsched_str resource) {
  return info == nullptr
             ? 0
             : libsched_view_requested(wrap(unwrap(info)->view), unwrap(info)->row, resource);
}

size_t libsched_node_set_count(const libsched_node_set* set) {
  return set == nullptr ? 0 : unwrap(set)->count;
}
const uint32_t* libsched_node_set_rows(const libsched_node_set* set) {
  return set == nullptr ? nullptr : unwrap(set)->rows;
}
const libsched_view* libsched_node_set_view(const libsched_node_set* set) {
  return set == nullptr ? nullptr : wrap(unwrap(set)->view);
}
const libsched_node_info* libsched_node_set_at(const libsched_node_set* set, size_t index) {
  if (index >= libsched_node_set_count(set)) return nullptr;
  const NodeSet& s = *unwrap(set);
  s.info = {s.view, s.rows[index]};
  return wrap(static_cast<const NodeInfo*>(&s.info));
}

libsched_rc libsched_registry_add(libsched_registry* registry, const libsched_plugin* plugin,
                                  void* user_data, libsched_error** error) {
  const libsched_rc rc = guarded(error, [&]() -> Result<void> {
    if (plugin == nullptr) return Error{Rc::kMisuse, "misuse: plugin is NULL", {}, {}};
    auto r = std::make_shared<Registered>();
    r->user_data = user_data;
    // Only this struct's destroy slot is needed to keep the promise that it runs in any case.
    if (plugin->struct_size >= offsetof(libsched_plugin, destroy) + sizeof(plugin->destroy))
      r->slots.destroy = plugin->destroy;
    if (registry == nullptr) return Error{Rc::kMisuse, "misuse: registry is NULL", {}, {}};
    return add(unwrap(registry), plugin, r);
  });
  return rc;
}

}  // extern "C"
