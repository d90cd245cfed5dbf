// Command ordered makes upstream's scheduler of 1.37 walk over groups of pods in the order of their
// names, where it walks over maps. A run of a case with trees of groups would otherwise be one of
// very many. It changes a copy of upstream's sources:
//
//	ordered FOLDER
//
// FOLDER has the copy of k8s.io/kubernetes. Nothing but the order changes; of placements with equal
// scores the first by name is taken, where upstream draws lots.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// edit replaces a text, which stands in the file so often.
type edit struct {
	count    int
	old, new string
}

const byKey = `

// inOrder yields the entries of a map by the text of the keys.
func inOrder[K comparable, V any](m map[K]V) iter.Seq2[K, V] {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b K) int { return cmp.Compare(orderOf(a), orderOf(b)) })
	return func(yield func(K, V) bool) {
		for _, key := range keys {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

func orderOf(key any) string {
	if p, ok := key.(*fwk.Placement); ok {
		return p.Name
	}
	return fmt.Sprint(key)
}
`

var files = []struct {
	path    string
	imports []string // of the changed file
	edits   []edit
	added   string
}{
	{"pkg/scheduler/schedule_one_podgroup.go", []string{"cmp", "slices"}, []edit{
		{1, "range podGroupInfo.QueuedPodInfos {", "range inOrder(podGroupInfo.QueuedPodInfos) {"},
		{1, "for _, res := range results {", "for _, res := range inOrder(results) {"},
		{1, "range podGroupResults {", "range inOrder(podGroupResults) {"},
		{1, "for placement, result := range successfulResults {", "for placement, result := range inOrder(successfulResults) {"},
		{1, "for placement, subtreeResults := range successfulResults {", "for placement, subtreeResults := range inOrder(successfulResults) {"},
		{1, "scores[i].Randomizer = rand.Int()", "scores[i].Randomizer = 0"},
		{1, "range pgi.Children {\n\t\t\t\tif !walk", "range pgi.GetChildGroups() {\n\t\t\t\tif !walk"},
	}, byKey},
	{"pkg/scheduler/framework/types.go", []string{"cmp", "iter", "maps"}, []edit{
		{1, "\tfor _, list := range pgqi.QueuedPodInfos {\n\t\tfor _, pInfo := range list {\n\t\t\tok := fn", "\tfor _, list := range inOrder(pgqi.QueuedPodInfos) {\n\t\tfor _, pInfo := range list {\n\t\t\tok := fn"},
	}, byKey},
	{"pkg/scheduler/backend/queue/pod_group_member_pods.go", []string{"slices"}, []edit{
		{1, "\t\treturn pInfoList\n", "\t\tslices.SortFunc(pInfoList, framework.PodGroupMemberPodsOrderingFunc)\n\t\treturn pInfoList\n"},
	}, ""},
	{"pkg/scheduler/backend/queue/scheduling_queue.go", []string{"cmp", "slices"}, []edit{
		{2, "pgs := p.workloadForest.getLeafPodGroups(logger, rootInfoLookup)", "pgs := byName(p.workloadForest.getLeafPodGroups(logger, rootInfoLookup))"},
	}, `

func byName(groups []*schedulingv1beta1.PodGroup) []*schedulingv1beta1.PodGroup {
	slices.SortFunc(groups, func(a, b *schedulingv1beta1.PodGroup) int { return cmp.Compare(a.Name, b.Name) })
	return groups
}
`},
	{"pkg/scheduler/backend/cache/podgroupstate.go", []string{"cmp", "slices"}, []edit{
		{1, "\treturn scheduledPods\n", "\tslices.SortFunc(scheduledPods, func(a, b *v1.Pod) int { return cmp.Compare(a.Name, b.Name) })\n\treturn scheduledPods\n"},
		{1, "\treturn children\n", "\tslices.SortFunc(children, func(a, b fwk.EntityKey) int { return cmp.Compare(a.Name, b.Name) })\n\treturn children\n"},
	}, ""},
}

func change(module string) error {
	for _, f := range files {
		path := filepath.Join(module, f.path)
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(raw)
		for _, e := range f.edits {
			if n := strings.Count(text, e.old); n != e.count {
				return fmt.Errorf("%s has %q %d times, not %d", path, e.old, n, e.count)
			}
			text = strings.ReplaceAll(text, e.old, e.new)
		}
		var more strings.Builder
		for _, name := range f.imports {
			if !strings.Contains(text, "\t\""+name+"\"\n") {
				fmt.Fprintf(&more, "\t%q\n", name)
			}
		}
		text = strings.Replace(text, "import (\n", "import (\n"+more.String(), 1) + f.added
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ordered FOLDER")
		os.Exit(2)
	}
	if err := change(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "ordered:", err)
		os.Exit(1)
	}
}
