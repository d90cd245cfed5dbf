// ImageLocality: prefers nodes that already have the pod's images, especially large and widespread
// ones. Mirrors upstream's plugins/imagelocality.
#include <algorithm>
#include <limits>
#include <set>

#include "libsched/plugins/in_tree.hpp"
#include "libsched/plugins/signature/signature.hpp"

namespace libsched {
namespace {

constexpr int64_t kMinThreshold = int64_t{23} << 20;
constexpr int64_t kMaxThresholdPerContainer = int64_t{1000} << 20;

// Looking for an image on a node costs as much as so many entries of the image's list of nodes.
constexpr size_t kRowsPerHolder = 32;

bool has_tag(Str name) {
  const size_t colon = name.rfind(':'), slash = name.rfind('/');
  return colon != Str::npos && (slash == Str::npos || colon > slash);
}

// An image without a tag has the tag latest.
const Images::Image* find_image(const Images& images, Str name) {
  return has_tag(name) ? images.find(name) : images.find(std::string(name) + ":latest");
}

int64_t scaled_size(int64_t size, uint32_t nodes, size_t all_nodes) {
  const double spread = static_cast<double>(nodes) / static_cast<double>(all_nodes);
  const double scaled = static_cast<double>(size) * spread;
  constexpr double kLimit =
      9223372036854775808.0;  // Go on amd64: values out of range become the smallest
  return scaled >= -kLimit && scaled < kLimit ? static_cast<int64_t>(scaled)
                                              : std::numeric_limits<int64_t>::min();
}

class ImageLocality final : public Plugin {
 public:
  explicit ImageLocality(const Behaviours& behaviours)
      : sums_volumes_(!behaviours.ignores_image_volumes),
        counts_volumes_(behaviours.counts_image_volumes) {}

  // Only the rows that have the image get points.
  bool add_scores(const ScoreCall& call, const ScoreSet& set, uint32_t weight, int32_t* totals,
                  bool first) const override {
    const Images& images = call.view.images();
    const std::vector<const Images::Image*> wanted = wanted_images(images, call.pod);
    const int64_t max = max_sum(call.pod);
    if (wanted.size() > 1) return false;
    if (!wanted.empty() && (rows_look(images, wanted, set) || score_of(0, max) != 0)) return false;
    if (first) std::fill_n(totals, set.words * 64, 0);
    if (wanted.empty()) return true;
    each_holder(*wanted[0], call.view.node_count(), max,
                [&](uint32_t row, int64_t score) { add_weighted(score, weight, &totals[row]); });
    return true;
  }

  Scored score(const ScoreCall& call, const ScoreSet& set, int64_t* scores) const override {
    const Images& images = call.view.images();
    const std::vector<const Images::Image*> wanted = wanted_images(images, call.pod);
    if (wanted.empty()) return {true, 0};

    const int64_t max = max_sum(call.pod);
    if (rows_look(images, wanted, set)) {
      if (wanted.size() == 1) {  // which the same number of nodes mostly have
        uint32_t nodes = 0;
        int64_t score = score_of(0, max);
        set.for_each([&](uint32_t r) {
          if (const uint32_t now = images.nodes_with(*wanted[0], r); now != nodes) {
            nodes = now;
            score = score_of(
                nodes == 0 ? 0 : scaled_size(wanted[0]->size, nodes, call.view.node_count()), max);
          }
          scores[r] = score;
        });
        return {};
      }
      set.for_each([&](uint32_t r) {
        int64_t sum = 0;
        for (const Images::Image* image : wanted)
          if (const uint32_t nodes = images.nodes_with(*image, r); nodes != 0)
            sum = wrapping_add(sum, scaled_size(image->size, nodes, call.view.node_count()));
        scores[r] = score_of(sum, max);
      });
      return {};
    }
    if (wanted.size() == 1) {  // each row occurs once, and its score is that of its size
      set.fill(scores, score_of(0, max));
      each_holder(*wanted[0], call.view.node_count(), max,
                  [&](uint32_t row, int64_t score) { scores[row] = score; });
      return {};
    }

    set.fill(scores, 0);
    for (const Images::Image* image : wanted) {
      if (call.exceeded()) return {};
      uint32_t nodes = 0;  // mostly the same for all nodes
      int64_t size = scaled_size(image->size, nodes, call.view.node_count());
      image->holders.for_each([&](size_t, const Images::Holder& h) {
        if (h.nodes != nodes) {
          nodes = h.nodes;
          size = scaled_size(image->size, nodes, call.view.node_count());
        }
        scores[h.row] = wrapping_add(scores[h.row], size);
      });
    }
    int64_t last_sum = 0, last_score = score_of(0, max);
    set.for_each([&](uint32_t r) {
      if (scores[r] != last_sum) {
        last_sum = scores[r];
        last_score = score_of(last_sum, max);
      }
      scores[r] = last_score;
    });
    return {};
  }

  // The number of nodes scales the size of every image.
  Dependencies depends_on(const View&, const Pod& pod) const override {
    const PodSpec& spec = pod.spec;
    if (spec.containers.empty() && spec.init_containers.empty() && spec.volumes.empty()) return {};
    return {.filter = {}, .score = {.row = kImagesChanged, .any = kNodeChanged}};
  }

  bool signs() const override { return true; }
  Status sign(const View&, const Pod& pod, std::vector<SignFragment>* out) const override {
    std::set<std::string> names;
    for (const Span<Container> containers : {pod.spec.containers, pod.spec.init_containers})
      for (const Container& c : containers)
        names.insert(std::string(c.image) + (has_tag(c.image) ? "" : ":latest"));
    out->push_back(sign_fragment(kSignImages, signed_list({names.begin(), names.end()})));
    return {};
  }

 private:
  std::vector<const Images::Image*> wanted_images(const Images& images, const Pod& pod) const {
    std::vector<const Images::Image*> out;
    if (images.empty()) return out;
    const auto want = [&](Str name) {
      if (const Images::Image* i = find_image(images, name); i != nullptr) out.push_back(i);
    };
    for (const Container& c : pod.spec.init_containers) want(c.image);
    for (const Container& c : pod.spec.containers) want(c.image);
    if (!sums_volumes_) return out;
    for (const Volume& v : pod.spec.volumes)
      if (v.kind == VolumeKind::kImage) want(v.id);
    return out;
  }
  int64_t max_sum(const Pod& pod) const {
    size_t count = pod.spec.init_containers.size() + pod.spec.containers.size();
    if (counts_volumes_)
      for (const Volume& v : pod.spec.volumes) count += v.kind == VolumeKind::kImage ? 1 : 0;
    return kMaxThresholdPerContainer * static_cast<int64_t>(count);
  }
  // Few rows look for the images; else the images tell their rows.
  static bool rows_look(const Images& images, const std::vector<const Images::Image*>& wanted,
                        const ScoreSet& set) {
    return images.lists_rows() && set.count * kRowsPerHolder < wanted[0]->holders.size();
  }
  // Calls f(row, score) for each node to which the image, the only one of a pod, gives another
  // score than nodes without it have. A small image gives none.
  template <typename F>
  static void each_holder(const Images::Image& image, size_t all_nodes, int64_t max, F&& f) {
    const int64_t without = score_of(0, max);
    uint32_t nodes = 0;  // mostly the same for all nodes
    int64_t score = without;
    image.holders.for_each_part([&](std::span<const Images::Holder> some) {
      uint32_t differ = 0;
      for (const Images::Holder& h : some) differ |= h.nodes ^ nodes;
      if (differ == 0 && score == without) return;
      for (const Images::Holder& h : some) {
        if (h.nodes != nodes) {
          nodes = h.nodes;
          score = score_of(scaled_size(image.size, nodes, all_nodes), max);
        }
        if (score != without) f(h.row, score);
      }
    });
  }
  static int64_t score_of(int64_t sum, int64_t max) {
    if (sum < kMinThreshold) {
      sum = kMinThreshold;
    } else if (sum > max) {
      sum = max;
    }
    return kMaxNodeScore * (sum - kMinThreshold) / (max - kMinThreshold);
  }

  bool sums_volumes_, counts_volumes_;  // see Behaviours
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_image_locality(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<ImageLocality>(call.behaviours));
}

}  // namespace libsched
