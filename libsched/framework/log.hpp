// Log: the lines that upstream's scheduler logs, as messages with keys and values.
//
// A line costs a comparison while its level is off: texts are made afterwards, and only for a
// logger that asks for them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/framework/services.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

struct LogRecord {
  struct Field {
    Str key, value;
  };
  bool error = false;
  uint32_t level = 0;  // klog's V
  int64_t time_ns = 0;
  Str message;
  std::vector<Field> fields;
};

// Receives lines up to a level: on the thread that runs a scheduler or on one of the scheduler's
// own, one at a time. Plugins may be running, so it must not use the library.
class Logger {
 public:
  explicit Logger(uint32_t level) : level_(level) {}
  virtual ~Logger() = default;
  uint32_t level() const { return level_; }
  virtual void log(const LogRecord& record) noexcept = 0;

 private:
  const uint32_t level_;
};

// A key and its value, which this refers to.
struct LogField {
  LogField(Str k, Str v) : key(k), text(v) {}
  LogField(Str k, const char* v) : key(k), text(v) {}
  LogField(Str k, const std::string& v) : key(k), text(v) {}
  LogField(Str k, const ObjectMeta& v) : key(k), object(&v) {}  // upstream's klog.KObj
  LogField(Str k, int64_t v) : key(k), number(v), is_number(true) {}
  LogField(Str k, size_t v) : LogField(k, static_cast<int64_t>(v)) {}

  Str key, text{};
  const ObjectMeta* object = nullptr;
  int64_t number = 0;
  bool is_number = false;
};

class Log {
 public:
  Log() = default;
  // Both outlive this. `logger` may be null.
  Log(Logger* logger, const Clock* clock) : logger_(logger), clock_(clock) {}

  bool on(uint32_t level) const { return logger_ != nullptr && level <= logger_->level(); }
  void info(uint32_t level, Str message, std::initializer_list<LogField> fields) const {
    if (on(level)) write(false, level, message, fields);
  }
  void error(Str message, std::initializer_list<LogField> fields) const {
    if (on(0)) write(true, 0, message, fields);
  }

 private:
  // Without memory the line is left out.
  void write(bool error, uint32_t level, Str message,
             std::initializer_list<LogField> fields) const noexcept;

  Logger* logger_ = nullptr;
  const Clock* clock_ = nullptr;
};

// An API client of a scheduler that logs.
class Logging {
 public:
  virtual Log log() const = 0;

 protected:
  ~Logging() = default;
};

// Where a part of the framework logs that has the services alone.
Log log_of(const Services& services);

}  // namespace libsched
