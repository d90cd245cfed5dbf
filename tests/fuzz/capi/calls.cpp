// The table of all calls, and the world that they share.
#include "turn.hpp"

#include <cstring>
#include <mutex>
#include <thread>

namespace fuzz {

#include "declarations.inc"

namespace {

struct Function {
  const char* name;
  void (*call)(Turn&);
  unsigned weight;
};
constexpr Function kFunctions[] = {
#include "table.inc"
};

const std::vector<const Function*>& table() {
  static const std::vector<const Function*> all = [] {
    std::vector<const Function*> list;
    for (const Function& f : kFunctions) list.insert(list.end(), f.weight, &f);
    return list;
  }();
  return all;
}

const std::thread::id kMain = std::this_thread::get_id();
thread_local std::unique_ptr<World> own;

std::unique_ptr<World>& the_world() {
  static std::unique_ptr<World>* const all = new std::unique_ptr<World>(new World);
  return own == nullptr ? *all : own;
}
std::mutex passing;

}  // namespace

World& world() { return *the_world(); }
bool has_world() { return own != nullptr || std::this_thread::get_id() == kMain; }

void reset_world(uint64_t seed) {
  auto fresh = std::make_unique<World>();
  fresh->slots = Choices(seed);
  fresh->calls = world().calls;
  fresh->alone = world().alone;
  the_world() = std::move(fresh);
}

void begin_own_world() {
  own = std::make_unique<World>();
  own->alone = false;
}

World::Passed* World::pass(const char* what, bool must) {
  const std::lock_guard lock(passing);
  passed.push_back(std::make_unique<Passed>(Passed{what, must}));
  return passed.back().get();
}

void World::destroyed(void* data) {
  const std::lock_guard lock(passing);
  auto* const p = static_cast<Passed*>(data);
  if (++p->times > 1) fail(std::string(p->what) + " is destroyed twice");
}

void World::check_destroyed() const {
  for (const auto& p : passed)
    if (p->must && p->times == 0) fail(std::string(p->what) + " was never destroyed");
}

size_t table_size() { return table().size(); }

size_t place_of(const char* name) {
  for (size_t i = 0; i < table().size(); ++i)
    if (std::strcmp(table()[i]->name, name) == 0) return i;
  fail(std::string("no such function: ") + name);
}

void call_at(size_t place, Choices choices, int depth) {
  Turn t(choices, depth);
  table()[place % table().size()]->call(t);
}

void any_call(Choices choices, int depth) {
  const size_t place = choices.below(table_size());
  call_at(place, choices, depth);
}

void Turn::returned(libsched_rc rc) {
  trace_result(line_, " = " + std::to_string(rc));
  if (rc > LIBSCHED_OK || rc < LIBSCHED_ERR_PLUGIN) wrong("returns no code");
  if (rc == LIBSCHED_OK && must_refuse) wrong("takes an argument that it must refuse");
  const bool other_reason = several_structs && rc == LIBSCHED_ERR_UNSUPPORTED;
  if (must_refuse && rc != LIBSCHED_ERR_MISUSE && !other_reason)
    wrong("does not say MISUSE of a bad argument");
  written = rc == LIBSCHED_OK;
}

void Turn::look(libsched_str s) const {
  if (s.ptr == nullptr) wrong("lends a string without memory");
  [[maybe_unused]] static thread_local volatile char seen;
  for (size_t i = 0; i < s.len; ++i) seen = s.ptr[i];
  if (s.ptr[s.len] != 0) wrong("lends a string that does not end with NUL");
}
void Turn::look(const char* s) const {
  if (s != nullptr) look(libsched_str{s, std::strlen(s)});
}
void Turn::look(const libsched_pod* pod) const { look(libsched_pod_name(pod)); }
void Turn::look(const libsched_node* node) const { look(libsched_node_name(node)); }

}  // namespace fuzz
