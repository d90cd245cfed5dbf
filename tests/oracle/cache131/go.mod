module k8s.io/kubernetes/pkg/scheduler/cache131

go 1.26.0

require k8s.io/kubernetes v1.31.14
