// Images: adding and removing the images of nodes. The list of an image is unordered, so removing a
// node moves the last one into its place.
#include "libsched/cluster/images.hpp"

#include <algorithm>

namespace libsched {

const Images::Image* Images::find(Str name) const {
  const uint32_t id =
      ids_.find(hash_str(name), [&](uint32_t i) { return images_[i].name == name; });
  return id == kNoId || images_[id].holders.empty() ? nullptr : &images_[id];
}

uint32_t Images::intern(Str name) {
  const uint64_t hash = hash_str(name);
  uint32_t id = ids_.find(hash, [&](uint32_t k) { return same_text(images_[k].name, name); });
  if (id != kNoId) return id;
  Image fresh{std::string(name), hash, 0, {}, next_serial()};
  images_.reserve();
  ids_.reserve();
  id = images_.take();
  latest_ = fresh.born;
  images_.edit(id) = std::move(fresh);
  ids_.insert_reserved(hash, id);
  ++unused_;
  return id;
}

// The ids of the names of the node's images, in their order. Nodes of one kind mostly have equal
// lists, and what-ifs add the same nodes again.
const std::vector<uint32_t>& Images::intern_all(const Node& node) {
  if (lists_->empty()) lists_->resize(kLists);
  List& list = (*lists_)[node.images_hash % kLists];
  if (list.serial == node.serial && node.serial != 0) return list.ids;
  list.serial = 0;
  if (list.hash != node.images_hash || !has_names(list.ids, node)) {
    list.ids.clear();  // also if memory runs out
    for (const ContainerImage& i : node.images)
      for (const Str name : i.names) list.ids.push_back(intern(name));
    list.hash = node.images_hash;
  }
  list.serial = node.serial;
  return list.ids;
}

bool Images::has_names(const std::vector<uint32_t>& ids, const Node& node) const {
  size_t at = 0;
  for (const ContainerImage& i : node.images)
    for (const Str name : i.names)
      if (at == ids.size() || !same_text(images_[ids[at++]].name, name)) return false;
  return at == ids.size();
}

bool Images::same_lists(const Node& a, const Node& b) {
  if (a.images_hash != b.images_hash || a.images.size() != b.images.size()) return false;
  if (a.images.data() == b.images.data()) return true;  // one is a copy of the other
  for (size_t i = 0; i < a.images.size(); ++i)
    if (!std::equal(a.images[i].names.begin(), a.images[i].names.end(), b.images[i].names.begin(),
                    b.images[i].names.end(), same_text))
      return false;
  return true;
}

// Adds the image to the row's places.
inline void Images::hold(uint32_t row, uint32_t id, int64_t size, std::vector<Place>* places) {
  Image& image = images_.edit(id);
  Mirrored<Holder, 64>& holders = image.holders;
  const size_t others = holders.size();
  if (others != 0 && holders.back().row == row) return;  // named twice
  reserve_more(*places, 1);
  holders.push_back({row, 0});
  places->push_back({id, static_cast<uint32_t>(others)});
  if (others != 0) return;
  image.size = size;
  --unused_;
}

// Gives the row the images of another one, which holds each of them once.
void Images::hold_like(uint32_t row, const std::vector<Place>& like) {
  std::vector<Place>& places = rows_[row];
  places.reserve(like.size());
  for (const Place& p : like) {
    Mirrored<Holder, 64>& holders = images_.edit(p.image).holders;
    const auto position = static_cast<uint32_t>(holders.size());
    holders.push_back({row, 0});
    places.push_back({p.image, position});
  }
}

void Images::attach(uint32_t row, const Node& node, uint32_t like) {
  if (node.images.empty()) return;
  if (row >= frozen_.size()) {
    const size_t rows = row + 1 + row / 4;
    if (rows_.size() < rows) rows_.resize(rows);
    frozen_.resize(rows);  // last: a row with a number has a place, also if memory runs out
  }
  ++holders_changes_;
  try {
    if (like != kNoId) {
      hold_like(row, rows_[like]);
    } else {
      const uint32_t* id = intern_all(node).data();
      std::vector<Place>* const places = &rows_[row];
      for (const ContainerImage& i : node.images)
        for (size_t k = 0; k < i.names.size(); ++k) hold(row, *id++, i.size_bytes, places);
    }
  } catch (...) {
    detach(row);
    throw;
  }
}

void Images::attach_again(uint32_t row, const Node& node) noexcept {
  if (node.images.empty()) return;
  ++holders_changes_;
  std::vector<Place>* const places = &rows_[row];
  for (const ContainerImage& i : node.images)
    for (const Str name : i.names) hold(row, intern(name), i.size_bytes, places);
}

void Images::detach(uint32_t row) noexcept {
  if (!has_any(row)) return;
  ++holders_changes_;
  for (const Place& p : rows_[row]) {
    Image& image = images_.edit(p.image);
    if (p.position + 1 != image.holders.size()) {
      const Holder moved = image.holders.back();
      image.holders.edit(p.position) = moved;
      for (Place& other : rows_[moved.row])
        if (other.image == p.image) {
          other.position = p.position;
          break;
        }
    }
    image.holders.pop_back();
    if (image.holders.empty()) ++unused_;
  }
  rows_[row].clear();
}

std::vector<Images::Saved> Images::save(uint32_t row) const {
  std::vector<Saved> out;
  if (!has_any(row)) return out;
  for (const Place& p : rows_[row])
    out.push_back({images_[p.image].size, images_[p.image].holders[p.position].nodes});
  return out;
}

void Images::restore(uint32_t row, const std::vector<Saved>& saved) noexcept {
  if (!saved.empty()) frozen_[row] = 0;
  for (size_t i = 0; i < saved.size(); ++i) {
    const Place& p = rows_[row][i];
    Image& image = images_.edit(p.image);
    image.size = saved[i].size;
    image.holders.edit(p.position).nodes = saved[i].nodes;
  }
}

void Images::unfreeze(uint32_t row, const uint32_t* numbers) noexcept {
  mark_stale(row);
  if (numbers == nullptr) return;
  frozen_[row] = 0;
  for (size_t i = 0; i < rows_[row].size(); ++i) {
    set_number(rows_[row][i], numbers[i]);
  }
}

void Images::collect(uint64_t since) noexcept {
  lists_->clear();  // of ids that get other names
  for (uint32_t id = 0; unused_ != 0 && id < images_.size(); ++id) {
    const Image& image = images_[id];
    if (image.born <= since || !image.holders.empty()) continue;
    ids_.erase(image.hash, id);
    images_.edit(id) = {};
    images_.give_back(id);
    --unused_;
  }
}

Images Images::publish() {
  Images out;
  out.images_ = images_.publish();
  out.ids_ = ids_.publish();
  out.unused_ = unused_;
  out.latest_ = latest_;
  return out;
}

}  // namespace libsched
