// Decoding by hand: the types are few, and Go's rules about wrong values differ from those of other
// libraries.
#include "net/src/extender/answers.hpp"

#include <charconv>
#include <unordered_map>

#include "libsched/base/go_json.hpp"
#include "libsched/base/hash.hpp"

namespace libsched {

namespace {

// Decodes one value; remembers the first value of a wrong type, as Go does, and goes on.
class Decoder {
 public:
  explicit Decoder(const char* type, size_t asked = 0) : type_(type), left_(asked + kMostMore) {}

  // The error of the whole value, if any.
  Result<void> done() {
    return error_ ? Result<void>(Error{Rc::kInvalid, std::move(*error_)}) : Result<void>();
  }

  // The members of an object of the struct `type`; `root` is the type for Go's texts of the whole
  // value.
  template <typename F>
  void object(std::string_view value, const std::string& field, const char* type, F&& f) {
    if (!is(value, JsonKind::kObject, field, type)) return;
    for (JsonWalk walk(value); walk.next();) f(walk.key, walk.value);
  }
  void expect_object(std::string_view value, const std::string& field, const char* type) {
    static_cast<void>(is(value, JsonKind::kObject, field, type));
  }
  template <typename F>
  void array(std::string_view value, const std::string& field, const char* type, F&& f) {
    if (!is(value, JsonKind::kArray, field, type)) return;
    for (JsonWalk walk(value); walk.next();) f(walk.value);
  }
  void string(std::string_view value, const std::string& field, std::string* out) {
    if (is(value, JsonKind::kString, field, "string")) *out = json_string(value);
  }
  void integer(std::string_view value, const std::string& field, int64_t* out) {
    if (!is(value, JsonKind::kNumber, field, "int64")) return;
    int64_t number = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code == std::errc() && end == value.data() + value.size()) {
      *out = number;
    } else {
      wrong("number " + std::string(value), field, "int64");
    }
  }
  // Whether one more entry may be kept; if not, that is the error.
  bool may_keep() {
    if (left_ != 0) {
      --left_;
      return true;
    }
    if (!error_) error_ = "the answer has too many entries";
    return false;
  }
  // A map of strings. A key may be there again: its last value counts.
  void strings(std::string_view value, const std::string& field, const char* type,
               std::vector<std::pair<std::string, std::string>>* out) {
    object(value, field, type, [&](std::string_view key, std::string_view item) {
      std::string name = json_string(key), text;
      if (json_kind(item) != JsonKind::kNull && json_kind(item) != JsonKind::kString) {
        wrong(json_kind_name(json_kind(item)), field, "string");
        return;
      }
      string(item, field, &text);
      if (may_keep()) out->emplace_back(std::move(name), std::move(text));
    });
  }

 private:
  // Null leaves a value as it is.
  bool is(std::string_view value, JsonKind wanted, const std::string& field, const char* type) {
    const JsonKind kind = json_kind(value);
    if (kind == wanted) return true;
    if (kind != JsonKind::kNull) wrong(json_kind_name(kind), field, type);
    return false;
  }
  void wrong(const std::string& what, const std::string& field, const char* type) {
    if (error_) return;
    error_ = "json: cannot unmarshal " + what + " into Go " +
             (field.empty() ? "value of type "
                            : "struct field " + std::string(type_) + "." + field + " of type ") +
             type;
  }

  const char* type_;
  size_t left_;  // entries that may still be kept
  std::optional<std::string> error_;
};

}  // namespace

Result<FilterResult> decode_filter_result(std::string_view value, size_t asked) {
  FilterResult out;
  Decoder decode("ExtenderFilterResult", asked);
  decode.object(
      value, "", "v1.ExtenderFilterResult", [&](std::string_view key, std::string_view member) {
        const bool null = json_kind(member) == JsonKind::kNull;
        if (go_names(key, "Nodes")) {
          out.nodes.reset();
          if (null) return;
          decode.object(
              member, "Nodes", "v1.NodeList", [&](std::string_view name, std::string_view items) {
                if (!go_names(name, "items")) return;
                out.nodes.emplace();
                decode.array(items, "Nodes.items", "[]v1.Node", [&](std::string_view item) {
                  decode.expect_object(item, "Nodes.items", "v1.Node");
                  if (decode.may_keep()) out.nodes->push_back(item);
                });
              });
          if (json_kind(member) == JsonKind::kObject && !out.nodes) out.nodes.emplace();
        } else if (go_names(key, "NodeNames")) {
          out.node_names.reset();
          if (null) return;
          std::vector<std::string> names;
          decode.array(member, "NodeNames", "[]string", [&](std::string_view item) {
            std::string name;
            decode.string(item, "NodeNames", &name);
            if (decode.may_keep()) names.push_back(std::move(name));
          });
          out.node_names = std::move(names);
        } else if (go_names(key, "FailedNodes")) {
          decode.strings(member, "FailedNodes", "v1.FailedNodesMap", &out.failed);
        } else if (go_names(key, "FailedAndUnresolvableNodes")) {
          decode.strings(member, "FailedAndUnresolvableNodes", "v1.FailedNodesMap",
                         &out.unresolvable);
        } else if (go_names(key, "Error")) {
          decode.string(member, "Error", &out.error);
        }
      });
  LIBSCHED_TRY(decode.done());
  return out;
}

Result<std::vector<ExtenderScore>> decode_priorities(std::string_view value, size_t asked) {
  std::vector<ExtenderScore> out;
  Decoder decode("HostPriority", asked);
  decode.array(value, "", "v1.HostPriorityList", [&](std::string_view item) {
    ExtenderScore p;
    decode.object(item, "", "v1.HostPriority", [&](std::string_view key, std::string_view member) {
      if (go_names(key, "Host")) decode.string(member, "Host", &p.node);
      if (go_names(key, "Score")) decode.integer(member, "Score", &p.score);
    });
    if (decode.may_keep()) out.push_back(std::move(p));
  });
  LIBSCHED_TRY(decode.done());
  return out;
}

Result<std::vector<ExtenderVictims>> decode_preemption_result(std::string_view value,
                                                              size_t asked) {
  std::vector<ExtenderVictims> out;
  std::unordered_map<std::string, size_t, StrHash> last;  // by node
  Decoder decode("ExtenderPreemptionResult", asked);
  const std::string map = "NodeNameToMetaVictims";
  decode.object(
      value, "", "v1.ExtenderPreemptionResult", [&](std::string_view key, std::string_view nodes) {
        if (!go_names(key, map)) return;
        decode.object(
            nodes, map, "map[string]*v1.MetaVictims",
            [&](std::string_view node, std::string_view victims) {
              ExtenderVictims v{json_string(node), {}, 0};
              decode.object(
                  victims, map, "v1.MetaVictims",
                  [&](std::string_view field, std::string_view member) {
                    if (go_names(field, "NumPDBViolations")) {
                      decode.integer(member, map + ".NumPDBViolations", &v.budget_violations);
                    } else if (go_names(field, "Pods")) {
                      v.uids.clear();
                      decode.array(
                          member, map + ".Pods", "[]*v1.MetaPod", [&](std::string_view pod) {
                            std::string uid;
                            decode.object(pod, map + ".Pods", "v1.MetaPod",
                                          [&](std::string_view name, std::string_view text) {
                                            if (go_names(name, "UID"))
                                              decode.string(text, map + ".Pods.UID", &uid);
                                          });
                            if (decode.may_keep()) v.uids.push_back(std::move(uid));
                          });
                    }
                  });
              if (!decode.may_keep()) return;
              const auto [it, is_new] = last.try_emplace(v.node, out.size());
              if (is_new) {
                out.push_back(std::move(v));
              } else {
                out[it->second] = std::move(v);
              }
            });
      });
  LIBSCHED_TRY(decode.done());
  return out;
}

Result<std::string> decode_binding_result(std::string_view value) {
  std::string out;
  Decoder decode("ExtenderBindingResult");
  decode.object(value, "", "v1.ExtenderBindingResult",
                [&](std::string_view key, std::string_view member) {
                  if (go_names(key, "Error")) decode.string(member, "Error", &out);
                });
  LIBSCHED_TRY(decode.done());
  return out;
}

}  // namespace libsched
