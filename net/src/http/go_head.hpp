// The lines before the body of a response, as Go's net/http reads them.
//
// libcurl takes some lines that Go refuses. A refusal has Go's text, so that an error reads the
// same here.
#pragma once

#include <string>
#include <string_view>

namespace libsched {

// Why Go refuses a line, without its end; empty: it does not.
std::string go_refuses_status_line(std::string_view line);
std::string go_refuses_header_line(std::string_view line);

// Why Go refuses the value of Content-Length in a header line, if it is one.
std::string go_refuses_content_length(std::string_view line);

// A line without "\r\n" or "\n" at its end.
std::string_view without_end(std::string_view line);

}  // namespace libsched
