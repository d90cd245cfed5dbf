// The documents of failing_stage.hpp.
#pragma once

namespace failing {

// --- the cluster: something of every kind that a state keeps ---

inline constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1, topology.kubernetes.io/zone: a, disk: ssd}}
status:
  allocatable: {cpu: "8", memory: 16Gi, pods: "20", example.com/gpu: "4"}
  images: [{names: [registry.example/app:1, registry.example/app@sha256:1], sizeBytes: 90000000}]
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2, topology.kubernetes.io/zone: b}}
spec: {taints: [{key: dedicated, value: batch, effect: PreferNoSchedule}]}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "20"}
  images: [{names: [registry.example/app:1], sizeBytes: 80000000}]
---
apiVersion: v1
kind: Node
metadata: {name: n3, labels: {kubernetes.io/hostname: n3, topology.kubernetes.io/zone: a}}
spec: {unschedulable: true}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p1, namespace: d, uid: u1, labels: {app: web}}
spec:
  nodeName: n1
  volumes: [{name: v, persistentVolumeClaim: {claimName: claim}}]
  containers:
  - name: c
    ports: [{containerPort: 80, hostPort: 8080}]
    resources: {requests: {cpu: 500m, memory: 1Gi, example.com/gpu: "1"}}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p2, namespace: d, uid: u2, labels: {app: web}}
spec: {nodeName: n2, containers: [{name: c, resources: {requests: {cpu: 250m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: early, namespace: d, uid: u3, labels: {app: db}}
spec: {nodeName: not-there-yet, containers: [{name: c, resources: {requests: {cpu: 250m}}}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: d, labels: {team: blue}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume, uid: pv1}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: "", claimRef: {namespace: d, name: claim, uid: c1}, hostPath: {path: /x}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim, namespace: d, uid: c1, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: volume, accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
)";

// The applied document: new, changed and removed objects of each kind, and an unread kind.
inline constexpr const char* kNews = R"(
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {kubernetes.io/hostname: n2, topology.kubernetes.io/zone: another-zone-with-a-long-name}}
status:
  allocatable: {cpu: "6", memory: 8Gi, pods: "20", example.com/a-resource-nobody-had-before: "4"}
  images: [{names: [registry.example/an-image-nobody-had-before:1], sizeBytes: 80000000}]
---
apiVersion: v1
kind: Node
metadata: {name: not-there-yet, labels: {kubernetes.io/hostname: not-there-yet, a-label-nobody-had-before: "true"}}
spec: {taints: [{key: a-taint-nobody-had-before, effect: PreferNoSchedule}]}
status: {allocatable: {cpu: "6", memory: 8Gi, pods: "20"}}
---
apiVersion: v1
kind: Pod
metadata: {name: p2, namespace: d, uid: u2, labels: {app: web}}
spec: {nodeName: n2, containers: [{name: c}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: p3, namespace: d, uid: u4, labels: {app: web, a-label-no-pod-had-before: "true"}}
spec:
  nodeName: n1
  volumes: [{name: v, persistentVolumeClaim: {claimName: a-claim-that-no-pod-had-before}}]
  containers:
  - name: c
    ports: [{containerPort: 80, hostPort: 8081}]
    resources: {requests: {cpu: 500m}}
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: a-topology-key-that-no-pod-had-before
        labelSelector: {matchExpressions: [{key: app, operator: In, values: [db, cache]}]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume, uid: pv1}
spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], storageClassName: a-class-nobody-had-before, hostPath: {path: /x}}
---
apiVersion: v1
kind: Namespace
metadata: {name: another-namespace, labels: {team: red}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: a-class-nobody-had-before}
provisioner: example.com/disks
)";

// The queries: spread, affinity, ports, images, volumes, resources and labels.
inline constexpr const char* kQuestions = R"(
apiVersion: v1
kind: Pod
metadata: {name: q1, namespace: d, uid: q1, labels: {app: web}}
spec:
  containers: [{name: c, image: "registry.example/app:1", ports: [{containerPort: 80, hostPort: 8080}], resources: {requests: {cpu: "1", example.com/gpu: "1"}}}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
---
apiVersion: v1
kind: Pod
metadata: {name: q2, namespace: d, uid: q2, labels: {app: db}}
spec:
  volumes: [{name: v, persistentVolumeClaim: {claimName: claim}}]
  containers: [{name: c, image: "registry.example/app:1", resources: {requests: {cpu: "1"}}}]
  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - {weight: 5, preference: {matchExpressions: [{key: disk, operator: In, values: [ssd]}]}}
    podAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 10
        podAffinityTerm: {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: web}}}
)";

inline constexpr const char* kConfig = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {enabled: [{name: Listener}]}}}]
)";

}  // namespace failing
