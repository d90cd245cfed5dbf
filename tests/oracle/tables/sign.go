// The table of signatures: the parts of a pod that each plugin signs.

package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/generate"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

// SignGroup is a configuration, a cluster and pods.
type SignGroup struct {
	Config  string            `json:"config"`
	Objects []json.RawMessage `json:"objects"`
	Rows    []SignRow         `json:"rows"`
}

// SignRow is a pod and the plugins' parts of its signature.
type SignRow struct {
	Pod     json.RawMessage            `json:"pod"`
	Plugins map[string]judge.Signature `json:"plugins"`
}

const signConfig = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

// signArgs lets pods be signed that the default profile cannot sign.
const signArgs = `profiles:
- pluginConfig:
  - name: PodTopologySpread
    args: {defaultingType: List, defaultConstraints: []}
  - name: InterPodAffinity
    args: {ignorePreferredTermsOfExistingPods: %v}
`

func signTable() (any, error) {
	pods, err := signPods()
	if err != nil {
		return nil, err
	}
	class := json.RawMessage(`{"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"name":"fpga"},"spec":{"extendedResourceName":"example.com/fpga"}}`)
	groups := []SignGroup{
		{Config: signConfig + fmt.Sprintf(signArgs, false), Objects: []json.RawMessage{class}},
		{Config: signConfig, Objects: []json.RawMessage{}},
		{Config: signConfig + fmt.Sprintf(signArgs, true), Objects: []json.RawMessage{}},
	}
	for i := range groups {
		some := pods
		if i > 0 {
			some = pods[:40]
		}
		config, err := json.Marshal(groups[i].Config)
		if err != nil {
			return nil, err
		}
		answers, err := judge.Signatures(context.Background(), &cases.Case{Config: config, Objects: groups[i].Objects, Pods: some})
		if err != nil {
			return nil, err
		}
		for k, p := range some {
			groups[i].Rows = append(groups[i].Rows, SignRow{p, answers[k]})
		}
	}
	return map[string]any{"kubernetes": kube.Kubernetes, "groups": groups}, nil
}

// writtenPods are specs in a form that Go would not write.
var writtenPods = []string{
	`{}`,
	`{"nodeSelector":{},"tolerations":[],"volumes":[],"affinity":{}}`,
	`{"nodeSelector":{"b":"<1>","a":"&"},"affinity":{"nodeAffinity":{}}}`,
	`{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{},{"matchExpressions":[{"key":"k","operator":"In","values":["b","a","b<"]},{"values":[],"operator":"Exists","key":"a\"b"}]}]},"preferredDuringSchedulingIgnoredDuringExecution":[]}}}`,
	`{"affinity":{"podAffinity":{}}}`,
	`{"affinity":{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}}`,
	`{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}]}`,
	`{"resourceClaims":[{"name":"c","resourceClaimName":"d"}]}`,
	`{"hostNetwork":true,"hostUsers":false,"nodeName":"a<b"}`,
	`{"containers":[{"name":"c","image":"a","restartPolicyRules":[{"action":"RestartAllContainers","exitCodes":{"operator":"In","values":[1]}}]}]}`,
	`{"containers":[{"name":"c","image":"a:1/b"},{"name":"d","image":"host:5/a:2"},{"name":"e"}]}`,
	`{"containers":[{"name":"c","resources":{"requests":{"example.com/fpga":"1"}}}]}`,
	`{"containers":[{"name":"c","resources":{"requests":{"example.com/fpga":"0","cpu":"1.5m","memory":"0.5","ephemeral-storage":"1e3","pods":"3","x":"1"}}}]}`,
	`{"containers":[{"name":"c","resources":{"requests":{"deviceclass.resource.kubernetes.io/fpga":"2"}}}]}`,
	`{"containers":[{"name":"c","resources":{"limits":{"example.com/gpu":"2"},"requests":{"hugepages-2Mi":"4Mi","example.com/a":"1k"}}}],"overhead":{"cpu":"1","example.com/z":"1"}}`,
	`{"tolerations":[{"value":"b","key":"k","effect":"NoExecute","tolerationSeconds":0},{"key":"k","value":"a","operator":"Equal","tolerationSeconds":-5},{"operator":"Exists"},{"key":"","operator":"Lt","value":"<"}]}`,
	`{"volumes":[{"name":"a"},{"name":"b","emptyDir":{}},{"emptyDir":{"sizeLimit":"1024Mi","medium":""},"name":"c"},{"name":"d","configMap":{"name":"x"}},{"name":"e","secret":{}},{"name":"f","configMap":null,"hostPath":{"type":"","path":"/<a>"}}]}`,
	`{"volumes":[{"name":"a","persistentVolumeClaim":{"claimName":"c","readOnly":false}},{"name":"b","persistentVolumeClaim":{"readOnly":true,"claimName":"\"q\""}},{"name":"c","persistentVolumeClaim":{"claimName":"c"},"configMap":{}},{"name":"d","emptyDir":{},"persistentVolumeClaim":{"claimName":"c"}}]}`,
	`{"volumes":[{"name":"a","projected":{"sources":[]}},{"name":"b","projected":{"sources":null,"defaultMode":420}},{"name":"c","projected":{"sources":[{},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},{"serviceAccountToken":{"path":"token","expirationSeconds":3607}},{"downwardAPI":{"items":[{"path":"ns","fieldRef":{"fieldPath":"metadata.namespace","apiVersion":"v1"}},{"path":"r","resourceFieldRef":{"resource":"limits.cpu","divisor":"1000m"}}]}}]}}]}`,
	`{"volumes":[{"name":"a","rbd":{"monitors":[],"image":"i"}},{"name":"b","rbd":{"image":"i","readOnly":true,"pool":"p"}},{"name":"c","azureDisk":{"diskName":"d","diskURI":"u","readOnly":false,"kind":""}},{"name":"d","scaleIO":{"gateway":"g","system":"s","secretRef":null}},{"name":"e","csi":{"driver":"d","volumeAttributes":{},"readOnly":false}}]}`,
	`{"volumes":[{"name":"a","ephemeral":{"volumeClaimTemplate":{"metadata":{"labels":{"b":"1","a":"2"},"creationTimestamp":null},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"2048Mi"},"limits":{}},"dataSource":{"kind":"k","name":"n"},"selector":{"matchExpressions":[{"key":"k","operator":"In","values":["b","a"]}]}}}}},{"name":"b","ephemeral":{}}]}`,
}

func signPods() (out []json.RawMessage, err error) {
	add := func(name, spec string) {
		out = append(out, json.RawMessage(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"b":"1","a":"<2>"}},"spec":%s}`, name, spec)))
	}
	for i, spec := range writtenPods {
		add(fmt.Sprintf("written-%d", i), spec)
	}
	for _, kind := range []string{"basic", "taints", "nodeaffinity", "podaffinity", "spread", "ports", "images", "volumes", "mixed"} {
		for seed := range uint64(12) {
			c, err := generate.Generate(kind, 7000+seed, generate.Options{Nodes: 4, Existing: 0, Pods: 3}, "evaluate", 0.1)
			if err != nil {
				return nil, err
			}
			for _, p := range c.Pods {
				// Names must differ between cases.
				out = append(out, json.RawMessage(strings.Replace(string(p), `"name":"pod-`, fmt.Sprintf(`"name":"%s-%d-`, kind, seed), 1)))
			}
		}
	}
	f := filler{rand.New(rand.NewPCG(20260102, 36))}
	for i := range 150 {
		spec := v1.PodSpec{}
		for k := range 1 + f.r.IntN(3) {
			v := v1.Volume{Name: fmt.Sprintf("v%d", k)}
			source := reflect.ValueOf(&v.VolumeSource).Elem()
			field := source.Field(f.r.IntN(source.NumField()))
			field.Set(reflect.New(field.Type().Elem()))
			f.fill(field.Elem(), 0)
			spec.Volumes = append(spec.Volumes, v)
		}
		for range f.r.IntN(5) {
			var t v1.Toleration
			f.fill(reflect.ValueOf(&t).Elem(), 0)
			spec.Tolerations = append(spec.Tolerations, t)
		}
		raw, err := json.Marshal(spec)
		if err != nil {
			return nil, err
		}
		var sorted any // keys in another order than Go's fields
		if err := json.Unmarshal(raw, &sorted); err != nil {
			return nil, err
		}
		if raw, err = json.Marshal(sorted); err != nil {
			return nil, err
		}
		add(fmt.Sprintf("filled-%d", i), string(raw))
	}
	return out, nil
}

// filler fills API types with random values.
type filler struct{ r *rand.Rand }

func (f filler) text() string {
	return []string{"", "a", "b", "x<y>&z", "q\"\\\n", "ä\u2028€", "long/text with spaces"}[f.r.IntN(7)]
}

func (f filler) fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case resource.Quantity:
		v.Set(reflect.ValueOf(resource.MustParse([]string{"0", "1", "1Gi", "1500Mi", "100m", "2e3", "12k", "1024"}[f.r.IntN(8)])))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.Time{Time: time.Date(2026, 1, 1+f.r.IntN(20), 1, 2, 3, 0, time.UTC)}))
		return
	case metav1.FieldsV1:
		v.Set(reflect.ValueOf(metav1.FieldsV1{Raw: []byte(`{"f:metadata":{}}`)}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Bool:
		v.SetBool(f.r.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, 420, 1 << 30}[f.r.IntN(5)])
	case reflect.Pointer:
		if f.r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		for range f.r.IntN(3) {
			item := reflect.New(v.Type().Elem()).Elem()
			f.fill(item, depth+1)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		if f.r.IntN(2) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range f.r.IntN(3) {
				key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				f.fill(key, depth+1)
				f.fill(item, depth+1)
				v.SetMapIndex(key, item)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	}
}
