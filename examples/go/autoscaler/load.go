package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// cluster has the objects of a dump.
type cluster struct {
	nodes            []*v1.Node
	running, waiting []*v1.Pod
	others           []runtime.Object // that filters read
}

// load reads a List of `kubectl get -o json` or yaml.
func load(path string) (*cluster, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".gz") {
		unpacked, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if data, err = io.ReadAll(unpacked); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if data, err = yaml.ToJSON(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &cluster{}
	for i, item := range list.Items {
		if err := c.add(item); err != nil {
			return nil, fmt.Errorf("%s: items[%d]: %w", path, i, err)
		}
	}
	return c, nil
}

func (c *cluster) add(item []byte) error {
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(item, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "Node":
		c.nodes = append(c.nodes, &v1.Node{})
		return json.Unmarshal(item, c.nodes[len(c.nodes)-1])
	case "Pod":
		return c.addPod(item)
	case "Namespace":
		return c.addOther(item, &v1.Namespace{})
	case "PersistentVolume":
		return c.addOther(item, &v1.PersistentVolume{})
	case "PersistentVolumeClaim":
		return c.addOther(item, &v1.PersistentVolumeClaim{})
	case "StorageClass":
		return c.addOther(item, &storagev1.StorageClass{})
	case "CSINode":
		return c.addOther(item, &storagev1.CSINode{})
	}
	return nil // no filter reads it
}

func (c *cluster) addOther(item []byte, object runtime.Object) error {
	c.others = append(c.others, object)
	return json.Unmarshal(item, object)
}

func (c *cluster) addPod(item []byte) error {
	pod := &v1.Pod{}
	if err := json.Unmarshal(item, pod); err != nil {
		return err
	}
	switch {
	case pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed || len(pod.Spec.SchedulingGates) > 0:
	case pod.Spec.NodeName != "":
		c.running = append(c.running, pod)
	default:
		c.waiting = append(c.waiting, pod)
	}
	return nil
}
