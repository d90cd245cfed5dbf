// Preloaded into a process, lets one allocation of the module _core fail: the n-th call of operator
// new by the module's own code.
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

uintptr_t from = 0, to = 0;
long made = 0, failing = 0;  // failing 0: none

int find_module(dl_phdr_info* info, size_t, void*) {
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  if (slash == nullptr || std::strncmp(slash, "/_core.", 7) != 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    from = info->dlpi_addr + part.p_vaddr;
    to = from + part.p_memsz;
  }
  return 1;
}

void* take(size_t size, const void* caller) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  if (failing != 0 && at >= from && at < to && ++made == failing) return nullptr;
  return std::malloc(size == 0 ? 1 : size);
}

void* take_or_throw(size_t size, const void* caller) {
  void* const p = take(size, caller);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

void fail_at(long n) {
  if (from == 0) dl_iterate_phdr(find_module, nullptr);
  made = 0;
  failing = n;
}
long stop_failing() {
  failing = 0;
  return from == 0 ? -1 : made;
}

}  // extern "C"

void* operator new(size_t size) { return take_or_throw(size, CALLER); }
void* operator new[](size_t size) { return take_or_throw(size, CALLER); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size, CALLER); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return take(size, CALLER); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
