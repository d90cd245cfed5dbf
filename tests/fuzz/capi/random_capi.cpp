// The fuzzer of the C API without libFuzzer: inputs are drawn by a seed. It makes more calls a
// second, because it does not measure coverage.
//
//   random_capi [--seed N] [--seconds N] [--calls N] [--found PREFIX]
//   random_capi --threads N ...    the same on N threads at once, which share what they may share
//   random_capi FILE...            runs inputs again
//   random_capi --shrink FILE      removes calls as long as the run fails, and writes FILE.small
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "choices.hpp"
#include "session.hpp"
#include "trace.hpp"
#include "turn.hpp"

namespace {

using Bytes = std::vector<uint8_t>;

Bytes read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

void run_one(const Bytes& input, const std::string& name) {
  fuzz::begin_trace(input, name);
  alarm(60);
  fuzz::run(input);
  alarm(0);
}

// Tells whether the input ends a separate process.
bool fails(const Bytes& input) {
  const pid_t child = fork();
  if (child == 0) {
    static_cast<void>(!freopen("/dev/null", "w", stderr));
    fuzz::keep_quiet();
    run_one(input, "");
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int shrink(const char* path) {
  Bytes input = read_file(path);
  if (!fails(input)) {
    std::printf("%s does not fail\n", path);
    return 1;
  }
  // The first record is also the seed of the run, so it stays.
  for (size_t calls = input.size() / fuzz::kRecord / 2; calls != 0; calls /= 2) {
    const size_t cut = calls * fuzz::kRecord;
    for (size_t at = fuzz::kRecord; at < input.size();) {
      Bytes without(input.begin(), input.begin() + static_cast<ptrdiff_t>(at));
      if (at + cut < input.size())
        without.insert(without.end(), input.begin() + static_cast<ptrdiff_t>(at + cut),
                       input.end());
      if (fails(without))
        input = without;
      else
        at += cut;
    }
  }
  const std::string small = std::string(path) + ".small";
  std::ofstream(small, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  std::printf("%zu calls left: %s\n", input.size() / fuzz::kRecord, small.c_str());
  return 0;
}

struct Asked {
  uint64_t seed = 1, calls = UINT64_MAX, threads = 1;
  double seconds = 60;
};

Bytes drawn(uint64_t seed) {
  fuzz::Choices choose(seed);
  Bytes input((1 + choose.below(fuzz::kMaxRecords)) * fuzz::kRecord);
  for (size_t at = 0; at < input.size(); at += sizeof(uint64_t)) {
    const uint64_t word = choose.next();
    std::memcpy(input.data() + at, &word, sizeof word);
  }
  return input;
}

int search(const Asked& asked) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  uint64_t runs = 0;
  for (; elapsed() < asked.seconds && fuzz::world().calls < asked.calls; ++runs)
    run_one(drawn(asked.seed * 0x100000001b3u + runs),
            "seed " + std::to_string(asked.seed) + ", run " + std::to_string(runs));
  std::printf("random_capi: seed %llu, %llu calls in %llu runs, %.1f s: no difference\n",
              static_cast<unsigned long long>(asked.seed),
              static_cast<unsigned long long>(fuzz::world().calls),
              static_cast<unsigned long long>(runs), elapsed());
  return 0;
}

// Each round has new shared objects, and ends when each thread has made its runs.
int search_with_threads(const Asked& asked) {
  using Clock = std::chrono::steady_clock;
  constexpr uint64_t kRuns = 8;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::atomic<uint64_t> calls = 0;
  uint64_t rounds = 0;
  for (; elapsed() < asked.seconds && calls < asked.calls; ++rounds) {
    const uint64_t seed = (asked.seed * 0x100000001b3u + rounds) * 0x10001;
    fuzz::begin_trace({}, "the shared objects");
    const fuzz::Shared shared(seed);
    std::vector<std::thread> threads;
    for (uint64_t n = 0; n < asked.threads; ++n)
      threads.emplace_back([&, n] {
        fuzz::begin_own_world();
        for (uint64_t run = 0; run < kRuns; ++run) {
          const Bytes input = drawn(seed + 1 + n * kRuns + run);
          fuzz::begin_trace(input, "seed " + std::to_string(asked.seed) + ", round " +
                                       std::to_string(rounds) + ", thread " + std::to_string(n) +
                                       ", run " + std::to_string(run));
          fuzz::run(input, &shared);
        }
        calls += fuzz::world().calls;
      });
    for (std::thread& thread : threads) thread.join();
    fuzz::Choices choose(seed);
    fuzz::world().pools.release_all(choose);
  }
  std::printf(
      "random_capi: seed %llu, %llu calls of %llu threads in %llu rounds, %.1f s: no difference\n",
      static_cast<unsigned long long>(asked.seed), static_cast<unsigned long long>(calls.load()),
      static_cast<unsigned long long>(asked.threads), static_cast<unsigned long long>(rounds),
      elapsed());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  fuzz::report_deaths();
  Asked asked;
  bool replayed = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const bool has_value = option.rfind("--", 0) == 0 && i + 1 < argc;
    if (option == "--shrink" && has_value) return shrink(argv[i + 1]);
    if (option == "--seed" && has_value) {
      asked.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--seconds" && has_value) {
      asked.seconds = std::strtod(argv[++i], nullptr);
    } else if (option == "--calls" && has_value) {
      asked.calls = std::strtoull(argv[++i], nullptr, 10);
      asked.seconds = 1e9;
    } else if (option == "--threads" && has_value) {
      asked.threads = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--found" && has_value) {
      fuzz::write_failures_to(argv[++i]);
    } else if (option.rfind("--", 0) == 0) {
      std::fprintf(stderr, "unknown option, or one without a value: %s\n", argv[i]);
      return 2;
    } else {
      run_one(read_file(argv[i]), option);
      replayed = true;
    }
  }
  if (replayed) return 0;
  return asked.threads > 1 ? search_with_threads(asked) : search(asked);
}
