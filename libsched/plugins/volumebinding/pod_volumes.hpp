// PodVolumes: which nodes can have the volumes of a pod, and which volume each claim would get
// there; found out for all rows of one version of a view at once.
//
// Mirrors FindPodVolumes of upstream's volumebinding/binder.go, as operations on sets of rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/cluster/node_match.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// A pod's claims, which stay alive here. Claims that are to be bound at once never get this far.
struct PodClaims {
  std::vector<PersistentVolumeClaimRef> bound;
  std::vector<PersistentVolumeClaimRef> delayed;  // unbound, of a class that waits for a pod
};

class PodVolumes {
 public:
  using Words = std::vector<uint64_t>;
  struct Binding {
    const PersistentVolume* volume;
    const PersistentVolumeClaim* claim;
  };

  // Ends early, with less than all, once the limits of `state` are exceeded.
  PodVolumes(const View& view, PodClaims claims, const Call& call);

  const Words& fits() const { return fits_; }      // rows
  const Words& failed() const { return failed_; }  // rows with an Error
  // Of a row that does not fit.
  Status status(uint32_t row) const;
  // The same number for rows with the same status; none if a plugin's Error tells them apart.
  std::optional<uint64_t> reasons(uint32_t row) const;
  // Of a row that fits: what Reserve is to assume.
  std::vector<Binding> bindings(uint32_t row) const;
  std::vector<const PersistentVolumeClaim*> provisions(uint32_t row) const;

 private:
  // A claim that may get a volume which is there already.
  struct Search {
    PersistentVolumeClaimRef claim;
    std::vector<uint32_t> prebound;  // to the claim; the first one that is free decides
    std::vector<uint32_t> others;    // by size
    std::vector<uint32_t> chosen;    // by row; kNoId: none
  };
  struct Candidate {
    PersistentVolumeRef volume;
    NodeMatch match;
  };
  struct Failure {
    std::string text;
    Words rows;
  };

  void check_bound(const View& view, const PersistentVolumeClaim& claim, Words* left);
  void find_unbound(const View& view, const std::vector<PersistentVolumeClaimRef>& claims,
                    Words left, const Call& call);
  bool find_candidates(const View& view, Search* search, std::string* error, const Call& call);
  void choose(const View& view, size_t k, const Words& rows, const Call& call);
  // Takes rows that cannot have the claim provisioned from `left`; only `wanted` rows are asked.
  void provision(const View& view, const PersistentVolumeClaim& claim, const Words& wanted,
                 Words* left);
  bool is_chosen(size_t searches, uint32_t row, uint32_t candidate) const;
  void fail(std::string text, const Words& rows, Words* left);

  PodClaims claims_;
  std::vector<PersistentVolumeClaimRef> selected_;  // that have a node already
  std::vector<Search> searches_;                    // by size of the request
  std::vector<Candidate> candidates_;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> classes_;  // their candidates
  Words node_conflict_, bind_conflict_, no_space_, missing_, fits_, failed_;
  std::vector<Failure> failures_;
};

}  // namespace libsched
