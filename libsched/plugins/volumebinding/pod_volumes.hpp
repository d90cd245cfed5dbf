// PodVolumes: the nodes that can have the volumes of a pod, and the volume that each claim would
// get there. They are computed for all rows of one version of a view at once.
//
// Mirrors FindPodVolumes of upstream's volumebinding/binder.go with operations on sets of rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/cluster/node_match.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// A pod's claims, kept alive. PreFilter rejects pods with unbound claims of immediate binding mode,
// so such claims do not occur here.
struct PodClaims {
  std::vector<PersistentVolumeClaimRef> bound;
  std::vector<PersistentVolumeClaimRef> delayed;  // unbound, with WaitForFirstConsumer
};

class PodVolumes {
 public:
  using Words = std::vector<uint64_t>;
  struct Binding {
    const PersistentVolume* volume;
    const PersistentVolumeClaim* claim;
  };

  // Ends early, with an incomplete result, once the limits of `state` are exceeded.
  PodVolumes(const View& view, PodClaims claims, const Call& call);

  const Words& fits() const { return fits_; }      // rows
  const Words& failed() const { return failed_; }  // rows with an Error
  // For a row that does not fit.
  Status status(uint32_t row) const;
  // Returns the same number for rows with the same status, or none if the rows' Errors differ.
  std::optional<uint64_t> reasons(uint32_t row) const;
  // Returns what Reserve assumes on a row that fits.
  std::vector<Binding> bindings(uint32_t row) const;
  std::vector<const PersistentVolumeClaim*> provisions(uint32_t row) const;

 private:
  // A claim that may get an existing volume.
  struct Search {
    PersistentVolumeClaimRef claim;
    std::vector<uint32_t> prebound;  // to the claim; the first free volume decides
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
  // Removes the rows of `wanted` where the claim cannot be provisioned from `left`.
  void provision(const View& view, const PersistentVolumeClaim& claim, const Words& wanted,
                 Words* left);
  bool is_chosen(size_t searches, uint32_t row, uint32_t candidate) const;
  void fail(std::string text, const Words& rows, Words* left);

  PodClaims claims_;
  std::vector<PersistentVolumeClaimRef> selected_;  // claims with a selected node
  std::vector<Search> searches_;                    // by size of the request
  std::vector<Candidate> candidates_;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> classes_;  // their candidates
  Words node_conflict_, bind_conflict_, no_space_, missing_, fits_, failed_;
  std::vector<Failure> failures_;
};

}  // namespace libsched
