// The fuzzer of the C API for libFuzzer: an input is a sequence of calls (session.hpp).
#include "session.hpp"
#include "trace.hpp"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::report_deaths();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::begin_trace({data, size}, "an input of libFuzzer");
  fuzz::run({data, size});
  return 0;
}
