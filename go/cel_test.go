package libsched_test

import (
	"errors"
	"strings"
	"testing"

	"libsched"
)

const gpuSlices = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: node
  pool: {name: p, resourceSliceCount: 1}
  devices:
  - {name: small, attributes: {model: {string: l4}}, capacity: {memory: {value: 24Gi}}}
  - {name: large, attributes: {model: {string: h100}}, capacity: {memory: {value: 80Gi}}}
  - {name: odd, capacity: {memory: {value: 80Gi}}}
`

func TestCEL(t *testing.T) {
	const expression = `device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model == "h100"`
	c := must(libsched.CompileCEL(expression, libsched.CELOptions{}))(t)
	defer c.Close()
	if c.Type() != "bool" {
		t.Error(c.Type())
	}
	objects := must(libsched.ParseObjects([]byte(gpuSlices)))(t)
	answers := must(c.Evaluate(objects))(t)
	if len(answers) != 3 {
		t.Fatal(answers)
	}
	small, large, odd := answers[0], answers[1], answers[2]
	if small.Matches() || small.Match == nil || small.Because == nil || small.Because.Answer != "false" ||
		small.Because.Subject != `device.attributes["gpu.example.com"].model` || small.Because.Value != `"l4"` {
		t.Errorf("%+v %+v", small, small.Because)
	}
	if !large.Matches() || large.Because != nil || large.Cost == 0 || large.Slice != "s" || large.Driver != "gpu.example.com" ||
		large.Pool != "p" || large.Device != "large" || large.Node != "node" {
		t.Errorf("%+v", large)
	}
	if odd.Matches() || odd.Match != nil || odd.Error != "no such key: model" {
		t.Errorf("%+v", odd)
	}
}

func TestCELOfOneDevice(t *testing.T) {
	c := must(libsched.CompileCEL(`device.capacity["d"].memory`, libsched.CELOptions{AnyResult: true}))(t)
	answer := must(c.EvaluateDevice("d", []byte(`{"capacity": {"memory": {"value": "80Gi"}}}`)))(t)
	if c.Type() != "kubernetes.Quantity" || !strings.Contains(answer.Value, "80Gi") || answer.Match != nil {
		t.Errorf("%s %+v", c.Type(), answer)
	}
	for _, bad := range []string{"{", `{}, {}`, `{"capacity": {"memory": {"value": "lots"}}}`} {
		if _, err := c.EvaluateDevice("d", []byte(bad)); !errors.Is(err, libsched.ErrInvalid) {
			t.Error(bad, err)
		}
	}
	c.Close()
	if _, err := c.EvaluateDevice("d", []byte("{}")); !errors.Is(err, libsched.ErrClosed) || c.Type() != "" {
		t.Error(err)
	}
}

func TestCELOfAnotherRelease(t *testing.T) {
	const expression = `duration(dyn(device.driver)) == duration("1s") || [1].includes(1)`
	must(libsched.CompileCEL(expression, libsched.CELOptions{}))(t).Close()
	must(libsched.CompileCEL(expression, libsched.CELOptions{Semantics: "1.37"}))(t).Close()
	if _, err := libsched.CompileCEL(expression, libsched.CELOptions{Semantics: "1.35"}); err == nil || !strings.Contains(err.Error(), "undeclared reference to 'includes'") {
		t.Error(err)
	}
	if _, err := libsched.CompileCEL(expression, libsched.CELOptions{Semantics: "1.30"}); !errors.Is(err, libsched.ErrUnsupported) {
		t.Error(err)
	}
}

func TestCELThatDoesNotCompile(t *testing.T) {
	var e *libsched.Error
	_, err := libsched.CompileCEL("device.driver ==\n  nothing", libsched.CELOptions{})
	if !errors.As(err, &e) || !errors.Is(err, libsched.ErrInvalid) || e.Path != "2:3" || !strings.Contains(e.Msg, "undeclared reference to 'nothing'") {
		t.Error(err)
	}
	if _, err := libsched.CompileCEL("1", libsched.CELOptions{}); err == nil || !strings.Contains(err.Error(), "must evaluate to bool") {
		t.Error(err)
	}
	list := must(libsched.CompileCEL("[1, 2].all(x, x > 0) || [3].exists(y, y == 4)", libsched.CELOptions{CostLimit: 3}))(t)
	if answer := must(list.EvaluateDevice("d", []byte("{}")))(t); !strings.Contains(answer.Error, "cost limit exceeded") {
		t.Errorf("%+v", answer)
	}
}
