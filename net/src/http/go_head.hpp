// The lines before the body of a response, as Go's net/http reads them.
//
// libcurl takes some lines that Go refuses. A refusal has Go's text, so that an error reads the
// same here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace libsched {

// Why Go refuses a line, without its end; empty: it does not.
std::string go_refuses_status_line(std::string_view line);
std::string go_refuses_header_line(std::string_view line);

// The header lines that say where the body ends.
class GoFraming {
 public:
  // Takes a header line, without its end. Throws std::bad_alloc.
  void add(std::string_view line);
  // Why Go refuses these lines of a response of HTTP/1.1 or, as `is_old`, of a version before.
  std::string refusal(bool is_old) const;

 private:
  std::vector<std::string> lengths_, encodings_;
};

// A line without "\r\n" or "\n" at its end.
std::string_view without_end(std::string_view line);

}  // namespace libsched
