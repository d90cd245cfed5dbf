// YamlColons: plain words in flow style that end in a colon, as in `[--bind-address=::, b]`.
//
// Upstream's scanner takes such a colon as part of the word; libyaml refuses it. So the text is
// read again with the colon replaced by a letter that the text lacks, and every scalar gets its
// colons back. Only the colons at which libyaml stopped are replaced; after several stops, similar
// colons are replaced along with them, so that a text is read a few times at most.
#pragma once

#include <set>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

class YamlColons {
 public:
  explicit YamlColons(Str text) : original_(text) {}

  // Replaces the colon at which libyaml stopped, `character` characters from the start of the text;
  // false if it cannot be replaced.
  bool replace(size_t character);
  // The text for libyaml: the original, or a copy with replacements and the same places.
  Str text() const { return letter_.empty() ? original_ : Str(replaced_); }
  // The scalar as upstream reads it; a changed scalar is stored in `scratch`.
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
