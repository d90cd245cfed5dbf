// Package documents decodes texts with the real decoders: manifests with kubectl's, and
// configurations with kube-scheduler's.
package documents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"unicode"

	"libsched.dev/tests/oracle/judge"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	config "k8s.io/kubernetes/pkg/scheduler/apis/config"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// Question is a text and its reader: "manifests" or "config".
type Question struct {
	Reader string `json:"reader"`
	Text   []byte `json:"text"`
}

// Answer is the error, or the objects of manifests as JSON, Lists taken apart.
type Answer struct {
	Error   string            `json:"error,omitempty"`
	Objects []json.RawMessage `json:"objects,omitempty"`
}

// Command answers each question on standard input, a line each.
func Command([]string) error {
	judge.Quiet()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q Question
			if err := json.Unmarshal(line, &q); err != nil {
				return err
			}
			answer, err := json.Marshal(Decode(q))
			if err != nil {
				return err
			}
			out.Write(append(answer, '\n'))
			if in.Buffered() == 0 { // a client that waits for this answer sends nothing before it
				out.Flush()
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Decode answers one question.
func Decode(q Question) Answer {
	if q.Reader == "config" {
		if err := decodeConfig(q.Text); err != nil {
			return Answer{Error: err.Error()}
		}
		return Answer{}
	}
	var a Answer
	if err := decodeManifests(q.Text, &a.Objects); err != nil {
		return Answer{Error: err.Error()}
	}
	return a
}

// decodeConfig decodes a text as kube-scheduler decodes the file of --config.
func decodeConfig(text []byte) error {
	obj, _, err := configscheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return err
	}
	cfg, ok := obj.(*config.KubeSchedulerConfiguration)
	if !ok {
		return errors.New("not a KubeSchedulerConfiguration")
	}
	return validation.ValidateKubeSchedulerConfiguration(cfg)
}

// decodeManifests decodes a text as kubectl decodes a file: a stream of documents, each an object or a
// List. Checks that kubectl leaves to the API server use the API's types.
func decodeManifests(text []byte, objects *[]json.RawMessage) error {
	// kubectl looks at the first 4096 bytes.
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	found := false
	for {
		var raw runtime.RawExtension
		if err := decoder.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		document := bytes.TrimFunc(raw.Raw, unicode.IsSpace)
		if len(document) == 0 || bytes.Equal(document, []byte("null")) {
			continue
		}
		found = true
		if err := decodeObject(document, objects); err != nil {
			return err
		}
	}
	if !found {
		return errors.New("no objects")
	}
	return nil
}

func decodeObject(document []byte, objects *[]json.RawMessage) error {
	obj, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(document, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return add(document, objects)
	}
	if err != nil {
		return err
	}
	if list, ok := obj.(*v1.List); ok {
		for _, item := range list.Items {
			if err := decodeObject(item.Raw, objects); err != nil {
				return err
			}
		}
		return nil
	}
	if accessor, err := meta.Accessor(obj); err != nil || accessor.GetName() == "" {
		return errors.New("resource name may not be empty")
	}
	return add(document, objects)
}

// add appends the object as its decoder sees it: bytes that are no UTF-8 become U+FFFD, and of a key
// that is there twice the last one counts.
func add(document []byte, objects *[]json.RawMessage) error {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	normal, err := json.Marshal(value)
	*objects = append(*objects, normal)
	return err
}
