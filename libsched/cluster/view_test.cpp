// This file does not compile if a View can change anything. It names each change and each prefetch
// of State: they exist in State and not in View.
#include "libsched/cluster/view.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>

#include "libsched/cluster/cluster.hpp"

namespace libsched::view_test {

// Only State makes, copies, moves, assigns and destroys views.
static_assert(!std::is_default_constructible_v<View>);
static_assert(!std::is_constructible_v<View, NodeOrder>);
static_assert(!std::is_constructible_v<View, const View&> && !std::is_constructible_v<View, View>);
static_assert(!std::is_assignable_v<View&, const View&> && !std::is_assignable_v<View&, View>);
static_assert(!std::is_destructible_v<View>);
static_assert(std::is_base_of_v<View, State> && std::is_final_v<State>);
static_assert(!std::is_convertible_v<const View&, const State&>);
static_assert(!std::is_constructible_v<State, const View&>);

// Those who hand out the state hand out a const View.
static_assert(std::is_same_v<decltype(std::declval<Cluster&>().view()), const View&>);
static_assert(std::is_same_v<decltype(std::declval<const Cluster&>().view()), const View&>);
static_assert(std::is_same_v<decltype(std::declval<Snapshot&>().view()), const View&>);

// Even a View that is not const returns values or const objects.
#define GIVES_CONST(...)                                                           \
  static_assert(std::is_const_v<std::remove_reference_t<decltype(__VA_ARGS__)>> || \
                !std::is_reference_v<decltype(__VA_ARGS__)>)
#define VIEW std::declval<View&>()
GIVES_CONST(VIEW.row(0));
GIVES_CONST(VIEW.slot(0));
GIVES_CONST(VIEW.live());
GIVES_CONST(VIEW.unschedulable());
GIVES_CONST(VIEW.rows_with_ports());
GIVES_CONST(VIEW.columns());
GIVES_CONST(VIEW.labels());
GIVES_CONST(VIEW.taint_sets());
GIVES_CONST(VIEW.images());
GIVES_CONST(VIEW.tables());
GIVES_CONST(VIEW.existing_terms());
GIVES_CONST(VIEW.order());
GIVES_CONST(VIEW.objects());
GIVES_CONST(VIEW.log());
static_assert(std::is_same_v<decltype(VIEW.node(0)), const Node*>);
static_assert(std::is_same_v<decltype(VIEW.find_namespace("")), const Namespace*>);
#undef VIEW
#undef GIVES_CONST

// Changes and prefetches are State's alone.
#define STATE_ALONE(name)                                  \
  template <typename T>                                    \
  concept Has_##name = requires { &T::name; };             \
  static_assert(Has_##name<State>, "State has no " #name); \
  static_assert(!Has_##name<View>, "View has " #name)
STATE_ALONE(acquire_row);
STATE_ALONE(release_row);
STATE_ALONE(undo_acquire_row);
STATE_ALONE(undo_release_row);
STATE_ALONE(attach_node);
STATE_ALONE(detach_node);
STATE_ALONE(undo_attach_node);
STATE_ALONE(undo_detach_node);
STATE_ALONE(tree_add);
STATE_ALONE(tree_remove);
STATE_ALONE(undo_tree_add);
STATE_ALONE(undo_tree_remove);
STATE_ALONE(expect_pods);
STATE_ALONE(add_pod);
STATE_ALONE(release_slot);
STATE_ALONE(undo_release_slot);
STATE_ALONE(detach_pod);
STATE_ALONE(undo_add_pod);
STATE_ALONE(undo_detach_pod);
STATE_ALONE(set_assumed);
STATE_ALONE(reserve_ports);
STATE_ALONE(add_ports);
STATE_ALONE(remove_ports);
STATE_ALONE(undo_add_ports);
STATE_ALONE(undo_remove_port);
STATE_ALONE(replace_order);
STATE_ALONE(collect_ids);
STATE_ALONE(touch);
STATE_ALONE(restore_stamps);
STATE_ALONE(fetch_pod);
STATE_ALONE(fetch_name);
STATE_ALONE(fetch_ids);
STATE_ALONE(fetch_row);
STATE_ALONE(fetch_row_pods);
STATE_ALONE(fetch_slot);
#undef STATE_ALONE

template <typename T>
concept Prefetches = requires(const T& t) { t.fetch(0U); };
static_assert(!Prefetches<Columns>);

TEST_CASE("the view of a cluster follows its changes, and that of a snapshot does not") {
  const Ref<Cluster> cluster = make_ref<Cluster>();
  const View& view = cluster->view();
  const SnapshotRef before = cluster->snapshot();
  const Ref<Node> node = make_ref<Node>();
  node->meta.name = node->meta.uid = node->arena.copy("n1");
  node->meta.key_hash = object_key_hash("", node->meta.name);
  REQUIRE(cluster->update_node(node).ok());
  CHECK(view.node_count() == 1);
  CHECK(before->view().node_count() == 0);
  CHECK(cluster->snapshot()->view().find_node("n1") == view.find_node("n1"));
}

}  // namespace libsched::view_test
