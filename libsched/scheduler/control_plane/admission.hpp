// What the API server's admission makes of objects that are created here, and what it says against
// them. Objects of a dump have been admitted before, so they stay as they are.
//
// The plugins are those that kube-apiserver has on by default and that scheduling depends on, in
// its order: LimitRanger, Priority, DefaultTolerationSeconds, DefaultStorageClass, RuntimeClass. An
// object that would be refused is admitted as far as that is possible, and the refusal is reported.
// imitated.hpp lists what else a control plane does.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/admitting.hpp"
#include "libsched/objects/object_set.hpp"
#include "libsched/scheduler/control_plane/default_class.hpp"

namespace libsched {

struct AdmissionRemark {
  std::string kind;    // "Pod", "Deployment", ..., "PersistentVolumeClaim"
  std::string object;  // "default/web"
  std::string text;
};

struct AdmissionReport {
  std::vector<AdmissionRemark> notes;     // what was done
  std::vector<AdmissionRemark> refusals;  // what the API server would answer instead
  std::vector<AdmissionRemark> warnings;  // what is not imitated here, once for each namespace
};

class Admission {
 public:
  // What admission reads is in the view, or in `with`, whose objects are created, too; both outlive
  // the object. The view's objects go before those of `with`.
  explicit Admission(const View& view, const ObjectSet* with = nullptr);

  // A pod, or the pod template of a workload of this kind: the same if nothing changes. Claims that
  // controllers make for it are looked at, too.
  PodRef pod(const PodRef& pod, Str kind, AdmissionReport* report) const;
  // A claim. One that the view has is not created.
  PersistentVolumeClaimRef claim(const PersistentVolumeClaimRef& claim,
                                 AdmissionReport* report) const;

 private:
  const RuntimeClass* runtime_class(Str name) const;
  void warn(Str ns, AdmissionReport* report) const;
  void check_limits(const PersistentVolumeClaim& claim, AdmissionReport* report) const;
  void check_claims_of(const Pod& pod, AdmissionReport* report) const;

  const View& view_;
  std::map<Str, const RuntimeClass*> runtime_classes_;            // of `with`
  std::map<Str, std::map<Str, const LimitRange*>> limit_ranges_;  // by namespace and name
  std::vector<PriorityClassRef> priority_classes_;
  DefaultClass default_class_;
  std::vector<const Node*> failing_;  // nodes with a taint of a failing node
};

// All pods, pod templates and claims of a set, as created together.
ObjectSet admitted(const View& view, const ObjectSet& set, AdmissionReport* report);

// {"notes": [{"kind", "object", "text"}], "refusals": likewise, "warnings": likewise}
std::string report_json(const AdmissionReport& report);

}  // namespace libsched
