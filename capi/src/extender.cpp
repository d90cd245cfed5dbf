// Extenders written in C: questions become calls, and what the calls say becomes answers.
#include "libsched/framework/extender.hpp"

#include <mutex>
#include <optional>

#include "foreign_plugin/shared_object.hpp"
#include "given.hpp"
#include "handles.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/config/config_json.hpp"
#include "owned_data.hpp"

struct libsched_net_extender_options;  // of libsched/net.h, which no part of the core includes

using namespace libsched;        // NOLINT(google-build-using-namespace)
using namespace libsched::capi;  // NOLINT(google-build-using-namespace)

namespace {

// Collects an answer. No exception may pass through the extender.
struct Collected {
  Extender::FilterAnswer filtered;
  std::vector<Extender::Score> scores;
  std::vector<Extender::Victims> victims;
  bool out_of_memory = false;

  template <typename F>
  static void add(void* context, F&& f) noexcept {
    auto& self = *static_cast<Collected*>(context);
    try {
      f(self);
    } catch (...) {
      self.out_of_memory = true;
    }
  }
  libsched_extender_answer answer() {
    return {
        this,
        [](void* context, size_t index) {
          add(context, [&](Collected& to) { to.filtered.kept.push_back({index, {}}); });
        },
        [](void* context, size_t index, const libsched_node* node) {
          add(context, [&](Collected& to) {
            NodeRef object = live(node) ? NodeRef::share(unwrap(node)) : NodeRef();
            to.filtered.kept.push_back({index, std::move(object)});
          });
        },
        [](void* context, libsched_str node, libsched_str reason, bool unresolvable) {
          add(context, [&](Collected& to) {
            auto& list = unresolvable ? to.filtered.unresolvable : to.filtered.failed;
            list.emplace_back(in(node), in(reason));
          });
        },
        [](void* context, libsched_str node, int64_t score) {
          add(context, [&](Collected& to) { to.scores.push_back({std::string(in(node)), score}); });
        },
        [](void* context, libsched_str node, const libsched_str* uids, size_t count,
           int64_t violations) {
          add(context, [&](Collected& to) {
            Extender::Victims& v = to.victims.emplace_back();
            v.node = in(node);
            for (size_t i = 0; i < count; ++i) v.uids.emplace_back(in(uids[i]));
            v.budget_violations = violations;
          });
        },
    };
  }
};

class ForeignExtender final : public Extender {
 public:
  ForeignExtender(Traits traits, const libsched_extender_functions& calls, void* user_data)
      : Extender(std::move(traits)), calls_(calls), user_data_(user_data) {}
  ~ForeignExtender() override {
    if (calls_.destroy != nullptr) calls_.destroy(user_data_);
  }

  Result<FilterAnswer> filter(const Pod& pod, Span<const Node*> nodes) const override {
    Collected to;
    LIBSCHED_TRY(ask_about_nodes("filter", calls_.filter, pod, nodes, &to));
    return std::move(to.filtered);
  }
  Result<std::vector<Score>> prioritize(const Pod& pod, Span<const Node*> nodes) const override {
    Collected to;
    LIBSCHED_TRY(ask_about_nodes("prioritize", calls_.prioritize, pod, nodes, &to));
    return std::move(to.scores);
  }
  Result<std::vector<Victims>> process_preemption(const Pod& pod,
                                                  const Candidates& candidates) const override {
    std::vector<std::vector<const libsched_pod*>> victims;
    std::vector<libsched_extender_candidate> list;
    Collected to;
    LIBSCHED_TRY(ask("process_preemption", &to, [&](const auto& answer, libsched_status* status) {
      for (const PreemptionReport::Candidate& c : candidates) {
        std::vector<const libsched_pod*>& of = victims.emplace_back();
        for (const PodRef& victim : c.victims) of.push_back(wrap(victim.get()));
        list.push_back({out(c.node), of.data(), of.size(), c.budget_violations});
      }
      return calls_.process_preemption(user_data_, wrap(&pod), list.data(), list.size(), &answer,
                                       status);
    }));
    return std::move(to.victims);
  }
  Result<void> bind(const Pod& pod, Str node) const override {
    const std::string name(node);
    Collected to;
    return ask("bind", &to, [&](const auto&, libsched_status* status) {
      return calls_.bind(user_data_, wrap(&pod), out(name), status);
    });
  }

 private:
  template <typename Slot>
  Result<void> ask_about_nodes(const char* what, Slot slot, const Pod& pod, Span<const Node*> nodes,
                               Collected* to) const {
    return ask(what, to, [&](const auto& answer, libsched_status* status) {
      std::vector<const libsched_node*> handles;
      handles.reserve(nodes.size());
      for (const Node* node : nodes) handles.push_back(wrap(node));
      return slot(user_data_, wrap(&pod), handles.data(), handles.size(), &answer, status);
    });
  }
  template <typename Call>
  Result<void> ask(const char* what, Collected* to, Call&& call) const {
    Borrowing borrowing;
    const Lent<StatusObject> status;
    status->ref();  // a release by the callee frees nothing
    const libsched_extender_answer answer = to->answer();
    const libsched_code code = call(answer, wrap(status.get()));
    const std::string where = std::string(what) + " of the extender " + go_quote(traits().name);
    if (const char* given_back = borrowing.released())
      return Error{Rc::kMisuse, where + " released " + given_back + " that it had borrowed"};
    if (to->out_of_memory || status->out_of_memory) throw std::bad_alloc();
    if (code == LIBSCHED_CODE_SUCCESS) return {};
    std::string why = status->status.message();
    if (why.empty()) why = where + " returned code " + std::to_string(code);
    return Error{Rc::kPlugin, std::move(why)};
  }

  libsched_extender_functions calls_;
  void* user_data_;
};

Extender::Traits traits_of(const libsched_extender_functions& f) {
  Extender::Traits traits;
  traits.name = in(f.name);
  traits.ignorable = f.ignorable;
  traits.filters = f.filter != nullptr;
  traits.prioritizes = f.prioritize != nullptr;
  traits.preempts = f.process_preemption != nullptr;
  traits.binds = f.bind != nullptr;
  traits.reads_pods = f.reads_pods;
  traits.reads_nodes = f.reads_nodes;
  traits.concurrent = f.concurrent;
  traits.weight = f.weight;
  for (size_t i = 0; i < f.managed_resource_count; ++i)
    traits.managed_resources.emplace_back(in(f.managed_resources[i]));
  return traits;
}

// libsched_net_extender_create().
using NetExtenderCreate = libsched_rc (*)(const libsched_config*, size_t,
                                          const libsched_net_extender_options*, libsched_extender**,
                                          libsched_error**);

#define LIBSCHED_NUMBER_TEXT_OF(x) #x
#define LIBSCHED_NUMBER_TEXT(x) LIBSCHED_NUMBER_TEXT_OF(x)

// Loads libsched-net.so once; it stays loaded.
Result<NetExtenderCreate> net_extender_create() {
  static Mutex mutex;
  static std::optional<SharedObject> loaded;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    const std::string name = "libsched-net.so.0." LIBSCHED_NUMBER_TEXT(LIBSCHED_ABI_VERSION);
    constexpr const char* kFunction = "libsched_net_extender_create";
    const std::string folder = own_folder();
    Result<SharedObject> opened = open_shared_object(folder + name, kFunction);
    if (!opened.ok() && !folder.empty()) opened = open_shared_object(name, kFunction);
    if (!opened.ok())
      return Error{Rc::kUnsupported,
                   "HTTP extenders need libsched-net.so: " + opened.error().message, "extenders"};
    loaded = std::move(*opened);
  }
  return reinterpret_cast<NetExtenderCreate>(loaded->function);
}

}  // namespace

extern "C" {

libsched_rc libsched_extender_create(const libsched_extender_functions* functions, void* user_data,
                                     libsched_extender** result, libsched_error** error) {
  OwnedData owned(functions, user_data);
  LIBSCHED_REQUIRE_HANDLES(error, result);
  LIBSCHED_REQUIRE(error, functions != nullptr);
  return guarded(error, [&]() -> Result<void> {
    const Result<libsched_extender_functions> f = read_given(functions);
    if (!f.ok()) return f.error();
    if (f->managed_resources == nullptr && f->managed_resource_count != 0)
      return Error{Rc::kMisuse, "functions->managed_resources != NULL"};
    *result = own(static_cast<Extender*>(new ForeignExtender(traits_of(*f), *f, user_data)));
    owned.destroy = nullptr;
    return {};
  });
}
libsched_str libsched_extender_name(const libsched_extender* extender) {
  return live(extender) ? out(unwrap(extender)->traits().name) : out(Str());
}

size_t libsched_config_extender_count(const libsched_config* config) {
  return live(config) ? unwrap(config)->extenders.size() : 0;
}
libsched_rc libsched_config_extender_json(const libsched_config* config, size_t index,
                                          libsched_text** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, config, result);
  return hand_over(error, result, [&]() -> Result<std::string> {
    const auto& extenders = unwrap(config)->extenders;
    if (index >= extenders.size())
      return Error{Rc::kNotFound,
                   "the configuration has " + std::to_string(extenders.size()) + " extenders"};
    return extender_to_json(extenders[index]);
  });
}

libsched_rc libsched_config_load_extender(const libsched_config* config, size_t index,
                                          libsched_extender** result, libsched_error** error) {
  LIBSCHED_REQUIRE_HANDLES(error, config, result);
  NetExtenderCreate create = nullptr;
  const libsched_rc rc = guarded(error, [&]() -> Result<void> {
    const Result<NetExtenderCreate> found = net_extender_create();
    if (!found.ok()) return found.error();
    create = *found;
    return {};
  });
  return rc != LIBSCHED_OK ? rc : create(config, index, nullptr, result, error);
}

}  // extern "C"
