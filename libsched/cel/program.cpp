// Programs: compiled expressions, and what they say of a device.
#include <unordered_map>
#include <utility>

#include "libsched/base/mutex.hpp"
#include "libsched/cel/cel.hpp"
#include "libsched/cel/checker.hpp"
#include "libsched/cel/parser.hpp"
#include "libsched/cel/plan.hpp"

namespace libsched::cel {

struct Scratch::State {
  Memory memory;
  Machine machine{memory};
};

Scratch::Scratch() : state_(std::make_unique<State>()) {}
Scratch::~Scratch() = default;

namespace {

// Upstream's error of a result that is no bool, which may be inside of optional values.
std::string not_bool(const Value& v, const Value& inner) {
  return "CEL result of type " + std::string(type_name(v)) +
         " could not be converted to bool: " + native_error(inner, "bool");
}

class CompiledProgram final : public Program {
 public:
  CompiledProgram(Plan* plan, const Options& options, std::string type)
      : plan_(plan), options_(options), type_(std::move(type)) {}

  MatchResult match(const Device& device, Scratch& scratch) const override {
    MatchResult out;
    const Value v = run(device, scratch, &out.cost, &out.error);
    judge(v, &out);
    return out;
  }

  Evaluation evaluate(const Device& device, Scratch& scratch) const override {
    Evaluation out;
    const Value v = run(device, scratch, &out.cost, &out.error);
    out.match.cost = out.cost;
    out.match.error = out.error;
    judge(v, &out.match);
    out.ok = out.error.empty();
    if (out.ok) out.value = render(scratch.state().machine, v);
    return out;
  }

  const std::string& type() const override { return type_; }

 private:
  // What the value of a run without an error says, or that there is an error.
  static void judge(const Value& v, MatchResult* out) {
    const Value* inner = &v;
    while (inner->kind == ValueKind::kOptional && inner->inner != nullptr) inner = inner->inner;
    if (out->error.empty() && inner->kind == ValueKind::kBool) {
      out->match = inner->integer != 0 ? Match::kYes : Match::kNo;
      return;
    }
    out->match = Match::kError;
    if (out->error.empty()) out->error = not_bool(v, *inner);
  }

  Value run(const Device& device, Scratch& scratch, uint64_t* cost, std::string* error) const {
    Machine& m = scratch.state().machine;
    m.start(&device, options_, plan_->slots);
    *error = m.check_attributes();
    if (!error->empty()) return {};
    const Value v = cel::evaluate(m, plan_->root);
    *cost = m.cost();
    if (m.stopped())
      *error = std::string(m.stop_value().text());
    else if (v.is_error())
      *error = std::string(v.text());
    return v;
  }

  std::unique_ptr<const Plan> plan_;
  Options options_;
  std::string type_;
};

}  // namespace

Result<Ref<const Program>> compile(Str expression, const Options& options) {
  auto plan = std::make_unique<Plan>();
  const Str source = plan->arena.copy(expression);
  Issues issues(source);
  Expr* const tree = parse(source, plan->arena, issues, options.dialect);
  if (tree != nullptr) check(tree, plan->arena, options, issues);
  if (!issues.empty()) return invalid("", "compilation failed: " + issues.text());
  std::string type = type_string(tree->type);
  const TypeKind kind = tree->type->kind;
  const bool is_newer = options.dialect.cel_go_29;
  const bool is_fit = (kind == TypeKind::kBool && (is_newer || !tree->type->is_wrapper)) ||
                      (kind == TypeKind::kAny && !is_newer) ||
                      (kind == TypeKind::kDyn && options.takes_lists());
  if (!is_fit && !options.any_result)
    return invalid("", "must evaluate to bool or the unknown type, not " + type);
  LIBSCHED_TRY(make_plan(tree, *plan, options.dialect));
  return Ref<const Program>::adopt(new CompiledProgram(plan.release(), options, std::move(type)));
}

struct Programs::State {
  explicit State(const Options& o) : options(o) {}

  Options options;
  Mutex mutex;
  std::unordered_map<std::string, Result<Ref<const Program>>> programs;
};

Programs::Programs(const Options& options) : state_(std::make_unique<State>(options)) {}
Programs::~Programs() = default;

Result<Ref<const Program>> Programs::get(Str expression) {
  std::string key(expression);
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->programs.find(key);
    if (found != state_->programs.end()) return found->second;
  }
  auto program = compile(expression, state_->options);
  const std::lock_guard lock(state_->mutex);
  return state_->programs.emplace(std::move(key), std::move(program)).first->second;
}

}  // namespace libsched::cel
