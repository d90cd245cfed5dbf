// The log of a run's calls, and the report of a failure: the seed, the calls and
// the path of the input.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fuzz {

// A run begins: its input, and how to say which run it is ("seed 7, run 12").
void begin_trace(std::span<const uint8_t> input, const std::string& name);
// A call begins, `depth` slots deep; returns the place of its line, for what it returned.
size_t trace(int depth, std::string line);
void trace_result(size_t line, const std::string& text);

// Where the input of a failing run is written to; empty: nowhere (libFuzzer writes it itself).
void write_failures_to(std::string prefix);
// Nothing is printed of failures from now on (while shrinking).
void keep_quiet();
// Prints the report if a sanitizer or a signal ends the program.
void report_deaths();

// A difference: prints what is wrong and the calls, and ends the program.
[[noreturn]] void fail(const std::string& what);

}  // namespace fuzz
