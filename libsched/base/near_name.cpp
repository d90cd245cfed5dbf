// See near_name.hpp.
#include "libsched/base/near_name.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

// Names of Kubernetes are not longer; longer texts are not compared.
constexpr size_t kLongest = 600;

// The number of bytes to insert, remove or replace, or a number beyond `most`.
size_t distance(Str a, Str b, size_t most) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    size_t least = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1] ? 1 : 0);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      least = std::min(least, row[j]);
    }
    if (least > most) return least;
  }
  return row[b.size()];
}

}  // namespace

void NearName::offer(Str name) {
  if (name.size() > kLongest || text_.size() > kLongest) return;
  const size_t longer = std::max(name.size(), text_.size());
  const size_t most = std::min(distance_, longer / 3);
  if (longer - std::min(name.size(), text_.size()) > most) return;
  const size_t found = distance(text_, name, most);
  if (found > most || (found == distance_ && name >= Str(best_))) return;
  distance_ = found;
  best_ = name;
}

std::string NearName::hint() const {
  return distance_ == SIZE_MAX ? "" : "; did you mean " + go_quote(best_) + "?";
}

}  // namespace libsched
