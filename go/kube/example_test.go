package kube_test

import (
	"context"
	"fmt"
	"log"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched/kube"
)

func node(name, cpu string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: v1.NodeStatus{Allocatable: v1.ResourceList{
		"cpu": resource.MustParse(cpu), "memory": resource.MustParse("16Gi"), "pods": resource.MustParse("110")}}}
}

func pod(name, cpu, on string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"}, Spec: v1.PodSpec{NodeName: on,
		Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
			"cpu": resource.MustParse(cpu)}}}}}}
}

// ExampleSim simulates the removal of a node of a cluster as informers know it.
func ExampleSim() {
	ctx := context.Background()
	fw, _ := libsched.NewFramework()
	catalog, _ := kube.NewCatalog(kube.CatalogOptions{})
	sim, err := kube.NewSim(fw, catalog)
	if err != nil {
		log.Fatal(err)
	}
	defer sim.Close()
	loaded, err := sim.ResetTo([]*v1.Node{node("n0", "2"), node("n1", "4"), node("n2", "4")},
		[]*v1.Pod{pod("a", "1", "n0"), pod("b", "2", "n1"), pod("c", "3", "n2")})
	if err != nil {
		log.Fatal(err)
	}
	for i, id := range loaded.Nodes {
		move := sim.PodsOn(id, nil)
		hits := make([]libsched.Hit, len(move))
		ok, err := sim.Remove(ctx, id, move, nil, libsched.RemoveOptions{Ghost: sim.NodeRef(loaded.Nodes[i])}, hits)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(sim.Name(id), "can go:", ok)
	}
	_, err = catalog.Age(10) // once in a loop
	fmt.Println(err)
	// Output:
	// n0 can go: true
	// n1 can go: false
	// n2 can go: false
	// <nil>
}

// ExampleFollower keeps a Sim like a cluster, by the events of informers.
func ExampleFollower() {
	fw, _ := libsched.NewFramework()
	catalog, _ := kube.NewCatalog(kube.CatalogOptions{})
	sim, err := kube.NewSim(fw, catalog)
	if err != nil {
		log.Fatal(err)
	}
	defer sim.Close()
	follower := kube.NewFollower(sim) // informer.AddEventHandler(follower)
	follower.OnAdd(pod("a", "1", "n0"), true)
	follower.OnAdd(node("n0", "2"), true)
	fmt.Println(follower.Sync(), sim.NodeCount(), sim.PodCount())
	follower.OnDelete(pod("a", "1", "n0"))
	fmt.Println(follower.Sync(), sim.NodeCount(), sim.PodCount())
	// Output:
	// <nil> 1 1
	// <nil> 1 0
}
