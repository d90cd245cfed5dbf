// Package libsched is the Kubernetes scheduling framework as a library. It determines on which nodes a
// pod fits, and why not on the others, with the verdicts and reason texts of kube-scheduler.
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
// With CheckOptions.Score the answer also has the scores of these nodes: [Decision.Scores].
// [Framework.RunCycle] chooses a node as kube-scheduler does, and [Framework.Assume] puts the pod on it.
//
// # Plugins
//
// A plugin is a type with a method Name and the methods of [FilterPlugin], [ScorePlugin] or any other
// extension point. [AddPlugin] puts it into a [Registry]. A configuration says where it is enabled, and with what
// arguments; one that names it in no profile has it at all of its points ([WithRegistry]):
//
//	registry, err := libsched.NewRegistry()
//	err = libsched.AddPlugin(registry, "Mine", func(args json.RawMessage) (*Mine, error) {
//		return &Mine{}, nil
//	})
//	fw, err := libsched.NewFramework(libsched.WithRegistry(registry), libsched.WithConfigYAML(config))
//
// [Registry.Register] takes a factory of upstream's form, with a context and a [Handle], and
// [Registry.Load] loads plugins in C or C++ from a shared object.
//
// The other Run methods of Framework run the extension points from PostFilter to PostBind; they use the
// [Services] of the cluster.
//
// # Schedulers, queues and simulations
//
// A [Scheduler] runs the queue and the cycles around a cluster, with an [APIClient] of the program. A
// [SchedulingQueue] is upstream's scheduling queue. A [Simulation] runs a whole scheduler, with the pods of
// a [TimedWorkload], on a virtual clock.
//
// # Verdicts and errors
//
// "The pod does not fit" is a verdict: a [Status], with upstream's methods, nil for Success. A failed
// call (a closed handle, a missing node) is an [Error], which works with
// errors.Is and the constants [ErrNotFound], [ErrExists] and so on. A method that returns only a Status
// returns such an error as a Status with code [CodeError] whose AsError returns it.
//
// # Goroutines
//
// All types are safe for use by several goroutines. Calls on one Cluster exclude each other, so
// goroutines that only query should use a Snapshot, where they run concurrently. A CycleState
// belongs to one pod's cycle; calls that fill it exclude each other.
//
// # Memory
//
// Values that hold memory of the library have a Close method. Closing twice is allowed, a call after
// Close gives [ErrClosed], and Close does not interrupt a call that runs in another goroutine. A value
// that is never closed is released some time after it has become unreachable.
package libsched

//go:generate go run ./internal/nocgo
