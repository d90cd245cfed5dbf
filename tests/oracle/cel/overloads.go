// The declarations of the environment.

package cel

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"

	"libsched.dev/tests/oracle/cases"
)

// Overload is a declared overload of a function.
type Overload struct {
	Function string
	*decls.OverloadDecl
}

// Overloads lists every overload of the environment, sorted.
func Overloads(env *celgo.Env) []Overload {
	var out []Overload
	for name, f := range env.Functions() {
		for _, o := range f.OverloadDecls() {
			out = append(out, Overload{name, o})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Function != out[j].Function {
			return out[i].Function < out[j].Function
		}
		return out[i].ID() < out[j].ID()
	})
	return out
}

func describe(g *cases.CELGolden, env *celgo.Env) {
	for _, o := range Overloads(env) {
		var args []string
		for _, a := range o.ArgTypes() {
			args = append(args, a.String())
		}
		call := o.Function + "(" + strings.Join(args, ", ") + ")"
		if o.IsMemberFunction() {
			call = args[0] + "." + o.Function + "(" + strings.Join(args[1:], ", ") + ")"
		}
		strict := ""
		if o.IsNonStrict() {
			strict = " non-strict"
		}
		g.Functions = append(g.Functions, call+" -> "+o.ResultType().String()+"  #"+o.ID()+strict)
	}
	for _, m := range env.Macros() {
		g.Macros = append(g.Macros, fmt.Sprintf("%s (%d args, receiver %v)", m.Function(), m.ArgCount(), m.IsReceiverStyle()))
	}
	sort.Strings(g.Macros)
	for _, v := range env.Variables() {
		g.Variables = append(g.Variables, v.Name()+": "+v.Type().String())
	}
	g.Libraries = slices.Sorted(slices.Values(env.Libraries()))
}
