package kube

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"libsched"
)

// PodProto is Pod for a message that is there already: in Kubernetes' protobuf, bare or in its envelope. It
// crosses to C each time.
func (c *Catalog) PodProto(message []byte) (libsched.PodRef, error) {
	return c.document(message, libsched.FormProtobuf, false)
}

// PlacedProto is Placed for a message.
func (c *Catalog) PlacedProto(message []byte) (libsched.PodRef, error) {
	return c.document(message, libsched.FormProtobuf, true)
}

// PodJSON is PodProto for a document in JSON or YAML, which is read as it is, without the API server's defaults.
func (c *Catalog) PodJSON(document []byte) (libsched.PodRef, error) {
	return c.document(document, libsched.FormText, false)
}

// PlacedJSON is Placed for a document.
func (c *Catalog) PlacedJSON(document []byte) (libsched.PodRef, error) {
	return c.document(document, libsched.FormText, true)
}

func (c *Catalog) document(document []byte, form libsched.Form, placed bool) (libsched.PodRef, error) {
	if c == nil {
		return 0, errNilCatalog
	}
	options := libsched.ContentOptions{Form: form, Placed: placed}
	if c.extra != nil {
		extra, err := c.extraOf(document, form)
		if err != nil {
			return 0, err
		}
		options.Extras = [][]byte{extra}
	}
	var refs [1]libsched.PodRef
	err := c.catalog.AddPods([][]byte{document}, refs[:], options)
	return refs[0], err
}

// extraOf decodes a document for Extra, which takes a pod.
func (c *Catalog) extraOf(document []byte, form libsched.Form) ([]byte, error) {
	var pod v1.Pod
	var err error
	if form == libsched.FormProtobuf {
		err = unmarshalProto(document, &pod)
	} else {
		var text []byte
		if text, err = yaml.ToJSON(document); err == nil {
			err = json.Unmarshal(text, &pod)
		}
	}
	if err != nil {
		return nil, &libsched.Error{Code: libsched.ErrInvalid, Msg: err.Error()}
	}
	return c.extra(&pod, nil), nil
}

// NodeProto is Node for a message, as PodProto.
func (c *Catalog) NodeProto(message []byte) (libsched.NodeRef, error) {
	return c.nodeDocument(message, libsched.FormProtobuf)
}

// NodeJSON is Node for a document in JSON or YAML, as PodJSON.
func (c *Catalog) NodeJSON(document []byte) (libsched.NodeRef, error) {
	return c.nodeDocument(document, libsched.FormText)
}

func (c *Catalog) nodeDocument(document []byte, form libsched.Form) (libsched.NodeRef, error) {
	if c == nil {
		return 0, errNilCatalog
	}
	var refs [1]libsched.NodeRef
	err := c.catalog.AddNodes([][]byte{document}, refs[:], libsched.ContentOptions{Form: form})
	return refs[0], err
}
