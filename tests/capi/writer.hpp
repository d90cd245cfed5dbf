// The writer queue and the results of scheduling in C++ tests of the C API.
#pragma once

#include <doctest/doctest.h>
#include <libsched.h>

inline const libsched_schedule_options* for_any_profile() {
  static libsched_schedule_options options = LIBSCHED_SCHEDULE_OPTIONS_INIT;
  options.other_profile = libsched_str_from("default-scheduler");
  return &options;
}

// Each try gets a new queue, without messages of earlier tries.
struct Writer {
  libsched_writer_queue* queue = nullptr;
  libsched_scheduling* scheduling = nullptr;
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;

  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { clear(); }
  void clear() {
    libsched_scheduling_unref(scheduling);
    libsched_writer_queue_unref(queue);
    scheduling = nullptr;
    queue = nullptr;
  }
  void fresh() {
    clear();
    REQUIRE(libsched_writer_queue_create(&queue, nullptr) == LIBSCHED_OK);
    options.other_profile = libsched_str_from("default-scheduler");
    options.writer = queue;
  }
  // Runs both cycles for a pod.
  void bind(libsched_evaluator* evaluator, const libsched_pod* pod) {
    fresh();
    libsched_status* status = nullptr;
    REQUIRE(libsched_status_create(&status, nullptr) == LIBSCHED_OK);
    REQUIRE(libsched_schedule_one(&evaluator, 1, pod, &options, &scheduling, nullptr) ==
            LIBSCHED_OK);
    REQUIRE(libsched_scheduling_bind(scheduling, status, nullptr) == LIBSCHED_OK);
    REQUIRE(libsched_writer_queue_pending(queue) == 1);
    libsched_status_unref(status);
  }
};

inline Writer& writer() {
  static Writer one;
  return one;
}
