// Loads every form of document in sizes that double, and counts instructions: twice the bytes must
// take about twice the work, whatever the form.
//
//   growth                    counts with the processor's own counter; exit code 77 where there is
//   none growth --load [NAME...]   loads everything once and names it, for a counter from outside
//                             (valgrind); with names those forms alone, in eight times the bytes
//
// A load is load(): parsing with defaults, validation and kept documents, and entering a cluster.
// Answers of other processes are read as libsched-net.so reads them.
#include <libsched.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "forms.hpp"

using growth::Form;

namespace {

constexpr double kMostPerDoubling = 2.3;
constexpr size_t kKiB = 1024;

void stop_if(libsched_error* error, const std::string& name) {
  if (error == nullptr) return;
  const libsched_str message = libsched_error_message(error);
  const libsched_str path = libsched_error_path(error);
  std::printf("%s: refused: %.*s: %.*s\n", name.c_str(), static_cast<int>(path.len), path.ptr,
              static_cast<int>(message.len), message.ptr);
  std::exit(1);
}

}  // namespace

// valgrind counts in the function with this name.
extern "C" __attribute__((noinline)) void libsched_growth_load(const std::string* text,
                                                               const Form* form) {
  const std::string* const name = &form->name;
  if (form->read != nullptr) {
    if (form->read(*text)) return;
    std::printf("%s: refused\n", name->c_str());
    std::exit(1);
  }
  libsched_parse_options options = LIBSCHED_PARSE_OPTIONS_INIT;
  options.defaults = options.validate = options.keep_raw = true;
  libsched_error* error = nullptr;
  libsched_objects* objects = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_objects_parse({text->data(), text->size()}, &options, &objects, &error);
  stop_if(error, *name);
  libsched_cluster_create(nullptr, &cluster, &error);
  stop_if(error, *name);
  if (libsched_cluster_apply(cluster, objects, &error) == LIBSCHED_ERR_LIMIT) {
    libsched_error_unref(error);  // more resources than a cluster holds; the work counts
    error = nullptr;
  }
  stop_if(error, *name);
  libsched_cluster_unref(cluster);
  libsched_objects_unref(objects);
}

namespace {

// Instructions of this process outside the kernel.
class Counter {
 public:
  Counter() {
    perf_event_attr attr{};
    attr.size = sizeof(attr);
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.exclude_kernel = attr.exclude_hv = attr.disabled = 1;
    fd_ = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
  }
  bool works() const { return fd_ >= 0; }
  void start() {
    ioctl(fd_, PERF_EVENT_IOC_RESET, 0);
    ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
  }
  uint64_t stop() {
    ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0);
    uint64_t count = 0;
    return read(fd_, &count, sizeof(count)) == sizeof(count) ? count : 0;
  }

 private:
  int fd_ = -1;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms = growth::json_forms();
  for (auto& more : {growth::object_forms(), growth::yaml_forms(), growth::answer_forms()})
    forms.insert(forms.end(), more.begin(), more.end());
  return forms;
}

int count_all() {
  Counter counter;
  if (!counter.works()) return 77;
  int passed = 0, failed = 0;
  for (const Form& form : all_forms()) {
    uint64_t counts[3];
    for (size_t i = 0; i < 3; ++i) {
      const std::string text = form.make(kKiB * kKiB << (i + 1));
      counter.start();
      libsched_growth_load(&text, &form);
      counts[i] = counter.stop();
    }
    const double first = static_cast<double>(counts[1]) / static_cast<double>(counts[0]);
    const double second = static_cast<double>(counts[2]) / static_cast<double>(counts[1]);
    const bool good = counts[0] > 0 && first <= kMostPerDoubling && second <= kMostPerDoubling;
    ++(good ? passed : failed);
    std::printf("%-55s %12llu at 2 MiB, x %.2f, x %.2f%s\n", form.name.c_str(),
                static_cast<unsigned long long>(counts[0]), first, second, good ? "" : "  FAILED");
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

// Three loads of each form in sizes that double, named in the order in which they come. They are
// smaller than what the processor counts, for valgrind takes fifty times as long.
int load_all(const std::set<std::string>& chosen) {
  for (const Form& form : all_forms()) {
    if (!chosen.empty() && !chosen.contains(form.name)) continue;
    const size_t bytes = (form.slow ? 32 : 128) * kKiB * (chosen.empty() ? 1 : 8);
    for (const size_t size : {bytes, 2 * bytes, 4 * bytes}) {
      const std::string text = form.make(size);
      libsched_growth_load(&text, &form);
    }
    std::printf("%s\n", form.name.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--load") == 0) return load_all({argv + 2, argv + argc});
  return count_all();
}
