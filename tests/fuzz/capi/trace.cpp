// The log of a run's calls. Printing uses write() alone, as the program may be dying.
#include "trace.hpp"

#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace fuzz {
namespace {

struct Log {
  std::vector<uint8_t> input;  // a copy: deaths at exit come when the program's own has gone
  std::string name;
  std::vector<std::string> lines;
};
// The log of the thread.
Log& log() {
  static thread_local Log* const all = new Log;
  return *all;
}
// Of all threads; never destroyed.
std::string& prefix() {
  static auto* const text = new std::string;
  return *text;
}
std::atomic<bool> quiet = false, reported = false;

// Without memory: the thread that dies may hold the locks of malloc().
void print(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

void report() {
  Log& l = log();
  if (quiet || reported.exchange(true)) return;
  constexpr size_t kShown = 400;
  const size_t first = l.lines.size() - std::min(l.lines.size(), kShown);
  print("\n--- ");
  print(l.name);
  print(first == 0 ? ": the calls:\n" : ": the last calls:\n");
  for (size_t i = first; i < l.lines.size(); ++i) {
    print(l.lines[i]);
    print("\n");
  }
  if (!prefix().empty()) {
    std::string path = prefix() + l.name;
    for (char& c : path)
      if (c == ' ' || c == ',') c = '-';
    const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (file >= 0) {
      static_cast<void>(!write(file, l.input.data(), l.input.size()));
      close(file);
      print("--- input written to " + path + "; to make it small: --shrink " + path + "\n");
    }
  }
  print("--- failed: ");
  print(l.name);
  print("\n");
}

void on_alarm(int) { fail("a run takes longer than 60 seconds"); }

}  // namespace

void begin_trace(std::span<const uint8_t> input, const std::string& name) {
  Log& l = log();
  l.input.assign(input.begin(), input.end());
  l.name = name;
  l.lines.clear();
}

size_t trace(int depth, std::string line) {
  log().lines.push_back(std::string(static_cast<size_t>(depth) * 4, ' ') + std::move(line));
  return log().lines.size() - 1;
}

void trace_result(size_t line, const std::string& text) {
  if (line < log().lines.size()) log().lines[line] += text;
}

void write_failures_to(std::string all) { prefix() = std::move(all); }
void keep_quiet() { quiet = true; }

void report_deaths() {
  __sanitizer_set_death_callback(report);
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
}

void fail(const std::string& what) {
  if (!quiet) print("\nDIFFERENCE: " + what + "\n");
  report();
  _exit(77);
}

}  // namespace fuzz

// An assertion that ends the program is reported like a crash.
extern "C" const char* __asan_default_options() {
  // Short stacks of allocations: their hashes would take a sixth of the time.
  return "handle_abort=1:malloc_context_size=3:allocator_may_return_null=1:detect_leaks=1";
}
