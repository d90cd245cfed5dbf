// Opens shared objects with the dynamic loader. This file is compiled alone, outside of batches, so
// that libsched.a can leave it out.
#include "shared_object.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace libsched::capi {
namespace {

using Segment = ElfW(Phdr);

class File {
 public:
  explicit File(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat found{};
    if (fd_ < 0 || ::fstat(fd_, &found) != 0) return;
    regular_ = S_ISREG(found.st_mode);
    size_ = static_cast<uint64_t>(found.st_size);
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool opened() const { return fd_ >= 0; }
  bool regular() const { return regular_; }
  uint64_t size() const { return size_; }
  bool holds(uint64_t offset, uint64_t size) const {
    return offset <= size_ && size <= size_ - offset;
  }
  bool read(void* to, size_t size, uint64_t offset) const {
    return holds(offset, size) &&
           ::pread(fd_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  }

 private:
  int fd_;
  bool regular_ = false;
  uint64_t size_ = 0;
};

// What keeps a file from being a whole shared object; empty: nothing, or the loader finds it. The
// loader maps segments without a look at the file's size, and the first use of a page behind the
// end of the file ends the process (SIGBUS).
std::string flaw_of(const std::string& path) {
  // The loader looks for a name without a slash in its own folders.
  if (path.find('/') == std::string::npos) return {};
  const File file(path);
  if (!file.opened()) return {};
  if (!file.regular()) return "it is not a regular file; give the file of a shared object";
  const std::string cut = "the file is truncated, it has only " + std::to_string(file.size()) +
                          " bytes; build or copy it again";
  ElfW(Ehdr) header{};
  if (!file.read(header.e_ident, SELFMAG, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "the file is not a shared object; a plugin is an ELF file such as gcc -shared makes";
  if (!file.read(&header, sizeof(header), 0)) return cut;
  // Files for another machine are the loader's to refuse.
  if (header.e_phentsize != sizeof(Segment)) return {};
  std::vector<Segment> segments(header.e_phnum);
  if (!file.read(segments.data(), segments.size() * sizeof(Segment), header.e_phoff)) return cut;
  for (const Segment& segment : segments)
    if (segment.p_type == PT_LOAD && !file.holds(segment.p_offset, segment.p_filesz)) return cut;
  return {};
}

}  // namespace

std::string own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr)
    return {};
  const std::string file = info.dli_fname;
  return file.substr(0, file.rfind('/') + 1);
}

Result<SharedObject> open_shared_object(const std::string& path, const char* function) {
  if (const std::string flaw = flaw_of(path); !flaw.empty())
    return Error{Rc::kIo, "cannot load \"" + path + "\": " + flaw};
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    std::string text = "cannot load \"" + path + "\": " + (why == nullptr ? "unknown" : why);
    if (text.find("undefined symbol: libsched_") != std::string::npos)
      text += "; link it: $(pkg-config --libs libsched)";
    return Error{Rc::kIo, std::move(text)};
  }
  SharedObject opened{{handle, [](void* h) { ::dlclose(h); }}, ::dlsym(handle, function)};
  if (opened.function == nullptr)
    return Error{Rc::kUnsupported, "\"" + path + "\" is no plugin: it exports no " + function};
  return opened;
}

}  // namespace libsched::capi
