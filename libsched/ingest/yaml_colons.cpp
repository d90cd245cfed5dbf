// Finds the colon's place in the text, a letter that the text lacks, and the other colons.
#include "libsched/ingest/yaml_colons.hpp"

namespace libsched {
namespace {

constexpr Str kMark = "\xef\xbb\xbf";
constexpr Str kFlowIndicators = ",[]{}";
constexpr int kSingleStops = 8;
constexpr int kMaxStops = 32;

// Letters that are for private use, and how an escape may name them.
struct Letter {
  Str text, upper, lower;
};
constexpr Letter kLetters[] = {
    {"\xee\x80\x80", "E000", "e000"}, {"\xee\x80\x81", "E001", "e001"},
    {"\xee\x80\x82", "E002", "e002"}, {"\xee\x80\x83", "E003", "e003"},
    {"\xee\x80\x84", "E004", "e004"}, {"\xee\x80\x85", "E005", "e005"},
    {"\xee\x80\x86", "E006", "e006"}, {"\xee\x80\x87", "E007", "e007"},
};

bool is_colon_before_indicator(Str text, size_t i) {
  return i + 1 < text.size() && text[i] == ':' && kFlowIndicators.find(text[i + 1]) != Str::npos;
}

// Tells whether the colon is certainly part of a word: its run of characters starts like a plain
// word and has no quotes, after which a colon is an indicator.
bool ends_word(Str text, size_t colon) {
  constexpr Str kBeforeWord = " \t\r\n,[]{}";
  size_t begin = colon;
  while (begin > 0 && kBeforeWord.find(text[begin - 1]) == Str::npos) --begin;
  const Str word = text.substr(begin, colon - begin);
  return !word.empty() && Str("*&!?:").find(word[0]) == Str::npos &&
         word.find_first_of("\"'") == Str::npos;
}

}  // namespace

bool YamlColons::replace(size_t character) {
  size_t offset = original_.starts_with(kMark) ? kMark.size() : 0;
  for (; character > 0 && offset < original_.size(); --character) {
    ++offset;
    while (offset < original_.size() && (original_[offset] & '\xc0') == '\x80') ++offset;
  }
  if (!is_colon_before_indicator(original_, offset) || ++stops_ > kMaxStops) return false;
  if (letter_.empty() && !choose_letter()) return false;
  if (stops_ == kSingleStops) find_all();
  marked_.insert(offset);
  replaced_.clear();
  size_t done = 0;
  for (const size_t colon : marked_) {
    replaced_.append(original_, done, colon - done).append(letter_);
    done = colon + 1;
  }
  replaced_.append(original_, done);
  return true;
}

bool YamlColons::choose_letter() {
  for (const Letter& l : kLetters) {
    if (original_.find(l.text) != Str::npos || original_.find(l.upper) != Str::npos ||
        original_.find(l.lower) != Str::npos) {
      continue;
    }
    letter_ = l.text;
    return true;
  }
  return false;
}

void YamlColons::find_all() {
  for (size_t i = original_.find(':'); i != Str::npos; i = original_.find(':', i + 1)) {
    if (is_colon_before_indicator(original_, i) && ends_word(original_, i)) marked_.insert(i);
  }
}

Str YamlColons::restored(Str scalar, std::string& scratch) const {
  if (letter_.empty() || scalar.find(letter_) == Str::npos) return scalar;
  scratch.clear();
  for (size_t begin = 0;;) {
    const size_t at = scalar.find(letter_, begin);
    scratch.append(scalar, begin, at == Str::npos ? at : at - begin);
    if (at == Str::npos) return scratch;
    scratch += ':';
    begin = at + letter_.size();
  }
}

}  // namespace libsched
