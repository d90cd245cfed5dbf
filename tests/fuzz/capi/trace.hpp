// The log of a run's calls, and the report of a failure: the seed, the calls and
// the path of the input.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fuzz {

// Begins a run with its input and its name in reports ("seed 7, run 12").
void begin_trace(std::span<const uint8_t> input, const std::string& name);
// Begins a call, `depth` slots deep; returns the position of its line, where the result is added.
size_t trace(int depth, std::string line);
void trace_result(size_t line, const std::string& text);

// The file for the input of a failing run; empty: none (libFuzzer writes it itself).
void write_failures_to(std::string prefix);
// Stops printing failures (while shrinking).
void keep_quiet();
// Prints the report if a sanitizer or a signal ends the program.
void report_deaths();

// Reports a difference: prints it and the calls, and ends the program.
[[noreturn]] void fail(const std::string& what);

}  // namespace fuzz
