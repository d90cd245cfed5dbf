// Images: which nodes have which container images, as upstream's cache counts them.
//
// An image's size is that of the node that reported it first, until no node has it any more. On how
// many nodes it is, is remembered per node: upstream copies the number when it copies a changed
// node into its snapshot, so an unchanged node shows an older number. A row is stale from a change
// of the node or its pods until freeze().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/base/id_table.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

class Images {
 public:
  struct Holder {
    uint32_t row;
    uint32_t nodes;  // that had the image when this row was frozen
  };
  struct Image {
    std::string name;
    uint64_t hash = 0;
    int64_t size = 0;
    std::vector<Holder> holders;  // in any order, never empty while the image is known
  };
  // What a row must get back when its node comes back.
  struct Saved {
    int64_t size;
    uint32_t nodes;
  };

  // By the name as it stands in node.status.images; null if no node has it.
  const Image* find(Str name) const;
  bool empty() const { return ids_.size() == 0; }
  bool has_any(uint32_t row) const { return row < rows_.size() && !rows_[row].empty(); }

  void attach(uint32_t row, const Node& node);
  void detach(uint32_t row);
  std::vector<Saved> save(uint32_t row) const;
  void restore(uint32_t row, const std::vector<Saved>& saved);

  // Stale rows. While no node has an image there are none.
  void touch(uint32_t row) {
    if (ids_.size() == 0) return;
    stale_.set(row);
    any_stale_ = true;
  }
  bool any_stale() const { return any_stale_; }
  Span<uint64_t> stale() const {
    return {stale_.data(), any_stale_ ? stale_.word_count() : size_t{0}};
  }
  void set_stale(Span<uint64_t> words);
  // The present numbers for every stale row; f(row, old number) is told, image by image, what they
  // replace, and f(row) when a row is done.
  template <typename Number, typename Done>
  void freeze(Number&& number, Done&& done) {
    stale_.for_each([&](size_t r) {
      const auto row = static_cast<uint32_t>(r);
      if (!has_any(row)) return;
      for (const Place& p : rows_[row]) {
        Image& image = images_[p.image];
        number(image.holders[p.position].nodes);
        image.holders[p.position].nodes = static_cast<uint32_t>(image.holders.size());
      }
      done(row);
    });
    stale_.reset();
    any_stale_ = false;
  }
  size_t count(uint32_t row) const { return has_any(row) ? rows_[row].size() : 0; }
  void unfreeze(uint32_t row, const uint32_t* numbers);

 private:
  struct Place {
    uint32_t image;
    uint32_t position;  // in its holders
  };

  std::vector<Image> images_;
  std::vector<uint32_t> free_;
  IdTable ids_;
  std::vector<std::vector<Place>> rows_;  // in the order of the node's names
  Bitmap stale_;
  bool any_stale_ = false;
};

}  // namespace libsched
