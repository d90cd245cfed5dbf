// FieldIssues: reports of wrong fields with the API server's texts (field.Error). Paths are
// written out only for an error.
#pragma once

#include <string>
#include <vector>

#include "libsched/ingest/validate.hpp"

namespace libsched {

// A path as a chain on the stack: `FieldPath(spec, "containers").index(i)` and so on.
class FieldPath {
 public:
  explicit FieldPath(Str name) : name_(name) {}
  FieldPath(const FieldPath& parent, Str name) : parent_(&parent), name_(name) {}
  FieldPath(const FieldPath& parent, size_t index)
      : parent_(&parent), index_(index), part_(Part::kIndex) {}
  static FieldPath key(const FieldPath& parent, Str key) {
    FieldPath path(parent, key);
    path.part_ = Part::kKey;
    return path;
  }
  std::string text() const;

 private:
  enum class Part : uint8_t { kName, kIndex, kKey };
  const FieldPath* parent_ = nullptr;
  Str name_;
  size_t index_ = 0;
  Part part_ = Part::kName;
};

class FieldIssues {
 public:
  explicit FieldIssues(const WarningSink& sink) : sink_(sink) {}

  void required(const FieldPath& path, Str why = {});
  void forbidden(const FieldPath& path, Str why);
  void invalid(const FieldPath& path, Str value, Str why);
  void invalid(const FieldPath& path, int64_t value, Str why);
  void duplicate(const FieldPath& path, Str value);
  // `supported`: the quoted list that upstream prints.
  void unsupported(const FieldPath& path, Str value, Str supported);

  // Shared checks.
  void label_name(const FieldPath& path, Str key);
  void label_value(const FieldPath& path, Str value);
  void labels(const FieldPath& path, Labels labels);
  void dns_label(const FieldPath& path, Str value);
  void dns_subdomain(const FieldPath& path, Str value);
  void label_selector(const FieldPath& path, const LabelSelector& selector);
  void preemption_policy(const FieldPath& path, Str policy);
  void taint_effect(const FieldPath& path, TaintEffect effect, Str text);
  void quantity(const FieldPath& path, Str resource, const Quantity& quantity);

 private:
  void report(const FieldPath& path, std::string message) {
    sink_(path.text(), std::move(message));
  }
  const WarningSink& sink_;
};

// The resources that a container may request; the rules hold for overhead and pod-level resources.
struct ResourceRules {
  bool pod_level = false;
};
void check_resources(FieldIssues& issues, const FieldPath& path, ResourceList requests,
                     ResourceList limits, ResourceRules rules);
// `label`: the name must be a DNS label instead of a subdomain.
void check_meta(FieldIssues& issues, const ObjectMeta& meta, bool label = false);
void check_node_selector(FieldIssues& issues, const FieldPath& path, const NodeSelector& selector);
void check_affinity(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod);
void check_spread(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod);
void check_pod_spec(FieldIssues& issues, const FieldPath& spec, const PodSpec& pod);

}  // namespace libsched
