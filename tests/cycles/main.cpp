// libsched_cycles: reads cases of the modes cycles, dra and cel, one JSON object per line, from
// standard input, and writes their results in the form of tests/oracle.
//
// libsched_cycles --wall FILE COUNT plays the first recorded cases of a file of goldens with
// threads (wall.hpp), and prints what is wrong and a line of counts.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "devices.hpp"
#include "driver.hpp"
#include "expressions.hpp"
#include "libsched/ingest/unpack.hpp"
#include "wall.hpp"

namespace libsched::cycles {
namespace {

constexpr uint32_t kThreads = 4;

void answer_cases() {
  for (std::string line; std::getline(std::cin, line);) {
    Json c, out;
    try {
      c = Json::parse(line);
      const auto mode = member<std::string>(c, "mode", "");
      out = mode == "cel" ? run_expression(c) : mode == "dra" ? run_devices(c) : run_case(c);
    } catch (const std::exception& e) {
      out = {{"name", c.is_object() ? member<std::string>(c, "name", "") : ""},
             {"error", e.what()}};
    }
    std::cout << out.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
}

int play_recorded(const char* path, size_t count) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  const Result<Unpacked> text = unpack(bytes.str(), size_t{1} << 30);
  if (!text.ok()) {
    std::cerr << path << ": " << text.error().text() << "\n";
    return 2;
  }
  std::istringstream lines{std::string(text->text())};
  size_t passed = 0, failed = 0, compared = 0;
  for (std::string line; passed + failed < count && std::getline(lines, line);) {
    const Json pair = Json::parse(line);
    const Json& c = pair.at("case");
    WallResult result;
    try {
      result = play(c, pair.at("golden"), kThreads);
    } catch (const std::exception& e) {
      result.problems.push_back(e.what());
    }
    ++(result.problems.empty() ? passed : failed);
    compared += result.compared;
    for (const std::string& problem : result.problems)
      std::cout << c.at("name").get<std::string>() << ": " << problem << std::endl;
  }
  std::cout << compared << " compared with the recording\n"
            << passed << " passed, " << failed << " failed\n";
  return failed == 0 && passed != 0 ? 0 : 1;
}

}  // namespace
}  // namespace libsched::cycles

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  if (argc == 4 && std::string(argv[1]) == "--wall")
    return libsched::cycles::play_recorded(argv[2], std::stoul(argv[3]));
  libsched::cycles::answer_cases();
}
