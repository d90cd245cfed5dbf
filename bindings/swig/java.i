/* Java: texts are Strings, failures are SchedExceptions, and outputs are returned as results.

   Every handle is AutoCloseable; an unclosed handle is released when it is collected. */
%include <typemaps.i>
%pragma(java) jniclassimports="import java.nio.charset.StandardCharsets;"
%pragma(java) jniclasscode=%{
  static { System.loadLibrary("sched_java"); }
  static byte[] bytes(String text) { return text == null ? null : text.getBytes(StandardCharsets.UTF_8); }
  static void append(StringBuilder to, byte[] utf8) { to.append(text(utf8)); }
  static String text(byte[] utf8) { return utf8 == null ? null : new String(utf8, StandardCharsets.UTF_8); }
%}
%typemap(javainterfaces) SWIGTYPE "AutoCloseable"
%typemap(javacode) SWIGTYPE "  @Override public void close() { delete(); }\n"

// Texts are passed as UTF-8 bytes, because JNI's own strings are modified UTF-8.
%fragment("texts", "header") %{
static jbyteArray bytes_of(JNIEnv *jenv, libsched_str text) {
  jbyteArray made = jenv->NewByteArray(static_cast<jsize>(text.len));
  if (made != nullptr && text.len != 0)
    jenv->SetByteArrayRegion(made, 0, static_cast<jsize>(text.len), reinterpret_cast<const jbyte *>(text.ptr));
  return made;
}
%}
%typemap(jni) libsched_str "jbyteArray"
%typemap(jtype) libsched_str "byte[]"
%typemap(jstype) libsched_str "String"
%typemap(javain) libsched_str "$imclassname.bytes($javainput)"
%typemap(javaout) libsched_str { return $imclassname.text($jnicall); }
%typemap(in) libsched_str {
  $1 = libsched_str{nullptr, 0};
  if ($input != nullptr) {
    $1.ptr = reinterpret_cast<const char *>(jenv->GetByteArrayElements($input, nullptr));
    if ($1.ptr == nullptr) return $null;
    $1.len = static_cast<size_t>(jenv->GetArrayLength($input));
  }
}
%typemap(freearg) libsched_str {
  if ($1.ptr != nullptr)
    jenv->ReleaseByteArrayElements($input, reinterpret_cast<jbyte *>(const_cast<char *>($1.ptr)), JNI_ABORT);
}
%typemap(out, fragment="texts") libsched_str { $result = bytes_of(jenv, $1); }
%typemap(varout, fragment="texts") libsched_str { $result = bytes_of(jenv, $1); }

// A return code other than OK throws an exception with the error's data.
%fragment("errors", "header", fragment="texts") %{
static void throw_error(JNIEnv *jenv, libsched_error *error) {
  jclass type = jenv->FindClass("libsched/SchedException");
  jmethodID make = type == nullptr ? nullptr : jenv->GetMethodID(type, "<init>", "(I[B[B[B)V");
  if (make != nullptr) {
    jobject made = jenv->NewObject(type, make, static_cast<jint>(libsched_error_code(error)),
                                   bytes_of(jenv, libsched_error_message(error)),
                                   bytes_of(jenv, libsched_error_path(error)),
                                   bytes_of(jenv, libsched_error_plugin(error)));
    if (made != nullptr) jenv->Throw(static_cast<jthrowable>(made));
  }
  libsched_error_unref(error);
}
%}
%typemap(jni) libsched_rc "void"
%typemap(jtype) libsched_rc "void"
%typemap(jstype) libsched_rc "void"
%typemap(javaout) libsched_rc { $jnicall; }
%typemap(out) libsched_rc ""
%typemap(in, numinputs=0) libsched_error **error (libsched_error *failure = nullptr) "$1 = &failure;"
%typemap(argout, fragment="errors") libsched_error **error "if (*$1 != nullptr) throw_error(jenv, *$1);"
%ignore libsched_error;
%ignore libsched_error_code;
%ignore libsched_error_message;
%ignore libsched_error_path;
%ignore libsched_error_plugin;

// Other outputs: texts are appended to a StringBuilder, numbers are stored in the first element of an
// array; null discards them.
%typemap(jni) libsched_str * "jobject"
%typemap(jtype) libsched_str * "StringBuilder"
%typemap(jstype) libsched_str * "StringBuilder"
%typemap(javain) libsched_str * "$javainput"
%typemap(in) libsched_str * (libsched_str lent = {nullptr, 0}) "$1 = &lent;"
%typemap(freearg) libsched_str * ""
%typemap(argout, fragment="append") libsched_str * "if ($input != nullptr) append(jenv, $input, *$1);"
%fragment("append", "header", fragment="texts") %{
static void append(JNIEnv *jenv, jobject builder, libsched_str text) {
  jclass type = jenv->FindClass("libsched/SchedJNI");
  jmethodID append = type == nullptr ? nullptr
      : jenv->GetStaticMethodID(type, "append", "(Ljava/lang/StringBuilder;[B)V");
  if (append != nullptr) jenv->CallStaticVoidMethod(type, append, builder, bytes_of(jenv, text));
}
%}
%define %first_of(TYPE, JNI, ARRAY, JAVA, METHOD)
%typemap(jni) TYPE * "ARRAY"
%typemap(jtype) TYPE * "JAVA[]"
%typemap(jstype) TYPE * "JAVA[]"
%typemap(javain) TYPE * "$javainput"
%typemap(in) TYPE * (TYPE given = 0) "$1 = &given;"
%typemap(freearg) TYPE * ""
%typemap(argout) TYPE * {
  if ($input != nullptr) {
    const JNI number = static_cast<JNI>(*$1);
    jenv->METHOD($input, 0, 1, &number);
  }
}
%enddef
%first_of(int64_t, jlong, jlongArray, long, SetLongArrayRegion)
%first_of(int32_t, jint, jintArray, int, SetIntArrayRegion)
%first_of(size_t, jlong, jlongArray, long, SetLongArrayRegion)
%first_of(bool, jboolean, jbooleanArray, boolean, SetBooleanArrayRegion)

// Functions that return the value of `out`, a handle or a text.
%define %gives(TYPE, FUNCTION)
%typemap(jni) libsched_rc FUNCTION "jlong"
%typemap(jtype) libsched_rc FUNCTION "long"
%typemap(jstype) libsched_rc FUNCTION "$typemap(jstype, TYPE *)"
%typemap(javaout) libsched_rc FUNCTION {
    long made = $jnicall;
    return made == 0 ? null : new $typemap(jstype, TYPE *)(made, true);
  }
%enddef
%define %made(TYPE)
%typemap(in, numinputs=0) TYPE **out (TYPE *made = nullptr) "$1 = &made;"
%typemap(argout) TYPE **out "*(TYPE **)&$result = *$1;"
%enddef
%define %gives_text(FUNCTION)
%typemap(jni) libsched_rc FUNCTION "jbyteArray"
%typemap(jtype) libsched_rc FUNCTION "byte[]"
%typemap(jstype) libsched_rc FUNCTION "String"
%typemap(javaout) libsched_rc FUNCTION { return $imclassname.text($jnicall); }
%enddef
%typemap(in, numinputs=0) libsched_text **out (libsched_text *made = nullptr) "$1 = &made;"
%typemap(argout, fragment="texts") libsched_text **out {
  if (*$1 != nullptr) $result = bytes_of(jenv, libsched_text_get(*$1));
  libsched_text_unref(*$1);
}
%typemap(in, numinputs=0) libsched_str *out (libsched_str lent = {nullptr, 0}) "$1 = &lent;"
%typemap(argout, fragment="texts") libsched_str *out "if ($1->ptr != nullptr) $result = bytes_of(jenv, *$1);"
// It fills an array of texts; Java reads columns by name instead.
%ignore libsched_view_resources;
%ignore libsched_text;
%ignore libsched_text_unref;
%ignore libsched_text_ref;
%ignore libsched_error_unref;
%ignore libsched_error_ref;
%ignore libsched_text_get;

%made(libsched_objects) %made(libsched_pod) %made(libsched_node) %made(libsched_cluster)
%made(libsched_snapshot) %made(libsched_status) %made(libsched_config) %made(libsched_registry)
%made(libsched_framework) %made(libsched_cycle_state) %made(libsched_evaluator)
%made(libsched_prefilter_result) %made(libsched_decision) %made(libsched_score_table)
%made(libsched_changes)
%made(libsched_cancel) %made(libsched_memory_api) %made(libsched_waiting_pod) %made(libsched_clock) %made(libsched_services) %made(libsched_node_statuses)
%made(libsched_api_server) %made(libsched_scheduler) %made(libsched_workload) %made(libsched_simulation) %made(libsched_table)
%made(libsched_queue) %made(libsched_queued_pod) %made(libsched_writer_queue) %made(libsched_scheduling) %made(libsched_capacity) %made(libsched_drain) %made(libsched_edited) %made(libsched_comparison) %made(libsched_cel) %made(libsched_event_map)
%made(libsched_catalog) %made(libsched_sim) %made(libsched_extender)
%gives(libsched_objects, libsched_objects_parse)
%gives(libsched_objects, libsched_objects_load)
%gives(libsched_pod, libsched_pod_parse)
%gives(libsched_pod, libsched_pod_parse_flat)
%gives(libsched_pod, libsched_pod_copy)
%gives(libsched_pod, libsched_daemon_pod)
%gives(libsched_objects, libsched_missing_claims)
%gives(libsched_pod, libsched_pod_with_claims)
%gives(libsched_objects, libsched_admit_objects)
%gives(libsched_pod, libsched_admit_pod)
// Java gets what is made, without the report.
%typemap(in, numinputs=0) libsched_text **report "$1 = nullptr;"
%gives(libsched_node, libsched_node_parse)
%gives(libsched_node, libsched_node_parse_flat)
%gives(libsched_node, libsched_node_copy)
%gives(libsched_cluster, libsched_cluster_create)
%gives(libsched_cluster, libsched_cluster_load)
%gives(libsched_cluster, libsched_cluster_clone)
%gives(libsched_snapshot, libsched_cluster_snapshot)
%gives(libsched_changes, libsched_changes_create)
%gives(libsched_status, libsched_status_create)
%gives(libsched_config, libsched_config_parse)
%gives(libsched_registry, libsched_registry_create)
%gives(libsched_framework, libsched_framework_create)
%gives(libsched_cycle_state, libsched_cycle_state_create)
%gives(libsched_cycle_state, libsched_cycle_state_clone)
%gives(libsched_evaluator, libsched_evaluator_create)
%gives(libsched_prefilter_result, libsched_prefilter_result_create)
%gives(libsched_decision, libsched_check_pod_fits)
%gives(libsched_score_table, libsched_score_table_create)
%gives(libsched_cancel, libsched_cancel_create)
%gives(libsched_memory_api, libsched_memory_api_create)
%gives(libsched_waiting_pod, libsched_services_find_waiting_pod)
%gives(libsched_clock, libsched_clock_create_system)
%gives(libsched_clock, libsched_clock_create_virtual)
%gives(libsched_services, libsched_services_create)
%gives(libsched_node_statuses, libsched_node_statuses_create)
%gives(libsched_writer_queue, libsched_writer_queue_create)
%gives(libsched_scheduling, libsched_schedule_pod)
%gives(libsched_capacity, libsched_capacity_of)
%gives(libsched_drain, libsched_drain_of)
%gives(libsched_edited, libsched_cluster_edit_with)
%gives(libsched_comparison, libsched_comparison_create)
%gives(libsched_cel, libsched_cel_compile)
%gives(libsched_queue, libsched_queue_of)
%gives(libsched_api_server, libsched_api_server_create)
%gives(libsched_pod, libsched_api_server_find_pod)
%gives(libsched_node, libsched_api_server_find_node)
%gives(libsched_objects, libsched_api_server_objects)
%gives(libsched_scheduler, libsched_scheduler_of)
%gives(libsched_workload, libsched_workload_create)
%gives(libsched_simulation, libsched_simulation_of)
%gives(libsched_table, libsched_simulation_table)
%gives(libsched_queued_pod, libsched_queue_pop)
%gives(libsched_queued_pod, libsched_queue_pop_specific)
%gives(libsched_event_map, libsched_framework_events)
%gives(libsched_catalog, libsched_catalog_create)
%gives(libsched_pod, libsched_catalog_pod)
%gives(libsched_sim, libsched_sim_create)
%gives(libsched_extender, libsched_config_load_extender)
%gives_text(libsched_sim_explain_json)
%gives_text(libsched_config_extender_json)
%gives_text(libsched_memory_api_requests_json)
%gives_text(libsched_sign_pod)
%gives_text(libsched_objects_report_json)
%gives_text(libsched_cel_devices_json)
%gives_text(libsched_pod_json)
%gives_text(libsched_node_json)
%gives_text(libsched_view_json)
%gives_text(libsched_view_objects_json)
%gives_text(libsched_view_release_json)
%gives_text(libsched_view_choose_nodes)
%gives_text(libsched_config_describe_json)
%gives_text(libsched_embedded_configs_json)
%gives_text(libsched_comparison_use_json)
%gives_text(libsched_decision_explain_json)
%gives_text(libsched_why_of)
%gives_text(libsched_queue_metrics_json)
%gives_text(libsched_api_server_take_calls_json)
%gives_text(libsched_api_server_take_events_json)
%gives_text(libsched_scheduler_metrics_text)
%gives_text(libsched_simulation_summary_json)
%gives_text(libsched_workload_warnings_json)
%gives_text(libsched_pod_raw)
%gives_text(libsched_node_raw)

%typemap(jni) libsched_rc libsched_framework_queue_less "jboolean"
%typemap(jtype) libsched_rc libsched_framework_queue_less "boolean"
%typemap(jstype) libsched_rc libsched_framework_queue_less "boolean"
%typemap(javaout) libsched_rc libsched_framework_queue_less { return $jnicall; }
%typemap(in, numinputs=0) bool *out (bool said = false) "$1 = &said;"
%typemap(argout) bool *out "$result = *$1 ? JNI_TRUE : JNI_FALSE;"

// Sets of nodes as long[] (rows.hpp): null is NULL, and a set that a call fills is its result.
%typemap(jni) const libsched_swig::Rows & "jlongArray"
%typemap(jtype) const libsched_swig::Rows & "long[]"
%typemap(jstype) const libsched_swig::Rows & "long[]"
%typemap(javain) const libsched_swig::Rows & "$javainput"
%typemap(in) const libsched_swig::Rows & (libsched_swig::Rows given) {
  $1 = &given;
  if ($input != nullptr) {
    given.words = reinterpret_cast<const uint64_t *>(jenv->GetLongArrayElements($input, nullptr));
    if (given.words == nullptr) return $null;
    given.count = static_cast<size_t>(jenv->GetArrayLength($input));
  }
}
%typemap(freearg) const libsched_swig::Rows & {
  if ($1->words != nullptr)
    jenv->ReleaseLongArrayElements($input, reinterpret_cast<jlong *>(const_cast<uint64_t *>($1->words)), JNI_ABORT);
}
%typemap(in, numinputs=0) libsched_swig::Longs *longs (libsched_swig::Longs made) "$1 = &made;"
%typemap(argout) libsched_swig::Longs *longs {
  $result = jenv->NewLongArray(static_cast<jsize>($1->size()));
  if ($result != nullptr)
    jenv->SetLongArrayRegion($result, 0, static_cast<jsize>($1->size()), reinterpret_cast<const jlong *>($1->data()));
}
%define %gives_longs(FUNCTION)
%typemap(jni) libsched_rc FUNCTION "jlongArray"
%typemap(jtype) libsched_rc FUNCTION "long[]"
%typemap(jstype) libsched_rc FUNCTION "long[]"
%typemap(javaout) libsched_rc FUNCTION { return $jnicall; }
%enddef
%gives_longs(libsched_filter_rows)
%gives_longs(libsched_score_rows)

%gives_longs(libsched_sim_node_ids)
%gives_longs(libsched_sim_pod_ids)
%gives_longs(libsched_sim_requested_of)
%gives_longs(libsched_sim_allocatable_of)
%gives_longs(libsched_sim_feasible_ids)
%gives_longs(libsched_sim_check_all)
%gives_longs(libsched_sim_copies_on)
%gives_longs(libsched_sim_place_all)
%gives_longs(libsched_sim_pack)
%gives_longs(libsched_sim_move)

// References and ids are long.
%apply long long { uint64_t pod, uint64_t node, uint64_t like, uint64_t ref };
%apply long long { uint64_t libsched_sim_find_node, uint64_t libsched_sim_node_ref, uint64_t libsched_sim_pod_ref,
                   uint64_t libsched_sim_pod_node };
%typemap(in, numinputs=0) uint64_t *number (uint64_t made = 0) "$1 = &made;"
%typemap(argout) uint64_t *number "$result = static_cast<jlong>(*$1);"
%apply uint64_t *number { uint64_t *ref };
%define %gives_long(FUNCTION)
%typemap(jni) libsched_rc FUNCTION "jlong"
%typemap(jtype) libsched_rc FUNCTION "long"
%typemap(jstype) libsched_rc FUNCTION "long"
%typemap(javaout) libsched_rc FUNCTION { return $jnicall; }
%enddef
%gives_long(libsched_catalog_add_pod)
%gives_long(libsched_catalog_add_node)
%gives_long(libsched_sim_add_node)
%gives_long(libsched_sim_add_pod)

// The value of a label, or null.
%define %label_of(FUNCTION)
%typemap(jni) bool FUNCTION "jbyteArray"
%typemap(jtype) bool FUNCTION "byte[]"
%typemap(jstype) bool FUNCTION "String"
%typemap(javaout) bool FUNCTION { return $imclassname.text($jnicall); }
%typemap(out) bool FUNCTION ""
%enddef
%label_of(libsched_pod_label)
%label_of(libsched_node_label)
%typemap(jni) (libsched_str key, libsched_str *value) "jbyteArray"
%typemap(jtype) (libsched_str key, libsched_str *value) "byte[]"
%typemap(jstype) (libsched_str key, libsched_str *value) "String"
%typemap(javain) (libsched_str key, libsched_str *value) "$imclassname.bytes($javainput)"
%typemap(in) (libsched_str key, libsched_str *value) (libsched_str lent = {nullptr, 0}) {
  $1 = libsched_str{nullptr, 0};
  $2 = &lent;
  if ($input != nullptr) {
    $1.ptr = reinterpret_cast<const char *>(jenv->GetByteArrayElements($input, nullptr));
    if ($1.ptr == nullptr) return $null;
    $1.len = static_cast<size_t>(jenv->GetArrayLength($input));
  }
}
%typemap(freearg) (libsched_str key, libsched_str *value) {
  if ($1.ptr != nullptr)
    jenv->ReleaseByteArrayElements($input, reinterpret_cast<jbyte *>(const_cast<char *>($1.ptr)), JNI_ABORT);
}
%typemap(argout, fragment="texts") (libsched_str key, libsched_str *value)
  "if ($2->ptr != nullptr) $result = bytes_of(jenv, *$2);"
%typemap(in, numinputs=0) uint32_t *row "$1 = nullptr;"

// Pods and nodes that are lent get a reference of their own.
%typemap(out) const libsched_pod * "*(libsched_pod **)&$result = libsched_pod_ref($1);"
%typemap(out) const libsched_node * "*(libsched_node **)&$result = libsched_node_ref($1);"

// The registry keeps a plugin alive that it has taken.
%typemap(javain) libsched_swig::Plugin *DISOWN "$javaclassname.getCPtrAndDisown($javainput)"
%typemap(javacode) libsched_swig::Plugin %{
  protected static long getCPtrAndDisown($javaclassname plugin) {
    if (plugin != null) {
      PluginMethods.check(plugin);
      plugin.swigReleaseOwnership();
    }
    return getCPtr(plugin);
  }
  protected void swigReleaseOwnership() { swigCMemOwn = false; }
  @Override public void close() { delete(); }
%}
// A plugin's exception becomes a C++ exception, which the shim turns into an Error status.
%feature("director:except") {
  jthrowable thrown = jenv->ExceptionOccurred();
  if (thrown != nullptr) throw Swig::DirectorException(jenv, thrown);
}
