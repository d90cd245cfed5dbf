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
#include "libsched/framework/facts.hpp"
#include "libsched/framework/plugin.hpp"

namespace libsched {

// A pod's claims, kept alive. PreFilter rejects pods with unbound claims of immediate binding mode,
// so such claims do not occur here.
struct PodClaims {
  std::vector<PersistentVolumeClaimRef> bound;
  std::vector<PersistentVolumeClaimRef> delayed;  // unbound, with WaitForFirstConsumer
};

struct PodVolumesSettings {
  bool attributes_classes = true;  // gate VolumeAttributesClass
  SelectorTexts texts = {};        // of errors of selectors
  // The reason where a bound volume does not match the node.
  const char* node_conflict = "node(s) didn't match PersistentVolume's node affinity";
};

class PodVolumes {
 public:
  using Words = std::vector<uint64_t>;
  struct Binding {
    const PersistentVolume* volume;
    const PersistentVolumeClaim* claim;
  };

  // Ends early, with an incomplete result, once the limits of `state` are exceeded.
  PodVolumes(const View& view, PodClaims claims, const PodVolumesSettings& settings,
             const Call& call);

  const Words& fits() const { return fits_; }      // rows
  const Words& failed() const { return failed_; }  // rows with an Error
  // Whether a claim would get a volume that it does not have yet.
  bool asks_new() const { return !claims_.delayed.empty(); }
  // For a row that does not fit.
  Status status(uint32_t row) const;
  // The facts of a row that does not fit and has no Error.
  void facts(const View& view, uint32_t row, Facts* out) const;
  // Returns the same number for rows with the same status, or none if the rows' Errors differ.
  std::optional<uint64_t> reasons(uint32_t row) const;
  // Returns what Reserve assumes on a row that fits.
  std::vector<Binding> bindings(uint32_t row) const;
  std::vector<const PersistentVolumeClaim*> provisions(uint32_t row) const;

 private:
  static constexpr const char* kBindConflict =
      "node(s) didn't find available persistent volumes to bind";
  static constexpr const char* kNoSpace = "node(s) did not have enough free storage";
  static constexpr const char* kMissing =
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

  // A claim that may get an existing volume.
  struct Search {
    PersistentVolumeClaimRef claim;
    std::vector<uint32_t> prebound;  // to the claim; the first free volume decides
    size_t volumes = 0;              // how many the claim could get on some node
    std::vector<uint32_t> chosen;    // by row; kNoId: none
  };
  struct Candidate {
    PersistentVolumeRef volume;
    NodeMatch match;
  };
  struct Class {
    std::string name;
    std::vector<uint32_t> open;                          // without a claim
    std::vector<std::pair<uint64_t, uint32_t>> claimed;  // by object_key_hash() of the claim
  };
  class Chooser;
  struct Failure {
    std::string text;
    Words rows;
  };

  bool add_bound_fact(const View& view, const PersistentVolumeClaim& claim, uint32_t row,
                      Facts* out) const;
  bool add_unbound_fact(const View& view, const PersistentVolumeClaim& claim, const Search* search,
                        uint32_t row, Facts* out) const;
  void add_volume_facts(const View& view, const Search& search, uint32_t row, const Fact& begun,
                        Facts* out) const;
  void check_bound(const View& view, const PersistentVolumeClaim& claim, Words* left);
  void find_unbound(const View& view, const std::vector<PersistentVolumeClaimRef>& claims,
                    Words left, const Call& call);
  const Class& volumes_of(const View& view, Str class_name);
  // Removes the rows of `wanted` where the claim cannot be provisioned from `left`.
  void provision(const View& view, const PersistentVolumeClaim& claim, const Words& wanted,
                 Words* left);
  void fail(std::string text, const Words& rows, Words* left);

  PodClaims claims_;
  PodVolumesSettings settings_;
  std::vector<PersistentVolumeClaimRef> selected_;  // claims with a selected node
  std::vector<Search> searches_;                    // by size of the request
  std::vector<Candidate> candidates_;
  std::vector<Class> classes_;
  Words node_conflict_, bind_conflict_, no_space_, missing_, fits_, failed_;
  std::vector<Failure> failures_;
};

}  // namespace libsched
