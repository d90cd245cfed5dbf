// PodVolumes::Chooser: the same volumes as when upstream looks through all of them for each claim
// and node, with less work.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "libsched/objects/volume_fit.hpp"
#include "libsched/plugins/trial_test.hpp"
#include "libsched/plugins/volumebinding/pod_volumes.hpp"
#include "libsched/plugins/volumes/csi_translation.hpp"

namespace libsched::volume_chooser_test {

std::string text_of_claim(const std::string& name, int gibibytes, const std::string& spec) {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " + name +
         ", namespace: d, uid: u-" + name + "}\nspec: {" + spec +
         ", resources: {requests: {storage: " + std::to_string(gibibytes) +
         "Gi}}}\nstatus: {phase: Pending}\n";
}

std::string text_of_volume(const std::string& name, int gibibytes, const std::string& spec) {
  return "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " + name +
         ", labels: {tier: t" + std::to_string(gibibytes % 2) +
         "}}\nspec: {capacity: {storage: " + std::to_string(gibibytes) + "Gi}, " + spec +
         "}\nstatus: {phase: Available}\n";
}

std::string in_zone(int zone) {
  return ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, "
         "operator: In, values: [z" +
         std::to_string(zone) + "]}]}]}}";
}

PodClaims all_claims(const View& view) {
  PodClaims out;
  view.objects().for_each<PersistentVolumeClaim>([&](const PersistentVolumeClaim& claim) {
    out.delayed.push_back(PersistentVolumeClaimRef::share(&claim));
  });
  return out;
}

// What each claim gets on a node, in the order in which upstream asks.
std::map<Str, Str> naive(const View& view, PodClaims claims, uint32_t row) {
  std::stable_sort(claims.delayed.begin(), claims.delayed.end(), [](const auto& a, const auto& b) {
    return a->request->compare(*b->request) < 0;
  });
  std::map<Str, Str> out;
  std::set<Str> taken;
  for (const PersistentVolumeClaimRef& claim : claims.delayed) {
    const PersistentVolume* best = nullptr;
    bool is_decided = false;
    view.objects().for_each_in<PersistentVolume>(
        claim->storage_class(), [&](const PersistentVolume& pv) {
          if (is_decided || taken.contains(pv.meta.name) || !is_possible(pv, *claim)) return;
          const bool is_there = volume_match(view, pv).matches(view, row);
          if (is_bound_to(pv, *claim)) {
            is_decided = true;
            best = is_there ? &pv : nullptr;
          } else if (is_there && is_available(pv, *claim) &&
                     (best == nullptr || pv.capacity->compare(*best->capacity) < 0)) {
            best = &pv;
          }
        });
    if (best == nullptr) continue;
    out[claim->meta.name] = best->meta.name;
    taken.insert(best->meta.name);
  }
  return out;
}

TEST_CASE("claims get the volumes that a look through all volumes finds") {
  std::mt19937 random(11);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); };
  const std::vector<std::string> modes = {"[ReadWriteOnce]", "[ReadWriteOnce, ReadOnlyMany]"};
  size_t chosen = 0, missing = 0;
  for (int round = 0; round < 120; ++round) {
    std::string objects;
    const int nodes = 1 + below(5);
    for (int i = 0; i < nodes; ++i)
      objects += "---\nkind: Node\nmetadata: {name: n" + std::to_string(i) + ", labels: {zone: z" +
                 std::to_string(below(3)) + "}}\n";
    const int claims = 1 + below(7);
    for (int i = 0; i < claims; ++i)
      objects += text_of_claim("c" + std::to_string(i), 1 + below(4),
                               "storageClassName: s" + std::to_string(below(8) == 0) +
                                   ", accessModes: " + modes[below(2)] +
                                   (below(5) == 0 ? ", selector: {matchLabels: {tier: t1}}" : ""));
    for (int i = 0, volumes = below(12); i < volumes; ++i)
      objects += text_of_volume(
          "v" + std::to_string(i), 1 + below(5),
          "storageClassName: s" + std::to_string(below(8) == 0) +
              ", accessModes: " + modes[below(4) != 0] + (below(2) == 0 ? in_zone(below(3)) : "") +
              (below(5) == 0
                   ? ", claimRef: {namespace: d, name: c" + std::to_string(below(claims)) +
                         (below(4) == 0 ? ", uid: other}" : "}")
                   : ""));
    CAPTURE(objects);
    Trial t("VolumeBinding", objects);
    const View& view = t.cluster().view();
    const Call call{view, t.evaluator().services()};
    const PodVolumes found(view, all_claims(view), {}, call);
    view.live().for_each([&](size_t r) {
      const auto row = static_cast<uint32_t>(r);
      std::map<Str, Str> got;
      for (const PodVolumes::Binding& b : found.bindings(row))
        got[b.claim->meta.name] = b.volume->meta.name;
      CHECK(got == naive(view, all_claims(view), row));
      chosen += got.size();
      missing += static_cast<size_t>(claims) - got.size();
    });
  }
  CHECK(chosen > 300);
  CHECK(missing > 300);
}

// Counts how often the limits are polled, which measures the work.
class Counting final : public Clock {
 public:
  int64_t now_ns() const override {
    ++asked;
    return 0;
  }
  void wait(Signal&, std::unique_lock<Mutex>&, int64_t) override {}
  mutable size_t asked = 0;
};

TEST_CASE("what is kept of a pod holds no volume of another pod's claim") {
  std::string objects =
      "---\nkind: Node\nmetadata: {name: a, labels: {zone: z0}}\n" +
      text_of_claim("c0", 1, "storageClassName: s0, accessModes: [ReadWriteOnce]");
  for (const char* name : {"c0", "c1", "c2"})
    objects += text_of_volume(
        std::string("v-") + name, 1,
        "storageClassName: s0, accessModes: [ReadWriteOnce], claimRef: {namespace: d, name: " +
            std::string(name) + "}");
  Trial t("VolumeBinding", objects);
  const View& view = t.cluster().view();
  const auto references = [&](Str name) {
    return view.objects().find<PersistentVolume>({}, name)->references();
  };
  const int64_t own = references("v-c0"), other = references("v-c1");
  const PodVolumes found(view, all_claims(view), {}, {view, t.evaluator().services(), nullptr});
  REQUIRE(found.bindings(0).size() == 1);
  CHECK(found.bindings(0)[0].volume->meta.name == "v-c0");
  CHECK(references("v-c0") == own + 1);
  CHECK(references("v-c1") == other);
}

TEST_CASE("n equal claims take work by n volumes, whether or not they can have them") {
  for (const bool there : {true, false}) {
    const auto work = [&](int n) {
      std::string objects =
          "---\nkind: Node\nmetadata: {name: a, labels: {zone: z0}}\n"
          "---\nkind: Node\nmetadata: {name: b, labels: {zone: z1}}\n";
      for (int i = 0; i < n; ++i) {
        objects += text_of_claim("c" + std::to_string(i), 1,
                                 "storageClassName: s0, accessModes: [ReadWriteOnce]");
        objects += text_of_volume(
            "v" + std::to_string(i), 2,
            "storageClassName: s0, accessModes: [ReadWriteOnce]" + in_zone(there ? 0 : 2));
      }
      Trial t("VolumeBinding", objects);
      const View& view = t.cluster().view();
      const Counting clock;
      const LimitWatch watch({nullptr, 1}, clock);
      const PodVolumes found(view, all_claims(view), {}, {view, t.evaluator().services(), &watch});
      CHECK(found.bindings(view.find_node("a")).size() == (there ? static_cast<size_t>(n) : 0));
      CHECK(found.bindings(view.find_node("b")).empty());
      return clock.asked;
    };
    const size_t small = work(200), large = work(1600);
    CAPTURE(small);
    CHECK(large <= 9 * small);
  }
}

TEST_CASE("without VolumeAttributesClass neither claims nor volumes may have a class") {
  const std::string mode = "storageClassName: s, accessModes: [ReadWriteOnce]";
  const auto said = [&](const std::string& of_claim, const std::string& of_volume, bool gate) {
    Trial t("VolumeBinding", "kind: Node\nmetadata: {name: 'n'}\n" +
                                 text_of_claim("c", 1, mode + of_claim) +
                                 text_of_volume("v", 1, mode + of_volume));
    const View& view = t.cluster().view();
    const uint32_t row = view.find_node("n");
    const PodVolumes found(view, all_claims(view), {.attributes_classes = gate},
                           {view, t.evaluator().services(), nullptr});
    if (!found.bindings(row).empty()) return std::string("bound");
    return text_of(found.status(row));
  };
  const std::string named = ", volumeAttributesClassName: gold";
  const std::string none =
      "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind";
  CHECK(said("", "", false) == "bound");
  CHECK(said("", named, false) == none);
  CHECK(said(named, "", false) ==
        "Error: unsupported volumeAttributesClassName is set on claim d/c when the feature-gate "
        "VolumeAttributesClass is disabled");
  CHECK(said(named, named, false) == said(named, "", false));
  CHECK(said(named, named, true) == "bound");
  CHECK(said(named, "", true) == none);
}

}  // namespace libsched::volume_chooser_test
