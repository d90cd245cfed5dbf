// Parsing of feature gates under upstream's rules.
#include "libsched/config/feature_gates.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "libsched/base/mutex.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/config/feature_gate_table.hpp"

namespace libsched {
namespace {

constexpr size_t kNotFound = SIZE_MAX;

// The gates of one release, and an index of its known gates by name.
struct Known {
  std::vector<GateInfo> gates;
  std::map<Str, size_t> by_name;
};

Known make_known(Release release) {
  Known out;
  out.gates =
      gates_in(gate_histories(), gate_supports(), static_cast<size_t>(Gate::kCount), release);
  for (size_t i = 0; i < out.gates.size(); ++i)
    if (out.gates[i].known) out.by_name[out.gates[i].name] = i;
  return out;
}

// The gates of a release are made when they are first asked for.
template <size_t R>
const Known& known_in() {
  const ForkHeldOff made_whole;
  static const Known kKnown = make_known(static_cast<Release>(R));
  return kKnown;
}

template <size_t... R>
const Known& known_in(Release release, std::index_sequence<R...>) {
  static constexpr const Known& (*kIn[])() = {&known_in<R>...};
  return kIn[static_cast<size_t>(release)]();
}

const Known& known(Release release) {
  return known_in(release, std::make_index_sequence<kReleaseCount>());
}

size_t find(Str name, Release release) {
  const std::map<Str, size_t>& by_name = known(release).by_name;
  const auto it = by_name.find(name);
  return it == by_name.end() ? kNotFound : it->second;
}

Str on_off(bool on) { return on ? "true" : "false"; }

// strconv.ParseBool
bool parse_bool(Str s, bool& out) {
  for (const Str t : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (s == t) return out = true;
  }
  for (const Str f : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (s == f) {
      out = false;
      return true;
    }
  }
  return false;
}

Str trim(Str s) {
  constexpr Str kSpaces = " \t\n\v\f\r";
  const size_t begin = s.find_first_not_of(kSpaces);
  if (begin == Str::npos) return {};
  return s.substr(begin, s.find_last_not_of(kSpaces) - begin + 1);
}

Error unrecognized(Str name) {
  return {Rc::kInvalid, "unrecognized feature gate: " + std::string(name)};
}

// One error as it is, several as "[a, b]".
Error aggregate(const std::vector<std::string>& errors) {
  std::string out;
  for (const std::string& e : errors) out += (out.empty() ? "" : ", ") + e;
  return {Rc::kInvalid, errors.size() > 1 ? "[" + out + "]" : out};
}

}  // namespace

Span<GateInfo> known_gates(Release release) { return known(release).gates; }

FeatureGates::FeatureGates(Release release) : release_(release) {
  const Span<GateInfo> gates = known_gates(release);
  for (size_t i = 0; i < gates.size(); ++i) put(i, gates[i].default_on);
}

Result<FeatureGates> FeatureGates::parse(Str text, Release release) {
  std::vector<std::pair<std::string, bool>> gates;
  for (;;) {
    const size_t comma = text.find(',');
    const Str entry = text.substr(0, comma);
    if (!entry.empty()) {
      const size_t equals = entry.find('=');
      const std::string name(trim(entry.substr(0, equals)));
      if (equals == Str::npos) return Error{Rc::kInvalid, "missing bool value for " + name};
      const std::string value(trim(entry.substr(equals + 1)));
      bool on = false;
      if (!parse_bool(value, on)) {
        return Error{Rc::kInvalid, "invalid value of " + name + "=" + value +
                                       ", err: strconv.ParseBool: parsing " + go_quote(value) +
                                       ": invalid syntax"};
      }
      gates.emplace_back(name, on);
    }
    if (comma == Str::npos) return from_map(gates, release);
    text.remove_prefix(comma + 1);
  }
}

Result<FeatureGates> FeatureGates::from_map(const std::vector<std::pair<std::string, bool>>& gates,
                                            Release release) {
  const std::map<std::string, bool> wanted = [&] {
    std::map<std::string, bool> m;
    for (const auto& [name, on] : gates) m[name] = on;
    return m;
  }();
  FeatureGates out(release);
  const Span<GateInfo> infos = known_gates(release);
  std::vector<std::string> errors;
  for (const auto& [name, on] : wanted) {
    const bool all_alpha = name == "AllAlpha";
    if (all_alpha || name == "AllBeta") {
      const GateStage stage = all_alpha ? GateStage::kAlpha : GateStage::kBeta;
      for (size_t i = 0; i < infos.size(); ++i) {
        const GateInfo& g = infos[i];
        if (g.stage == stage && g.known && !wanted.contains(std::string(g.name))) out.put(i, on);
      }
      continue;
    }
    const size_t i = find(name, release);
    if (i == kNotFound) {
      errors.push_back(unrecognized(name).message);
      return aggregate(errors);
    }
    const GateInfo& g = infos[i];
    if (g.locked && g.default_on != on) {
      errors.push_back("cannot set feature gate " + name + " to " + std::string(on_off(on)) +
                       ", feature is locked to " + std::string(on_off(g.default_on)));
      continue;
    }
    out.put(i, on);
  }
  if (!errors.empty()) return aggregate(errors);

  const auto on = [&](Str name) {
    const size_t i = find(name, release);
    return i != kNotFound && out.get(i);
  };
  const auto deps = gate_dependencies();
  for (size_t i = 0; i < deps.size();) {
    const Str gate = deps[i].gate;
    std::string missing;
    for (; i < deps.size() && deps[i].gate == gate; ++i) {
      if (has_letter(deps[i].letters, release) && !on(deps[i].needs))
        missing += (missing.empty() ? "" : " ") + std::string(deps[i].needs);
    }
    if (missing.empty() || !on(gate)) continue;
    errors.push_back(std::string(gate) +
                     " is enabled, but depends on features that are disabled: [" + missing + "]");
  }
  if (!errors.empty()) return aggregate(errors);
  return out;
}

Result<bool> FeatureGates::enabled(Str name) const {
  const size_t i = find(name, release_);
  if (i == kNotFound) return unrecognized(name);
  return get(i);
}

Result<void> FeatureGates::require_supported() const {
  std::string names;
  const Span<GateInfo> infos = known_gates(release_);
  for (size_t i = 0; i < infos.size(); ++i) {
    const GateInfo& g = infos[i];
    if (g.support != GateSupport::kDefaultOnly || get(i) == g.default_on) continue;
    names += (names.empty() ? "" : ", ") + std::string(g.name) + "=" +
             std::string(on_off(!g.default_on));
  }
  if (names.empty()) return {};
  return Error{Rc::kUnsupported,
               "feature gates set to values that libsched does not implement yet: " + names +
                   " (leave them at their defaults)"};
}

std::string FeatureGates::to_string() const {
  std::string out;
  for (const auto& [name, i] : known(release_).by_name) {
    if (get(i) == known(release_).gates[i].default_on) continue;
    out += (out.empty() ? "" : ",") + std::string(name) + "=" + std::string(on_off(get(i)));
  }
  return out;
}

}  // namespace libsched
