// Signatures of everything but volumes.
#include "libsched/plugins/signature/signature.hpp"

#include <algorithm>
#include <set>

#include "libsched/base/quote.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

template <typename T, typename F>
std::string joined(const T& items, F&& json) {
  std::string out = "[";
  for (const auto& item : items) out.append(out.size() > 1 ? "," : "").append(json(item));
  return out + "]";
}

// Members of an object that are omitted where they are empty.
struct Members {
  std::string out = "{";
  void add(Str name, const std::string& json) {
    if (out.size() > 1) out += ',';
    out.append("\"").append(name).append("\":").append(json);
  }
  void text(Str name, Str value) {
    if (!value.empty()) add(name, json_quote(value));
  }
  std::string end() && { return std::move(out) + "}"; }
};

std::string requirement_json(const Requirement& r) {
  std::vector<std::string> values(r.values.begin(), r.values.end());
  std::sort(values.begin(), values.end());
  Members m;
  m.add("key", json_quote(r.key));
  m.add("operator", json_quote(r.op_text));
  if (!values.empty()) m.add("values", signed_list(values));
  return std::move(m).end();
}

template <typename T, typename F>
std::string sorted_list(Span<T> items, F&& json) {
  std::vector<std::string> out;
  for (const T& item : items) out.push_back(json(item));
  std::sort(out.begin(), out.end());
  return signed_list(out);
}

std::string term_json(const NodeSelectorTerm& t) {
  return "{\"MatchExpressions\":" + sorted_list(t.match_expressions, requirement_json) +
         ",\"MatchFields\":" + sorted_list(t.match_fields, requirement_json) + "}";
}

std::string preferred_json(const PreferredSchedulingTerm& t) {
  return "{\"Weight\":" + std::to_string(t.weight) + ",\"Preference\":" + term_json(t.preference) +
         "}";
}

std::string toleration_json(const Toleration& t) {
  Members m;
  m.text("key", t.key);
  m.text("operator", t.op_text);
  m.text("value", t.value);
  m.text("effect", t.effect_text);
  if (t.seconds) m.add("tolerationSeconds", std::to_string(*t.seconds));
  return std::move(m).end();
}

}  // namespace

SignFragment sign_fragment(Str key, std::string json) {
  return {std::string(key), std::move(json)};
}

std::string signed_list(const std::vector<std::string>& items) {
  return joined(items, [](const std::string& s) { return json_quote(s); });
}

std::string signed_labels(Labels labels, bool present) {
  if (!present) return "null";
  std::string out = "{";
  for (const Label& l : labels)
    out.append(out.size() > 1 ? "," : "")
        .append(json_quote(l.key))
        .append(":")
        .append(json_quote(l.value));
  return out + "}";
}

// Upstream's sort is not stable beyond twelve elements; here equal ones always keep their order.
std::string signed_tolerations(const Pod& pod) {
  std::vector<Toleration> list(pod.spec.tolerations.begin(), pod.spec.tolerations.end());
  std::stable_sort(list.begin(), list.end(), [](const Toleration& a, const Toleration& b) {
    return a.key != b.key ? a.key < b.key : a.value < b.value;
  });
  return joined(list, toleration_json);
}

std::string signed_host_ports(const Pod& pod) {
  std::set<int32_t> ports;
  for (const Span<Container> containers : {pod.spec.containers, pod.spec.init_containers})
    for (const Container& c : containers)
      for (const ContainerPort& p : c.ports)
        if (p.host_port != 0) ports.insert(p.host_port);
  return joined(ports, [](int32_t p) { return std::to_string(p); });
}

std::string signed_node_affinity(const Pod& pod) {
  const NodeAffinity& a = pod.spec.node_affinity;
  if (!a.present) return "null";
  return "{\"Required\":" + sorted_list(a.required.terms, term_json) +
         ",\"Preferred\":" + sorted_list(a.preferred, preferred_json) + "}";
}

std::string signed_resources(const Pod& pod) {
  const Resources& r = pod.requests;
  std::string scalars;
  for (const ScalarAmount& s : r.scalars)
    scalars.append(scalars.empty() ? "{" : ",")
        .append(json_quote(s.name))
        .append(":")
        .append(std::to_string(s.value));
  return "{\"MilliCPU\":" + std::to_string(r.milli_cpu) +
         ",\"Memory\":" + std::to_string(r.memory) +
         ",\"EphemeralStorage\":" + std::to_string(r.ephemeral_storage) +
         ",\"AllowedPodNumber\":0,\"ScalarResources\":" +
         (scalars.empty() ? "null" : scalars + "}") + "}";
}

Status sign_resources(const View& view, const Pod& pod, bool device_resources,
                      std::vector<SignFragment>* out) {
  if (device_resources)
    for (const ScalarAmount& s : pod.requests.scalars)
      if (s.value != 0 && may_be_device_resource(view, s.name))
        return Status(Code::kUnschedulable,
                      "signature disabled when dra extended resources are used in the cluster");
  out->push_back(sign_fragment(kSignResources, signed_resources(pod)));
  return {};
}

std::string signed_volumes(const Pod& pod) {
  std::vector<std::string> out;
  for (const Volume& v : pod.spec.volumes) {
    if (v.config_or_secret) continue;
    if (!v.json.empty()) {
      out.push_back(volume_source_json(v.json));
    } else {
      Members claim, source;
      claim.add("claimName", json_quote(v.id));
      if (v.read_only) claim.add("readOnly", "true");
      source.add("persistentVolumeClaim", std::move(claim).end());
      out.push_back(std::move(source).end());
    }
  }
  std::sort(out.begin(), out.end());
  return signed_list(out);
}

}  // namespace libsched
