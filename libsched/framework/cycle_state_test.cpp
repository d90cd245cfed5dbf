// CycleState: intersections of PreFilterResults, and destruction and cloning of keyed values.
#include "libsched/framework/cycle_state.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace libsched::cycle_state_test {

using Names = std::vector<std::string>;

TEST_CASE("a PreFilterResult narrows by intersection") {
  PreFilterResult r;
  CHECK(r.allows("anything"));
  r.narrow({"c", "a", "b", "a"});
  CHECK_FALSE(r.all_nodes);
  CHECK(r.nodes == Names{"a", "b", "c"});
  CHECK(r.allows("b"));
  CHECK_FALSE(r.allows("ab"));
  CHECK_FALSE(r.allows(""));
  r.narrow({"d", "b", "c"});
  CHECK(r.nodes == Names{"b", "c"});
  r.narrow({"a"});
  CHECK(r.nodes.empty());
  CHECK_FALSE(r.all_nodes);
  CHECK_FALSE(r.allows("a"));
}

TEST_CASE("an empty list of names differs from every node") {
  PreFilterResult r;
  r.narrow({});
  CHECK_FALSE(r.all_nodes);
  CHECK_FALSE(r.allows("a"));
}

// Counts live values of its kind.
class Counted final : public StateValue {
 public:
  Counted(int id, int* alive) : id_(id), alive_(alive) { ++*alive_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() override { --*alive_; }
  std::shared_ptr<StateValue> clone(std::shared_ptr<StateValue> self) const override {
    if (state != nullptr) CHECK(state->read("key").get() == self.get());  // reading is allowed
    return std::make_shared<Counted>(id_ + 100, alive_);
  }
  void* get() const override { return const_cast<int*>(&id_); }

  const CycleState* state = nullptr;

 private:
  int id_;
  int* alive_;
};

int value_at(const CycleState& state, Str key) {
  const auto v = state.read(key);
  return v ? *static_cast<int*>(v->get()) : -1;
}

TEST_CASE("values are replaced, deleted and destroyed once") {
  int alive = 0;
  {
    CycleState state;
    CHECK(value_at(state, "a") == -1);
    state.write("a", std::make_shared<Counted>(1, &alive));
    state.write("b", std::make_shared<Counted>(2, &alive));
    CHECK(value_at(state, "a") == 1);
    state.write("a", std::make_shared<Counted>(3, &alive));
    CHECK(alive == 2);
    CHECK(value_at(state, "a") == 3);
    state.erase("b");
    state.erase("b");
    state.erase("never there");
    CHECK(alive == 1);
    CHECK(value_at(state, "b") == -1);
    state.write("", std::make_shared<Counted>(4, &alive));
    CHECK(value_at(state, "") == 4);
  }
  CHECK(alive == 0);
}

TEST_CASE("a clone has its own values") {
  int alive = 0;
  Ref<CycleState> state = make_ref<CycleState>();
  const auto value = std::make_shared<Counted>(1, &alive);
  value->state = state.get();  // the clone function may read the state that is being cloned
  state->write("key", value);
  Ref<CycleState> copy = state->clone();
  CHECK(alive == 2);
  CHECK(value_at(*copy, "key") == 101);
  CHECK(value_at(*state, "key") == 1);
  copy->erase("key");
  CHECK(value_at(*state, "key") == 1);
  copy = nullptr;
  state = nullptr;
  CHECK(alive == 1);  // `value` itself
}

struct Number final : PluginData {
  int number = 0;
  std::shared_ptr<PluginData> clone() const override {
    auto copy = std::make_shared<Number>(*this);
    ++copy->number;
    return copy;
  }
};

TEST_CASE("a clone has PreFilter's result, and its own data of plugins") {
  CycleState state;
  state.tie(make_ref<CycleState>(), 2);
  state.begin_pre_filter(7);
  state.set_skip_all_post_filter(true);
  state.edit_entries()[0].skip_filter = true;
  auto data = std::make_shared<Number>();
  data->ids_epoch = 5;
  state.edit_entries()[1].data = data;
  state.edit_entries()[1].prepared = state.edit_entries()[1].pre_filtered = true;
  state.pre_filter().narrow({"n"});
  state.pre_filter().restricted = {"X"};
  const Ref<CycleState> copy = state.clone();
  CHECK(copy->framework() == state.framework());
  CHECK(copy->pod_serial() == 7);
  CHECK(copy->data_serial() == 7);
  CHECK(copy->skip_all_post_filter());
  CHECK(copy->entries()[0].skip_filter);
  CHECK_FALSE(copy->entries()[1].skip_filter);
  CHECK(copy->entries()[1].pre_filtered);
  CHECK(copy->entries()[1].prepared);
  CHECK(copy->entries()[1].data->ids_epoch == 5);
  CHECK(static_cast<const Number&>(*copy->entries()[1].data).number == 1);
  CHECK(data->number == 0);
  CHECK(copy->pre_filter().nodes == Names{"n"});
  CHECK(copy->pre_filter().restricted == Names{"X"});
}

TEST_CASE("keyed values may be used by several threads") {
  int alive = 0;
  std::vector<int> own(4, 0);
  CycleState state;
  state.write("shared", std::make_shared<Counted>(1, &alive));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < own.size(); ++t)
    threads.emplace_back([&state, count = &own[t], t] {
      const std::string key = "thread" + std::to_string(t);
      for (int i = 0; i < 200; ++i) {
        state.write(key, std::make_shared<Counted>(i, count));
        if (value_at(state, key) != i || value_at(state, "shared") != 1) *count += 1000;
        if (i % 3 == 0) state.erase(key);
      }
    });
  for (std::thread& t : threads) t.join();
  for (const int count : own) CHECK(count == 1);
}

}  // namespace libsched::cycle_state_test
