// YamlColons: plain words in flow style that end in a colon, as in `[--bind-address=::, b]`.
//
// To upstream's scanner such a colon is part of the word; libyaml refuses it. So the text is read
// again with a letter in the colon's place that stands nowhere else in it, and the letter is turned
// back in every scalar. Only the colons at which libyaml stopped are replaced; after several, those
// that stand as they do are replaced along with them, so that a text is read a few times at most.
#pragma once

#include <set>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

class YamlColons {
 public:
  explicit YamlColons(Str text) : original_(text) {}

  // libyaml stopped at a colon, `character` characters behind the begin of the text: false if it
  // cannot be replaced.
  bool replace(size_t character);
  // What libyaml is to read: the original, or a copy with replacements. Both have the same places.
  Str text() const { return letter_.empty() ? original_ : Str(replaced_); }
  // The scalar as upstream reads it; `scratch` holds it if it has to be changed.
  Str restored(Str scalar, std::string& scratch) const;

 private:
  bool choose_letter();
  void find_all();

  Str original_;
  std::string replaced_;
  Str letter_;
  std::set<size_t> marked_;  // offsets in original_
  int stops_ = 0;
};

}  // namespace libsched
