package main

// The doors for pods of k8s.io/api: as JSON, as protobuf and in the flat form. `write` is Go's part,
// `read` libsched's, from prepared bytes.

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	"libsched"
	"libsched/kube"
)

type door struct {
	name  string
	write func(into []byte, pod *v1.Pod) ([]byte, error)
	read  func(document []byte, options ...libsched.ParseOption) (*libsched.Pod, error)
}

var doors = []door{
	{"json", func(into []byte, pod *v1.Pod) ([]byte, error) {
		text, err := json.Marshal(pod)
		return append(into, text...), err
	}, libsched.ParsePod},
	{"protobuf", func(into []byte, pod *v1.Pod) ([]byte, error) {
		size := pod.Size()
		if cap(into) < size {
			into = make([]byte, size)
		}
		into = into[:size]
		_, err := pod.MarshalToSizedBuffer(into)
		return into, err
	}, libsched.PodFromProtobuf},
	{"flat", func(into []byte, pod *v1.Pod) ([]byte, error) { return kube.AppendPod(into, pod), nil }, libsched.PodFromFlat},
}

func (b *bench) ingest() error {
	text, err := os.ReadFile(b.documents)
	if err != nil {
		return err
	}
	var list struct{ Items []v1.Pod }
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", b.documents, err)
	}
	pods := list.Items
	if len(pods) == 0 {
		return fmt.Errorf("%s has no pods", b.documents)
	}
	for _, d := range doors {
		documents, bytes := make([][]byte, len(pods)), 0
		for i := range pods {
			if documents[i], err = d.write(nil, &pods[i]); err != nil {
				return err
			}
			bytes += len(documents[i])
		}
		counters := map[string]float64{"objects": float64(len(pods)), "bytes_per_pod": float64(bytes) / float64(len(pods))}
		write := figure{Name: "doors/" + d.name + "/write", Counters: counters}
		read := figure{Name: "doors/" + d.name + "/read", Counters: counters}
		var buffer []byte
		for range b.runs {
			runtime.GC()
			start := cpuTime()
			for i := range pods {
				if buffer, err = d.write(buffer[:0], &pods[i]); err != nil {
					return err
				}
			}
			write.Times = append(write.Times, perPod(cpuTime()-start, pods))
			read.Times = append(read.Times, 0)
			if read.Times[len(read.Times)-1], err = d.readAll(documents, pods); err != nil {
				return err
			}
		}
		b.figures = append(b.figures, write, read)
	}
	return nil
}

// readAll returns the CPU time of a pod; what Close costs is not counted.
func (d door) readAll(documents [][]byte, pods []v1.Pod) (float64, error) {
	read := make([]*libsched.Pod, 0, len(documents))
	runtime.GC()
	start := cpuTime()
	for _, document := range documents {
		pod, err := d.read(document)
		if err != nil {
			return 0, err
		}
		read = append(read, pod)
	}
	spent := perPod(cpuTime()-start, pods)
	for i, pod := range read {
		if pod.Name() != pods[i].Name {
			return 0, fmt.Errorf("%s: pod %d is %s, not %s", d.name, i, pod.Name(), pods[i].Name)
		}
	}
	return spent, nil
}

func perPod(spent time.Duration, pods []v1.Pod) float64 {
	return float64(spent) / float64(len(pods))
}
