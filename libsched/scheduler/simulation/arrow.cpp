// See arrow.hpp. Each struct owns its children as the interface demands: a consumer may move a
// child out and release it by itself, so children are released one by one and hold the table
// themselves.
#include "libsched/scheduler/simulation/arrow.hpp"

#include <cerrno>
#include <memory>
#include <new>
#include <vector>

namespace libsched {
namespace {

const char* format_of(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64: return "l";
    case ColumnType::kDouble: return "g";
    case ColumnType::kNanoseconds: return "tDn";
    case ColumnType::kText: return "U";
    case ColumnType::kWord: return "i";  // the type of the indexes
  }
  return "n";
}

// Structs that their parent releases, unless a consumer has moved them out.
template <typename T>
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (const std::unique_ptr<T>& child : owned_)
      if (child->release != nullptr) child->release(child.get());
  }
  // A struct that is released already, to be filled.
  T* add() {
    pointers_.reserve(pointers_.size() + 1);
    owned_.push_back(std::make_unique<T>());
    *owned_.back() = {};
    pointers_.push_back(owned_.back().get());
    return pointers_.back();
  }
  T** data() { return pointers_.data(); }
  int64_t size() const { return static_cast<int64_t>(pointers_.size()); }

 private:
  std::vector<std::unique_ptr<T>> owned_;
  std::vector<T*> pointers_;
};

struct SchemaData {
  TableRef table;  // owns the names
  Children<ArrowSchema> children, dictionary;
};
struct ArrayData {
  TableRef table;  // owns the buffers
  std::vector<const void*> buffers;
  Children<ArrowArray> children, dictionary;
};

template <typename T, typename Data>
void let_go(T* released) {
  delete static_cast<Data*>(released->private_data);
  released->release = nullptr;
  released->private_data = nullptr;
}

void publish(std::unique_ptr<SchemaData> data, const char* format, const char* name, int64_t flags,
             ArrowSchema* out) {
  *out = {};
  out->format = format;
  out->name = name;
  out->flags = flags;
  out->n_children = data->children.size();
  out->children = out->n_children == 0 ? nullptr : data->children.data();
  out->dictionary = data->dictionary.size() == 0 ? nullptr : data->dictionary.data()[0];
  out->release = let_go<ArrowSchema, SchemaData>;
  out->private_data = data.release();
}

void publish(std::unique_ptr<ArrayData> data, size_t length, size_t nulls, ArrowArray* out) {
  *out = {};
  out->length = static_cast<int64_t>(length);
  out->null_count = static_cast<int64_t>(nulls);
  out->n_buffers = static_cast<int64_t>(data->buffers.size());
  out->buffers = data->buffers.data();
  out->n_children = data->children.size();
  out->children = out->n_children == 0 ? nullptr : data->children.data();
  out->dictionary = data->dictionary.size() == 0 ? nullptr : data->dictionary.data()[0];
  out->release = let_go<ArrowArray, ArrayData>;
  out->private_data = data.release();
}

template <typename Data>
std::unique_ptr<Data> data_of(const TableRef& table) {
  auto data = std::make_unique<Data>();
  data->table = table;
  return data;
}

void export_column_schema(const TableRef& table, const Column& c, ArrowSchema* out) {
  auto data = data_of<SchemaData>(table);
  if (c.type() == ColumnType::kWord)
    publish(data_of<SchemaData>(table), "U", "", 0, data->dictionary.add());
  publish(std::move(data), format_of(c.type()), c.name().c_str(), ARROW_FLAG_NULLABLE, out);
}

void export_column(const TableRef& table, const Column& c, ArrowArray* out) {
  static constexpr int64_t kNoTexts[] = {0};
  const void* const valid = c.null_count() == 0 ? nullptr : c.valid_bits().data();
  const void* const ends = c.ends().empty() ? kNoTexts : c.ends().data();
  auto data = data_of<ArrayData>(table);
  switch (c.type()) {
    case ColumnType::kInt64:
    case ColumnType::kNanoseconds: data->buffers = {valid, c.integers().data()}; break;
    case ColumnType::kDouble: data->buffers = {valid, c.reals().data()}; break;
    case ColumnType::kText: data->buffers = {valid, ends, c.bytes().data()}; break;
    case ColumnType::kWord: {
      data->buffers = {valid, c.words().data()};
      auto words = data_of<ArrayData>(table);
      words->buffers = {nullptr, ends, c.bytes().data()};
      const size_t count = c.ends().empty() ? 0 : c.ends().size() - 1;
      publish(std::move(words), count, 0, data->dictionary.add());
      break;
    }
  }
  publish(std::move(data), c.size(), c.null_count(), out);
}

struct StreamData {
  TableRef table;
  bool done = false;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    export_schema(static_cast<StreamData*>(stream->private_data)->table, out);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& data = *static_cast<StreamData*>(stream->private_data);
  if (data.done) {
    *out = {};  // released: the end
    return 0;
  }
  try {
    export_array(data.table, out);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
  data.done = true;
  return 0;
}

const char* get_last_error(ArrowArrayStream*) { return "out of memory"; }

}  // namespace

void export_schema(const TableRef& table, ArrowSchema* out) {
  auto data = data_of<SchemaData>(table);
  for (const Column& c : table->columns) export_column_schema(table, c, data->children.add());
  publish(std::move(data), "+s", table->name.c_str(), 0, out);
}

void export_array(const TableRef& table, ArrowArray* out) {
  auto data = data_of<ArrayData>(table);
  for (const Column& c : table->columns) export_column(table, c, data->children.add());
  data->buffers = {nullptr};
  publish(std::move(data), table->row_count(), 0, out);
}

void export_stream(const TableRef& table, ArrowArrayStream* out) {
  auto data = std::make_unique<StreamData>();
  data->table = table;
  out->get_schema = get_schema;
  out->get_next = get_next;
  out->get_last_error = get_last_error;
  out->release = let_go<ArrowArrayStream, StreamData>;
  out->private_data = data.release();
}

}  // namespace libsched
