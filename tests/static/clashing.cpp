// A program in C++ with functions of the names that libraries in libsched.a have, and exceptions of
// its own. Each side keeps its functions.
#include <libsched.h>

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace simdjson {
struct implementation {
  virtual ~implementation();
  virtual bool validate_utf8(const char* buf, std::size_t len) const;
};
implementation::~implementation() = default;
bool implementation::validate_utf8(const char*, std::size_t) const { std::abort(); }
bool validate_utf8(const char*, std::size_t) noexcept { std::abort(); }
const implementation* get_active_implementation() { std::abort(); }
}  // namespace simdjson

namespace libsched {
bool parse_quantity() { std::abort(); }
struct Pod {
  virtual ~Pod() { std::abort(); }
};
}  // namespace libsched

extern "C" {
const char* zlibVersion() { return "the program's zlib"; }
int inflateInit2_(void*, int, const char*, int) { std::abort(); }
int inflate(void*, int) { std::abort(); }
int yaml_parser_initialize(void*) { std::abort(); }
int yaml_parser_parse(void*, void*) { std::abort(); }
int lzma_stream_decoder(void*, unsigned long, unsigned) { std::abort(); }
int lzma_code(void*, int) { std::abort(); }
void* ZSTD_createDStream() { std::abort(); }
std::size_t ZSTD_decompressStream(void*, void*, void*) { std::abort(); }
}

int main(int count, char** dumps) {
  for (int i = 1; i < count; ++i) {
    libsched_cluster* cluster = nullptr;
    libsched_error* error = nullptr;
    const libsched_str path = {dumps[i], std::string(dumps[i]).size()};
    if (libsched_cluster_load(path, &cluster, &error) != LIBSCHED_OK) {
      std::cout << libsched_error_message(error).ptr << "\n";
      return 1;
    }
    std::cout << libsched_view_node_count(libsched_cluster_view(cluster)) << " nodes\n";
    libsched_cluster_unref(cluster);
  }
  std::thread([] {
    try {
      std::vector<int>(1).at(static_cast<std::size_t>(7));
    } catch (const std::out_of_range&) {
      std::cout << "caught in a thread, " << zlibVersion() << "\n";
    }
  }).join();
  return 0;
}
