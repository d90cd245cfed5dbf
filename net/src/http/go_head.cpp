// The rules of http.ReadResponse and textproto.Reader.ReadMIMEHeader.
#include "net/src/http/go_head.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched {

namespace {

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

bool is_name_char(char c) {
  return is_alnum(c) || kTokenMarks.find(c) != std::string_view::npos || c == ' ';
}
bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

// A name with each word in upper case at its beginning alone, unless there is a space in it.
std::string canonical(std::string_view name) {
  std::string out(name);
  if (out.find(' ') != std::string::npos) return out;
  bool upper = true;
  for (char& c : out) {
    if (upper && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (!upper && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    upper = c == '-';
  }
  return out;
}

// Go's %q of a list.
std::string quoted_list(const std::vector<std::string>& list) {
  std::string out = "[";
  for (const std::string& item : list) out += (out.size() == 1 ? "" : " ") + go_quote(item);
  return out + "]";
}

bool is_chunked(std::string_view encoding) {
  constexpr std::string_view kChunked = "chunked";
  return std::equal(encoding.begin(), encoding.end(), kChunked.begin(), kChunked.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

std::string malformed(const char* what, std::string_view text) {
  return std::string("malformed ") + what + " " + go_quote(text);
}

}  // namespace

std::string_view without_end(std::string_view line) {
  if (!line.ends_with('\n')) return line;
  line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string go_refuses_status_line(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return malformed("HTTP response", line);
  const std::string_view version = line.substr(0, space);
  std::string_view code = line.substr(space);
  code.remove_prefix(std::min(code.find_first_not_of(' '), code.size()));
  code = code.substr(0, code.find(' '));
  if (code.size() != 3 || !std::all_of(code.begin(), code.end(), is_digit))
    return malformed("HTTP status code", code);
  const bool known = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) &&
                     version[6] == '.' && is_digit(version[7]);
  return known ? std::string() : malformed("HTTP version", version);
}

std::string go_refuses_header_line(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return malformed("MIME header: missing colon:", line);
  const std::string_view name = line.substr(0, colon), value = line.substr(colon + 1);
  if (!std::all_of(name.begin(), name.end(), is_name_char))
    return malformed("MIME header line:", line);
  if (std::all_of(value.begin(), value.end(), is_value_char)) return {};
  // By now Go has changed the name in its place.
  return malformed("MIME header line:", canonical(name) + std::string(line.substr(colon)));
}

void GoFraming::add(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = canonical(line.substr(0, colon));
  if (name != "Content-Length" && name != "Transfer-Encoding") return;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  (name == "Content-Length" ? lengths_ : encodings_).emplace_back(value);
}

std::string GoFraming::refusal(bool is_old) const {
  if (!is_old && encodings_.size() > 1)
    return "too many transfer encodings: " + quoted_list(encodings_);
  if (!is_old && !encodings_.empty() && !is_chunked(encodings_[0]))
    return "unsupported transfer encoding: " + go_quote(encodings_[0]);
  if (lengths_.empty()) return {};
  const std::string& value = lengths_[0];
  for (const std::string& other : lengths_)
    if (other != value)
      return "http: message cannot contain multiple Content-Length headers; got " +
             quoted_list(lengths_);
  int64_t number = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (code == std::errc() && end == value.data() + value.size() && value[0] != '-') return {};
  return "bad Content-Length " + go_quote(value);
}

}  // namespace libsched
