// Determines the type of each document and passes its objects to the builder, one at a time, each
// with a window of tokens that holds the whole object.
#include "libsched/ingest/document_reader.hpp"

#include "libsched/base/quote.hpp"
#include "libsched/ingest/defaults.hpp"
#include "libsched/ingest/json_place.hpp"
#include "libsched/ingest/validate.hpp"
#include "libsched/objects/pod_class_id.hpp"

namespace libsched {

DocumentReader::DocumentReader(const ParseOptions& options, TypeName default_type, ObjectSet& out)
    : options_(options),
      default_type_(std::move(default_type)),
      out_(out),
      reader_(std::clamp(options.max_depth, 1, 10000)),
      builder_(reader_, options) {}

Result<void> DocumentReader::read(Str text, size_t total) {
  total_ = total;
  not_json_ = false;
  reader_.open(text);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == Str::npos) return {};
  object_begin_ = begin;
  begins_.push_back(text.substr(begin));
  if (!reader_.load(begin)) return error();
  do {
    if (reader_.offset() != begin) begins_.push_back(text.substr(reader_.offset()));
    object_begin_ = reader_.offset();
    levels_.clear();
    reader_.set_depth(0);
    if (!read_document()) return error();
  } while (more());
  return reader_.failure().kind == JsonFailure::Kind::kNone ? Result<void>() : error();
}

bool DocumentReader::more() {
  reader_.failure().kind = JsonFailure::Kind::kNone;
  while (reader_.at_end()) {
    if (reader_.last_window() || !reader_.load(reader_.window_end())) return false;
  }
  return true;
}

bool DocumentReader::interrupt() { return interrupted_ = options_.interrupt(); }

bool DocumentReader::read_document() {
  switch (reader_.peek()) {
    case '{': return read_object(default_type_, /*top=*/true);
    case '[': return read_elements(/*list=*/false, default_type_);
    case 'n': {  // an empty document, as for kubectl
      Str ignored;
      return reader_.scalar(ignored);
    }
    default: return reader_.wrong_type("an object");
  }
}

// Reads the type from the first keys of an object and returns to its start. With a default type,
// reads only leading kind and apiVersion, unless `full`.
bool DocumentReader::probe(const TypeName& default_type, bool top, bool full, TypeProbe& out) {
  out = {};
  const JsonReader::Mark begin = reader_.mark();
  const bool stop_early = !full && !default_type.kind.empty();
  if (!reader_.enter('{')) return false;
  Arena arena(64);
  if (!reader_.take('}')) {
    do {
      const size_t offset = reader_.offset();
      JsonString key;
      if (!reader_.key(key)) return false;
      const bool is_kind = key.text == "kind";
      if (is_kind || key.text == "apiVersion") {
        std::string& to = is_kind ? out.type.kind : out.type.api_version;
        if (!to.empty()) return reader_.fail(offset, "duplicate key");
        JsonString value;
        Str text;
        if (reader_.is_null()) {
          if (!reader_.scalar(text)) return false;
        } else if (!reader_.string(value) || !reader_.text_of(value, arena, text)) {
          return false;
        } else {
          to = text;
        }
        if (!out.type.kind.empty() && !out.type.api_version.empty()) break;
      } else if (top && key.text == "items" && reader_.peek() == '[' && out.type.kind.empty()) {
        out.items = true;
        TypeProbe first;
        if (!reader_.expect('[')) return false;
        if (reader_.peek() == '{' && !probe({}, /*top=*/false, /*full=*/true, first)) return false;
        out.items_typed = !first.type.kind.empty();
        break;
      } else if (stop_early) {
        break;
      } else if (!reader_.skip()) {
        return false;
      }
    } while (reader_.take(','));
  }
  reader_.rewind(begin);
  if (out.type.kind.empty() && !out.items) out.type.kind = default_type.kind;
  if (out.type.api_version.empty() && !out.items) out.type.api_version = default_type.api_version;
  return true;
}

bool DocumentReader::read_object(const TypeName& default_type, bool top) {
  if (!more()) return reader_.syntax();
  const size_t begin = reader_.offset();
  object_begin_ = begin;
  if (reader_.peek() != '{') return reader_.wrong_type("an object");
  if (interrupt()) return false;
  TypeProbe found;
  if (!reader_.whole([&] { return probe(default_type, top, /*full=*/false, found); })) return false;
  if (!found.items) return read_typed(found.type, begin);
  // kubectl writes the kind of a List after its items, which then have their own kinds.
  if (found.items_typed) return read_list(found.type, begin);
  return find_list_type(begin, found.type) && read_typed(found.type, begin);
}

bool DocumentReader::read_typed(const TypeName& type, size_t begin) {
  const Result<ObjectKind> kind = classify(type);
  if (!kind.ok()) return reader_.fail(begin, kind.error().message, kind.error().path);
  if (*kind == ObjectKind::kList) return read_list(type, begin);
  return reader_.whole([&] {
    const JsonReader::Mark mark = reader_.mark();
    if (build(*kind, type, begin)) return true;
    if (*kind == ObjectKind::kOther || !builder_.other_type()) return false;
    // kind or apiVersion came after other fields and is not the expected one.
    reader_.rewind(mark);
    TypeProbe found;
    if (!probe(type, /*top=*/false, /*full=*/true, found)) return false;
    const Result<ObjectKind> other = classify(found.type);
    if (!other.ok()) return reader_.fail(begin, other.error().message, other.error().path);
    return build(*other, found.type, begin);
  });
}

// The type of a list that stands behind its items.
bool DocumentReader::find_list_type(size_t begin, TypeName& out) {
  JsonReader& r = reader_;
  const auto string = [&](std::string& to) {
    JsonString value;
    if (!r.string(value)) return false;
    to = value.text;
    return true;
  };
  if (!r.enter('{')) return false;
  do {
    JsonString key;
    if (!more() || !r.whole([&] { return r.key(key); }) || !more()) return false;
    if (key.text == "kind" || key.text == "apiVersion") {
      std::string& to = key.text == "kind" ? out.kind : out.api_version;
      if (!(r.peek() == '"' ? string(to) : r.whole([&] { return r.skip(); }))) return false;
    } else if (key.text == "items" && r.take('[')) {
      if (!more()) return r.syntax();
      if (!r.take(']')) {
        do {
          if (interrupt()) return false;
          if (!more() || !r.whole([&] { return r.skip(); }) || !more()) return r.syntax();
        } while (r.take(','));
        if (!r.expect(']')) return false;
      }
    } else if (!r.whole([&] { return r.skip(); })) {
      return false;
    }
    if (!more()) return r.syntax();
  } while (r.take(','));
  if (!r.expect('}')) return false;
  r.set_depth(0);
  return r.load(begin);
}

bool DocumentReader::read_list(TypeName type, size_t begin) {
  const bool known = !type.kind.empty();
  bool items = false;
  object_begin_ = begin;
  if (!reader_.enter('{')) return false;
  if (!reader_.take('}')) {
    do {
      if (!more()) return reader_.syntax();
      const size_t offset = reader_.offset();
      JsonString key;
      if (!reader_.whole([&] { return reader_.key(key); })) return false;
      if (!more()) return reader_.syntax();
      if (key.text == "items" && reader_.peek() == '[') {
        if (items) return reader_.fail(offset, "duplicate key");
        items = true;
        if (!read_elements(/*list=*/true, item_type(type))) return false;
        object_begin_ = begin;
      } else if ((key.text == "kind" || key.text == "apiVersion") && reader_.peek() == '"') {
        JsonString value;
        if (!reader_.string(value)) return false;
        std::string& to = key.text == "kind" ? type.kind : type.api_version;
        if (known && to != value.text) return reader_.fail(offset, "duplicate key");
        to = value.text;
      } else if (key.text == "items" && !reader_.is_null()) {
        return reader_.wrong_type("an array");
      } else if (!reader_.whole([&] { return reader_.skip(); })) {
        return false;
      }
      if (!more()) return reader_.syntax();
    } while (reader_.take(','));
    if (!reader_.expect('}')) return false;
  }
  reader_.leave();
  const Result<ObjectKind> kind = classify(type);
  if (!kind.ok()) return reader_.fail(begin, kind.error().message, kind.error().path);
  if (*kind != ObjectKind::kList) return reader_.fail(begin, "items in a " + type.kind);
  return true;
}

bool DocumentReader::read_elements(bool list, const TypeName& item_type) {
  if (!reader_.enter('[')) return false;
  if (!more()) return reader_.syntax();
  if (!reader_.take(']')) {
    levels_.push_back({list, 0});
    const size_t level = levels_.size() - 1;
    do {
      if (!read_object(item_type, /*top=*/false)) return false;
      ++levels_[level].index;
      if (!more()) return reader_.syntax();
    } while (reader_.take(','));
    if (!reader_.expect(']')) return false;
    levels_.pop_back();
  }
  reader_.leave();
  return true;
}

bool DocumentReader::build(ObjectKind kind, const TypeName& type, size_t begin) {
  const std::string& v = type.api_version;
  const std::string& k = type.kind;
  switch (kind) {
    case ObjectKind::kPod: return add(builder_.pod(v, k), out_.pods, "Pod", begin);
    case ObjectKind::kNode: return add(builder_.node(v, k), out_.nodes, "Node", begin);
    case ObjectKind::kNamespace:
      return add(builder_.name_space(v, k), out_.namespaces, "Namespace", begin);
    case ObjectKind::kPriorityClass:
      return add(builder_.priority_class(v, k), out_.priority_classes, "PriorityClass", begin);
    case ObjectKind::kWorkload: {
      const Ref<Workload> workload = builder_.workload(v, k);
      if (!add(workload, out_.workloads, workload ? workload->kind : Str(), begin)) return false;
      if (const Ref<Controller>& c = builder_.controller()) {
        out_.stored.push_back({c->kind, c});
        ++out_.both_ways;
        if (options_.validate && c->kind == StoredKind::kReplicationController) {
          validate(out_.stored.back(), [&](const std::string& path, std::string message) {
            warn(join_path(prefix(), path), std::move(message));
          });
        }
      }
      return true;
    }
    case ObjectKind::kStored:
      return add_stored(builder_.stored(static_cast<StoredKind>(find_stored_kind(k)), v), begin);
    case ObjectKind::kList: return reader_.fail(begin, "a List whose kind comes last");
    case ObjectKind::kOther: return skip_kind(type, begin);
  }
  return false;
}

// Tells whether no other object of the input has the same identity.
bool DocumentReader::is_first(const Object& object, Str kind, size_t begin) {
  const size_t document = begins_.size() - 1;
  const size_t offset =
      begin - static_cast<size_t>(begins_[document].data() - reader_.text().data());
  const ObjectPlace* first =
      identities_.insert(kind, object, {static_cast<uint32_t>(document), offset});
  if (first != nullptr) {
    std::string name(object.meta.ns);
    name.append(name.empty() ? "" : "/").append(object.meta.name);
    std::string where = place_of(begins_[first->document], first->offset).path;
    if (document > 0)
      where = join_path("documents[" + std::to_string(first->document) + "]", where);
    return reader_.fail(begin,
                        "duplicate " + std::string(kind) + " " + name + ", the first is " + where);
  }
  warn_unknown_fields(begin);
  return true;
}

template <typename T>
bool DocumentReader::add(const Ref<T>& object, std::vector<Ref<const T>>& to, Str kind,
                         size_t begin) {
  if (!object || !is_first(*object, kind, begin)) return false;
  to.push_back(object);
  if (options_.validate) {
    validate(*object, [&](const std::string& path, std::string message) {
      warn(join_path(prefix(), path), std::move(message));
    });
  }
  return true;
}

bool DocumentReader::add_stored(const StoredObject& stored, size_t begin) {
  if (!stored.object || !is_first(*stored.object, stored_kind_name(stored.kind), begin)) {
    return false;
  }
  out_.stored.push_back(stored);
  if (options_.validate) {
    validate(stored, [&](const std::string& path, std::string message) {
      warn(join_path(prefix(), path), std::move(message));
    });
  }
  return true;
}

bool DocumentReader::skip_kind(const TypeName& type, size_t begin) {
  const std::string name = type.api_version + " " + type.kind;
  if (options_.strict) {
    return reader_.fail(begin, "objects of kind " + name + " are not read yet", {},
                        Rc::kUnsupported);
  }
  std::string ns;
  if (!skip_but_namespace(&ns)) return false;
  const auto [entry, is_new] = skipped_.try_emplace(name, out_.skipped.size());
  if (is_new) out_.skipped.push_back({name, 0, {}});
  SkippedKind& skipped = out_.skipped[entry->second];
  ++skipped.count;
  if (!ns.empty()) skipped.namespaces.insert(std::move(ns));
  return true;
}

// Skips an object of a kind that is not read, but for metadata.namespace.
bool DocumentReader::skip_but_namespace(std::string* ns) {
  const auto each = [&](Str wanted, char opens, auto&& found) {
    if (!reader_.enter('{')) return false;
    if (!reader_.take('}')) {
      do {
        JsonString key;
        if (!reader_.key(key)) return false;
        const bool is = key.text == wanted && reader_.peek() == opens;
        if (!(is ? found() : reader_.skip())) return false;
      } while (reader_.take(','));
      if (!reader_.expect('}')) return false;
    }
    reader_.leave();
    return true;
  };
  return each("metadata", '{', [&] {
    return each("namespace", '"', [&] {
      JsonString value;
      if (!reader_.string(value)) return false;
      *ns = value.text;
      return true;
    });
  });
}

void DocumentReader::warn(std::string path, std::string message) {
  out_.warnings.push_back({std::move(path), std::move(message)});
  warning_documents_.push_back(begins_.size() - 1);
}

void DocumentReader::warn_unknown_fields(size_t begin) {
  const int64_t count = builder_.unknown_fields();
  if (count == 0) return;
  if (out_.unknown_fields < kMaxUnknownFieldWarnings) {
    for (const ObjectBuilder::UnknownField& field : builder_.first_unknown()) {
      const std::string path = place_of(reader_.text().substr(begin), field.offset - begin).path;
      warn(join_path(prefix(), path), "unknown field" + field.hint);
    }
  }
  out_.unknown_fields += count;
}

void DocumentReader::admit_priorities() {
  const PriorityClasses classes(out_.priority_classes, options_.priority_classes);
  for (const PodRef& pod : out_.pods) {
    // The objects were made here and are not shared yet.
    Pod& made = const_cast<Pod&>(*pod);
    const bool known = admit_priority(made, classes);
    number_class(made);
    if (!known) {
      warn_of_class("Pod", *pod, pod->spec.priority_class_name, "");
    }
  }
  for (const WorkloadRef& w : out_.workloads) {
    if (!admit_priority(*w->pod, classes)) {
      warn_of_class(w->kind, *w, w->pod->spec.priority_class_name,
                    w->kind == "CronJob" ? "spec.jobTemplate.spec.template" : "spec.template");
    }
  }
}

void DocumentReader::warn_of_class(Str kind, const Object& object, Str class_name, Str below) {
  const ObjectPlace* place = identities_.find(kind, object);
  if (!options_.validate || place == nullptr || class_warnings_ == kMaxClassWarnings) return;
  ++class_warnings_;
  std::string path = place_of(begins_[place->document], place->offset).path;
  path = join_path(join_path(path, below), "spec.priorityClassName");
  out_.warnings.push_back(
      {std::move(path), "no PriorityClass with name " + std::string(class_name) + " was found"});
  warning_documents_.push_back(place->document);
}

void DocumentReader::finish() {
  if (options_.defaults) admit_priorities();
  if (begins_.size() < 2) return;
  for (size_t i = 0; i < out_.warnings.size(); ++i) {
    std::string& path = out_.warnings[i].path;
    path = join_path("documents[" + std::to_string(warning_documents_[i]) + "]", path);
  }
}

std::string DocumentReader::prefix() const {
  std::string out;
  for (const Level& level : levels_) {
    out = join_path(out, (level.list ? "items[" : "[") + std::to_string(level.index) + "]");
  }
  return out;
}

std::string DocumentReader::document_prefix(size_t document) const {
  bool several = document > 0 || total_ > 1;
  if (!several && total_ == 0) {  // checks for further documents only after an error
    const JsonPlace end = place_of(begins_[0], SIZE_MAX);
    several = !end.error && begins_[0].find_first_not_of(" \t\r\n", end.end) != Str::npos;
  }
  return several ? "documents[" + std::to_string(document) + "]" : "";
}

Error DocumentReader::error() {
  if (interrupted_) return interrupted();
  const JsonFailure& f = reader_.failure();
  const Str text = reader_.text();
  size_t document = begins_.size() - 1;
  bool wrong_value = f.kind == JsonFailure::Kind::kValue;
  if (wrong_value) {
    not_json_ = place_of(begins_[document], SIZE_MAX).error.has_value();
    // What seems wrong in a text that is no JSON may follow from that: the kind that a document
    // lacks may stand behind the place where it is cut off.
    wrong_value = !not_json_ || (f.rc != Rc::kInvalid && f.rc != Rc::kUnsupported);
  }
  if (wrong_value) {
    const size_t offset = f.offset - object_begin_;
    std::string path = join_path(prefix(), place_of(text.substr(object_begin_), offset).path);
    path = join_path(document_prefix(document), join_path(path, f.below));
    broken_ = {document, static_cast<size_t>(begins_[document].data() - text.data())};
    return {f.rc, f.message, std::move(path)};
  }
  not_json_ = true;
  for (Str rest = begins_[document]; !rest.empty(); ++document) {
    const JsonPlace place = place_of(rest, SIZE_MAX);
    broken_ = {document, static_cast<size_t>(rest.data() - text.data())};
    if (place.error) {
      const size_t at = static_cast<size_t>(rest.data() - text.data()) + place.end;
      const Str before = text.substr(0, at);
      const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
      const size_t column = at - (before.rfind('\n') == Str::npos ? 0 : before.rfind('\n') + 1) + 1;
      std::string message = *place.error;
      message.append(" (line ").append(std::to_string(line));
      message.append(", column ").append(std::to_string(column)).append(")");
      return invalid(join_path(document_prefix(document), place.path), std::move(message));
    }
    if (rest[0] != '{' && rest[0] != '[' && rest[0] != 'n') {
      return invalid(document_prefix(document), "expected an object");
    }
    const size_t next = rest.find_first_not_of(" \t\r\n", place.end);
    rest = next == Str::npos ? Str() : rest.substr(next);
  }
  return {Rc::kInternal, "the JSON readers disagree"};
}

}  // namespace libsched
