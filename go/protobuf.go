//go:build cgo

package libsched

// PodFromProtobuf reads one Pod in Kubernetes' protobuf encoding: the bytes of Marshal, or those in etcd and
// in answers of the API server, which have an envelope. Errors: as ParsePod.
func PodFromProtobuf(message []byte, options ...ParseOption) (*Pod, error) {
	return ParsePod(message, append(options[:len(options):len(options)], protobuf())...)
}

// NodeFromProtobuf reads one Node in Kubernetes' protobuf encoding, as PodFromProtobuf does. Errors: as ParseNode.
func NodeFromProtobuf(message []byte, options ...ParseOption) (*Node, error) {
	return ParseNode(message, append(options[:len(options):len(options)], protobuf())...)
}
