// libsched_cycles: reads cases of mode cycles, one JSON object per line, from standard input, and
// writes their results in the form of tests/oracle.
#include <iostream>
#include <string>

#include "driver.hpp"

int main() {
  using libsched::cycles::Json;
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    Json c, out;
    try {
      c = Json::parse(line);
      out = libsched::cycles::run_case(c);
    } catch (const std::exception& e) {
      out = {{"name", c.is_object() ? libsched::cycles::member<std::string>(c, "name", "") : ""},
             {"error", e.what()}};
    }
    std::cout << out.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}
