// Log: values become texts.
#include "libsched/framework/log.hpp"

#include <new>

namespace libsched {
namespace {

std::string text_of(const LogField& field) {
  if (field.is_number) return std::to_string(field.number);
  if (field.object == nullptr) return std::string(field.text);
  const ObjectMeta& meta = *field.object;
  return (meta.ns.empty() ? std::string() : std::string(meta.ns) + "/") + std::string(meta.name);
}

}  // namespace

void Log::write(bool error, uint32_t level, Str message,
                std::initializer_list<LogField> fields) const noexcept {
  try {
    std::vector<std::string> texts;
    texts.reserve(fields.size());
    LogRecord record{error, level, clock_->now_ns(), message, {}};
    for (const LogField& field : fields)
      record.fields.push_back({field.key, texts.emplace_back(text_of(field))});
    logger_->log(record);
  } catch (const std::bad_alloc&) {
  }
}

Log log_of(const Services& services) {
  const auto* const logging = dynamic_cast<const Logging*>(&services.api());
  return logging == nullptr ? Log() : logging->log();
}

}  // namespace libsched
