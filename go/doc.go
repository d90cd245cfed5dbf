// Package libsched is the Kubernetes scheduling framework as a library: does this pod fit, on which
// nodes, and why not on the others, with the verdicts and reason texts of kube-scheduler.
//
// A [Framework] is a scheduler profile with its plugins. A [Cluster] holds nodes and pods, with
// cheap what-ifs (Fork, Commit, Revert); a [Snapshot] is an immutable copy. Queries take either of
// them as a [View]:
//
//	fw, err := libsched.NewFramework()
//	cluster, err := libsched.NewCluster()
//	defer cluster.Close()
//	err = cluster.ApplyFile("cluster.yaml")
//	pod, err := libsched.ParsePod(manifest)
//	fit, err := fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{})
//	fmt.Println(fit.Feasible(), fit.FitError())
//
// With CheckOptions.Score the answer says how good each of these nodes is, too: [Decision.Scores].
// [Framework.RunCycle] chooses a node as kube-scheduler does, and [Framework.Assume] puts the pod on it.
//
// # Plugins
//
// A type with a method Name and those of [FilterPlugin], [ScorePlugin] or any other extension point is a
// plugin; [AddPlugin] puts it into a [Registry], and a configuration enables it:
//
//	registry, err := libsched.NewRegistry()
//	err = libsched.AddPlugin(registry, "Mine", func(args json.RawMessage) (*Mine, error) {
//		return &Mine{}, nil
//	})
//	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML(config))
//
// [Registry.Register] takes a factory of upstream's form, with a context and a [Handle], and
// [Registry.Load] plugins in C or C++ from a shared object.
//
// What a cycle does after the choice of a node, from PostFilter to PostBind, are the further Run
// methods of Framework; they go by the [Services] of the cluster.
//
// # Verdicts and errors
//
// "The pod does not fit" is a verdict: a [Status], with upstream's methods, nil for Success. That a
// call could not be made (a closed handle, a node that is not there) is an [Error], which works with
// errors.Is and the constants [ErrNotFound], [ErrExists] and so on. Where a method returns a Status
// alone, such an error is a Status with code [CodeError] whose AsError returns it.
//
// # Goroutines
//
// Everything may be used from several goroutines. Calls on one Cluster exclude each other, so
// goroutines that only ask should do so on a Snapshot, where they run side by side. A CycleState
// belongs to one pod's cycle; calls that fill it exclude each other.
//
// # Memory
//
// Values that hold memory of the library have a Close method. Closing twice is fine, a call after
// Close gives [ErrClosed], and a call that runs meanwhile in another goroutine ends first. What is
// never closed is released some time after it has become unreachable.
package libsched
