// Pods from bytes: upstream's decoders, and the PodInfo that the scheduler makes of each pod.

package peer

import (
	"encoding/json"
	"fmt"
	"os"
	goruntime "runtime"
	"slices"

	v1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// IngestResult is the CPU time of one pod, from bytes to PodInfo.
type IngestResult struct {
	What  string  `json:"what"`
	Pods  int     `json:"pods"`
	Bytes int     `json:"bytes_per_pod"`
	NS    int64   `json:"cpu_ns_per_pod_min"`
	Runs  []int64 `json:"cpu_ns_per_pod_runs"`
}

// benchIngest reads the pods of a List, each as a document of its own.
func benchIngest(out *BenchResult, path string, runs int) error {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	decoder := scheme.Codecs.UniversalDeserializer()
	encoder := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	doors := []struct {
		name string
		docs [][]byte
	}{{"json", nil}, {"protobuf", nil}}
	for _, item := range list.Items {
		object, _, err := decoder.Decode(item, nil, nil)
		if err != nil {
			return err
		}
		message, err := kruntime.Encode(scheme.Codecs.EncoderForVersion(encoder, v1.SchemeGroupVersion), object)
		if err != nil {
			return err
		}
		doors[0].docs = append(doors[0].docs, item)
		doors[1].docs = append(doors[1].docs, message)
	}
	for _, door := range doors {
		r := IngestResult{What: door.name, Pods: len(door.docs)}
		for _, doc := range door.docs {
			r.Bytes += len(doc)
		}
		r.Bytes /= max(1, r.Pods)
		for range runs {
			infos := make([]*framework.PodInfo, 0, r.Pods)
			goruntime.GC()
			start := cpuTime()
			for _, doc := range door.docs {
				object, _, err := decoder.Decode(doc, nil, nil)
				if err != nil {
					return err
				}
				info, err := framework.NewPodInfo(object.(*v1.Pod))
				if err != nil {
					return err
				}
				infos = append(infos, info)
			}
			r.Runs = append(r.Runs, (cpuTime()-start)/int64(max(1, r.Pods)))
			goruntime.KeepAlive(infos)
		}
		r.NS = slices.Min(r.Runs)
		out.Ingest = append(out.Ingest, r)
	}
	return nil
}
