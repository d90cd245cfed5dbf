// The words in which a release explains what is wrong with a selector.
#pragma once

#include "libsched/config/release.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {

inline SelectorTexts selector_texts(const Behaviours& behaviours) {
  return {.go_lists = behaviours.go_lists, .older_syntax = behaviours.older_syntax_texts};
}

}  // namespace libsched
