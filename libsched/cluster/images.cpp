// Images: nodes that bring and take images; the list of an image is in any order, so taking a node
// out moves the last one into its place.
#include "libsched/cluster/images.hpp"

namespace libsched {

const Images::Image* Images::find(Str name) const {
  const uint32_t id =
      ids_.find(hash_str(name), [&](uint32_t i) { return images_[i].name == name; });
  return id == kNoId ? nullptr : &images_[id];
}

void Images::attach(uint32_t row, const Node& node) {
  if (!node.images.empty() && row >= rows_.size()) rows_.resize(row + 1 + row / 4);
  for (const ContainerImage& i : node.images)
    for (const Str name : i.names) {
      const uint64_t hash = hash_str(name);
      uint32_t id = ids_.find(hash, [&](uint32_t k) { return images_[k].name == name; });
      if (id == kNoId) {
        if (free_.empty()) {
          id = static_cast<uint32_t>(images_.size());
          images_.emplace_back();
        } else {
          id = free_.back();
          free_.pop_back();
        }
        images_[id].name.assign(name);
        images_[id].hash = hash;
        images_[id].size = i.size_bytes;
        ids_.insert(hash, id);
      }
      std::vector<Holder>& holders = images_[id].holders;
      if (!holders.empty() && holders.back().row == row) continue;  // named twice
      rows_[row].push_back({id, static_cast<uint32_t>(holders.size())});
      holders.push_back({row, 0});
    }
  touch(row);
}

void Images::detach(uint32_t row) {
  if (!has_any(row)) return;
  for (const Place& p : rows_[row]) {
    Image& image = images_[p.image];
    const Holder moved = image.holders.back();
    image.holders[p.position] = moved;
    image.holders.pop_back();
    if (moved.row != row)
      for (Place& other : rows_[moved.row])
        if (other.image == p.image) {
          other.position = p.position;
          break;
        }
    if (!image.holders.empty()) continue;
    ids_.erase(image.hash, p.image);
    image = {};
    free_.push_back(p.image);
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

void Images::restore(uint32_t row, const std::vector<Saved>& saved) {
  for (size_t i = 0; i < saved.size(); ++i) {
    const Place& p = rows_[row][i];
    images_[p.image].size = saved[i].size;
    images_[p.image].holders[p.position].nodes = saved[i].nodes;
  }
}

void Images::set_stale(Span<uint64_t> words) {
  if (!any_stale_ && words.empty()) return;
  stale_.assign(words);
  any_stale_ = !words.empty();
}

void Images::unfreeze(uint32_t row, const uint32_t* numbers) {
  for (size_t i = 0; i < rows_[row].size(); ++i) {
    const Place& p = rows_[row][i];
    images_[p.image].holders[p.position].nodes = numbers[i];
  }
}

}  // namespace libsched
