// Package cel asks upstream's compiler and evaluator of device selectors about expressions.
package cel

import (
	"context"
	"errors"
	"math"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"

	resourcev1 "k8s.io/api/resource/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"

	"libsched.dev/tests/oracle/cases"
)

const repeats = 6

// compiler is upstream's, whose type has no name outside of its package.
type compiler interface {
	CompileCELExpression(expression string, options dracel.Options) dracel.CompilationResult
}

// Run answers a case of mode cel.
func Run(c *cases.Case) (any, error) {
	s := c.CELSpec
	if s == nil {
		return nil, errors.New("mode cel needs an expression")
	}
	g := &cases.CELGolden{Name: c.Name}
	compiler := compilerOf(s.ListTypes)
	if s.Describe {
		describe(g, compiler.CompileCELExpression("true", dracel.Options{}).Environment)
		return g, nil
	}
	expr := compiler.CompileCELExpression(s.Expression, dracel.Options{CostLimit: s.CostLimit})
	eval := func(d dracel.Device) cases.CELResult {
		ok, details, err := expr.DeviceMatches(context.Background(), d)
		return outcome(&ok, nil, details, err)
	}
	if s.Any {
		// DRA's own environment; only the check of the result's type is left out.
		env := compiler.CompileCELExpression("true", dracel.Options{}).Environment
		ast, issues := env.Compile(s.Expression)
		if issues != nil {
			g.CompileError = "compilation failed: " + issues.String()
			return g, nil
		}
		limit := uint64(resourcev1.CELSelectorExpressionMaxCost)
		if s.CostLimit != nil {
			limit = *s.CostLimit
		}
		prog, err := env.Program(ast, celgo.CostLimit(limit), celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
		if err != nil {
			g.CompileError = "program instantiation failed: " + err.Error()
			return g, nil
		}
		g.Type = ast.OutputType().String()
		eval = func(d dracel.Device) cases.CELResult {
			vars, err := variables(env, d, s.ListTypes || alwaysLists)
			if err != nil {
				return cases.CELResult{Error: err.Error()}
			}
			val, details, err := prog.ContextEval(context.Background(), vars)
			return outcome(nil, val, details, err)
		}
	} else {
		if expr.Error != nil {
			g.CompileError = expr.Error.Error()
			return g, nil
		}
		g.Type = expr.OutputType.String()
		if expr.MaxCost != math.MaxUint64 {
			g.Estimate = expr.MaxCost
		}
	}
	for _, d := range s.Devices {
		dev := dracel.Device{Driver: d.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity}
		out := eval(dev)
		for range repeats {
			again := eval(dev)
			if again.Error != out.Error || again.Value != out.Value || (again.Matches == nil) != (out.Matches == nil) || again.Matches != nil && *again.Matches != *out.Matches {
				out = cases.CELResult{Unordered: true, Cost: min(out.Cost, again.Cost)}
				break
			}
			if again.Cost != out.Cost {
				out.Unordered = true
				out.Cost = min(out.Cost, again.Cost)
			}
		}
		g.Devices = append(g.Devices, out)
	}
	return g, nil
}

func outcome(ok *bool, val ref.Val, details *celgo.EvalDetails, err error) cases.CELResult {
	var r cases.CELResult
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			r.Cost = *cost
		}
	}
	switch {
	case err != nil:
		r.Error = err.Error()
	case val != nil:
		r.Value = Render(val)
	default:
		r.Matches = ok
	}
	return r
}
