// Package kube carries objects of k8s.io/api to libsched in the flat form (docs/flat.md), which is
// written without reflection and, into a slice that is large enough, without allocation.
package kube

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

//go:generate go run -modfile=k8s-0.37.mod ./internal/generate

const (
	headerSize = 16
	version    = 1
	kindPod    = 1
	kindNode   = 2
	typeInt    = 1 // eight bytes
	typeBytes  = 2 // a length and so many bytes
)

// AppendPod appends the flat form of a pod to dst and returns the longer slice. The pod is only read.
// Any number of goroutines may call it.
func AppendPod(dst []byte, pod *v1.Pod) []byte {
	start := len(dst)
	dst = AppendPodContent(dst, pod)
	identity := len(dst)
	var mark int
	dst, mark = begin(append(dst, 1, typeBytes))
	dst = appendPodMetaIdentity(dst, &pod.ObjectMeta)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 3, typeBytes))
	dst = appendPodStatusIdentity(dst, &pod.Status)
	dst = endOrDrop(dst, mark)
	binary.LittleEndian.PutUint32(dst[start+12:], uint32(len(dst)-identity))
	return dst
}

// AppendPodContent is AppendPod without the second part, which no filter of libsched reads. The bytes
// are equal for pods of equal content, so they serve as a key.
func AppendPodContent(dst []byte, pod *v1.Pod) []byte {
	start := len(dst)
	var mark int
	dst = appendHeader(dst, kindPod)
	dst, mark = begin(append(dst, 1, typeBytes))
	dst = appendPodMetaContent(dst, &pod.ObjectMeta)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 2, typeBytes))
	dst = appendPodSpec(dst, &pod.Spec)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 3, typeBytes))
	dst = appendPodStatusContent(dst, &pod.Status)
	dst = endOrDrop(dst, mark)
	binary.LittleEndian.PutUint32(dst[start+8:], uint32(len(dst)-start-headerSize))
	return dst
}

// AppendNode is AppendPod for nodes.
func AppendNode(dst []byte, node *v1.Node) []byte {
	start := len(dst)
	dst = AppendNodeContent(dst, node)
	identity := len(dst)
	var mark int
	dst, mark = begin(append(dst, 1, typeBytes))
	dst = appendNodeMetaIdentity(dst, &node.ObjectMeta)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 3, typeBytes))
	dst = appendNodeStatusIdentity(dst, &node.Status)
	dst = endOrDrop(dst, mark)
	binary.LittleEndian.PutUint32(dst[start+12:], uint32(len(dst)-identity))
	return dst
}

// AppendNodeContent is AppendPodContent for nodes. Name and hostname label are of the second part.
func AppendNodeContent(dst []byte, node *v1.Node) []byte {
	start := len(dst)
	var mark int
	dst = appendHeader(dst, kindNode)
	dst, mark = begin(append(dst, 1, typeBytes))
	dst = appendNodeMetaContent(dst, &node.ObjectMeta)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 2, typeBytes))
	dst = appendNodeSpec(dst, &node.Spec)
	dst = endOrDrop(dst, mark)
	dst, mark = begin(append(dst, 3, typeBytes))
	dst = appendNodeStatusContent(dst, &node.Status)
	dst = endOrDrop(dst, mark)
	binary.LittleEndian.PutUint32(dst[start+8:], uint32(len(dst)-start-headerSize))
	return dst
}

func appendHeader(dst []byte, kind byte) []byte {
	return append(dst, 'L', 'S', 'F', version, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

// begin leaves room for a length that is not known yet; mark is where the bytes that it counts begin.
func begin(dst []byte) (longer []byte, mark int) {
	dst = append(dst, 0, 0, 0, 0)
	return dst, len(dst)
}

func end(dst []byte, mark int) {
	binary.LittleEndian.PutUint32(dst[mark-4:], uint32(len(dst)-mark))
}

// endOrDrop takes back a field whose record is empty.
func endOrDrop(dst []byte, mark int) []byte {
	if len(dst) == mark {
		return dst[:mark-6]
	}
	end(dst, mark)
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
}

func appendInt(dst []byte, n int64) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(n))
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return appendInt(dst, 1)
	}
	return appendInt(dst, 0)
}

// appendQuantity writes the canonical text, behind dst in its own memory.
func appendQuantity(dst []byte, q *resource.Quantity) []byte {
	dst = slices.Grow(dst, 64)
	mark := len(dst) + 4
	if n, ok := q.AsInt64(); ok && q.Format == resource.BinarySI && n >= 1024 {
		// The common memory sizes, whose suffix CanonicalizeBytes would allocate.
		power := min(bits.TrailingZeros64(uint64(n))/10, 6)
		dst = strconv.AppendInt(dst[:mark], n>>(10*power), 10)
		dst = append(dst, [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}[power]...)
		end(dst, mark)
		return dst
	}
	number, suffix := q.CanonicalizeBytes(dst[mark:mark])
	dst = append(append(dst[:mark], number...), suffix...)
	end(dst, mark)
	return dst
}

const fewKeys = 32 // as many keys are sorted without allocation

func appendTexts(dst []byte, m map[string]string) []byte {
	return appendLabels(dst, m, "")
}

func appendLabels(dst []byte, m map[string]string, without string) []byte {
	var few [fewKeys]string
	keys := few[:0]
	for key := range m {
		if without == "" || key != without {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	dst, mark := begin(dst)
	for _, key := range keys {
		dst = appendText(appendText(dst, key), m[key])
	}
	end(dst, mark)
	return dst
}

func appendResources(dst []byte, m v1.ResourceList) []byte {
	var few [fewKeys]v1.ResourceName
	keys := few[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	dst, mark := begin(dst)
	for _, key := range keys {
		q := m[key]
		dst = appendQuantity(appendText(dst, string(key)), &q)
	}
	end(dst, mark)
	return dst
}

// appendNodeLabels writes all labels but the hostname.
func appendNodeLabels(dst []byte, m map[string]string) []byte {
	return appendLabels(dst, m, v1.LabelHostname)
}

// appendHostname writes the field of labels with the hostname alone, or nothing.
func appendHostname(dst []byte, m map[string]string) []byte {
	name, ok := m[v1.LabelHostname]
	if !ok {
		return dst
	}
	dst, mark := begin(append(dst, 11, typeBytes))
	dst = appendText(appendText(dst, v1.LabelHostname), name)
	end(dst, mark)
	return dst
}
