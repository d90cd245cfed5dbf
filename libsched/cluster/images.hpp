// Images: the container images of nodes, as upstream's cache counts them.
//
// The size of an image is that of the node that reported it first, until no node has the image. The
// number of nodes that have it is stored per node: upstream copies the number when it copies a
// changed node into its snapshot, so an unchanged node shows an older number. A row is stale from a
// change of the node or its pods until freeze().
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libsched/base/bitmap.hpp"
#include "libsched/base/hash.hpp"
#include "libsched/base/id_pool.hpp"
#include "libsched/base/uncopied.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

class Images {
 public:
  struct Holder {
    uint32_t row;
    uint32_t nodes;  // nodes with the image when this row was frozen
  };
  struct Image {
    std::string name;
    uint64_t hash = 0;
    int64_t size = 0;
    Mirrored<Holder, 64> holders;  // unordered; empty: kept until collect(), for an undo
    uint64_t born = 0;             // latest() when the id was assigned; 0: not in use

    Image published() { return {name, hash, size, holders.publish(), born}; }
  };
  // The state that a row must get back with its node.
  struct Saved {
    int64_t size;
    uint32_t nodes;
  };

  // By the name in node.status.images; null if no node has it.
  const Image* find(Str name) const;
  bool empty() const { return ids_.size() == unused_; }
  bool has_any(uint32_t row) const { return row < rows_.size() && !rows_[row].empty(); }

  // Whether nodes_with() may be called: a snapshot has only lists of holders.
  bool lists_rows() const { return !rows_.empty(); }
  // The number of nodes with the image, which find() has returned, as the row's node sees it; 0:
  // the node does not have it.
  uint32_t nodes_with(const Image& image, uint32_t row) const {
    if (!has_any(row)) return 0;
    for (const Place& p : rows_[row])
      if (&images_[p.image] == &image) return image.holders[p.position].nodes;
    return 0;
  }

  // Whether the nodes have the same names in the same order.
  static bool same_lists(const Node& a, const Node& b);
  // Adds all images or none. `like`: a row whose node has the same names, or kNoId.
  void attach(uint32_t row, const Node& node, uint32_t like);
  // Restores those of a node that the row had before.
  void attach_again(uint32_t row, const Node& node) noexcept;
  void detach(uint32_t row) noexcept;
  std::vector<Saved> save(uint32_t row) const;
  void restore(uint32_t row, const std::vector<Saved>& saved) noexcept;

  // Stale rows. No row becomes stale while no node has an image.
  void reserve_stale(size_t capacity) { stale_.reserve(capacity); }  // for touch() of any row
  // Whether the row was not stale before.
  bool touch(uint32_t row) noexcept {
    if (empty() || held_ || stale_.test(row)) return false;
    mark_stale(row);
    return true;
  }
  // While held no row becomes stale: the changes are none that upstream's cache would see.
  void hold(bool held) noexcept { held_ = held; }
  void undo_touch(uint32_t row) noexcept {
    stale_.clear(row);
    --stale_count_;
  }
  size_t stale_count() const { return stale_count_; }
  template <typename F>
  void for_each_stale(F&& f) const {
    size_t left = stale_count_;
    size_t w = first_stale_;
    while (left != 0) {
      for_each_bit(stale_.word(w), w * 64, [&](size_t r) {
        f(static_cast<uint32_t>(r));
        --left;
      });
      ++w;
    }
  }
  // Whether freeze() would change a number of the row.
  bool outdated(uint32_t row) const {
    if (row >= frozen_.size() || frozen_[row] == holders_changes_) return false;
    for (const Place& p : rows_[row]) {
      const Image& image = images_[p.image];
      if (image.holders[p.position].nodes != image.holders.size()) return true;
    }
    return false;
  }
  // Sets the current numbers of every stale row; calls number(old) for each image of a row that is
  // outdated, and done(row, was_outdated) after each row.
  template <typename Number, typename Done>
  void freeze(Number&& number, Done&& done) noexcept {
    for_each_stale([&](uint32_t row) {
      const bool changes = outdated(row);
      if (changes)
        for (const Place& p : rows_[row]) {
          number(images_[p.image].holders[p.position].nodes);
          set_number(p, static_cast<uint32_t>(images_[p.image].holders.size()));
        }
      if (row < frozen_.size()) frozen_[row] = holders_changes_;
      done(row, changes);
      stale_.clear(row);
    });
    stale_count_ = 0;
  }
  size_t count(uint32_t row) const { return has_any(row) ? rows_[row].size() : 0; }
  // Makes the row stale again. `numbers`: null if it was not outdated.
  void unfreeze(uint32_t row, const uint32_t* numbers) noexcept;

  size_t unused() const { return unused_; }  // images that no node has
  size_t size() const { return ids_.size(); }
  uint64_t latest() const { return latest_; }  // grows with every id that is given
  // Reclaims the ids that no row uses and that were assigned after this latest().
  void collect(uint64_t since) noexcept;

  // As a snapshot shows them (base/mirrored.hpp): to find(), without what changes need.
  Images publish();

 private:
  struct Place {
    uint32_t image;
    uint32_t position;  // in its holders
  };

  // A list of names, by Node::images_hash, and the ids of these. The names are compared, because
  // other lists may have the hash, and a list may be incomplete if memory ran out.
  struct List {
    uint64_t hash = 0;
    uint64_t serial = 0;  // of the node that had this list last; 0: none
    std::vector<uint32_t> ids;
  };
  static constexpr size_t kLists = 256;

  uint32_t intern(Str name);
  const std::vector<uint32_t>& intern_all(const Node& node);
  bool has_names(const std::vector<uint32_t>& ids, const Node& node) const;
  void hold(uint32_t row, uint32_t id, int64_t size, std::vector<Place>* places);
  void hold_like(uint32_t row, const std::vector<Place>& like);
  void mark_stale(uint32_t row) noexcept {
    stale_.set(row);
    first_stale_ = stale_count_++ == 0 ? row / 64 : std::min<size_t>(first_stale_, row / 64);
  }
  // Mostly it is that already: then snapshots go on sharing it.
  void set_number(const Place& p, uint32_t nodes) {
    if (images_[p.image].holders[p.position].nodes == nodes) return;
    images_.edit(p.image).holders.edit(p.position).nodes = nodes;
  }

  IdPool<Image, 1> images_;
  IdTable ids_;
  Uncopied<std::vector<List>> lists_;     // by hash % kLists; of present ids alone
  std::vector<std::vector<Place>> rows_;  // in the order of the node's names
  // By row: the number of holders_changes_ for which the row has the current numbers; 0: unknown.
  // So freezing a row is free while no node with images comes or goes.
  std::vector<uint64_t> frozen_;
  uint64_t holders_changes_ = 1;
  Bitmap stale_;
  bool held_ = false;
  size_t stale_count_ = 0, unused_ = 0;
  size_t first_stale_ = 0;  // no word before it has a stale row
  uint64_t latest_ = 0;
};

}  // namespace libsched
