// Package celspec makes a table of the conformance tests of the Common Expression Language: those of the
// Go module cel.dev/expr that need no bindings, containers, declarations or protocol buffers, with what
// upstream's environment of device selectors makes of them. Upstream's libraries are older than the tests in a few
// places; the table has upstream's answers.
package celspec

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"cel.dev/expr"
	conformance "cel.dev/expr/conformance/test"
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"google.golang.org/protobuf/encoding/prototext"

	_ "cel.dev/expr/conformance/proto2" // messages in the files
	_ "cel.dev/expr/conformance/proto3"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/cel"
)

// Row is a line of the table. Exactly one of value, error and compileError is there.
type Row struct {
	Name         string `json:"name"` // file/section/test
	Expression   string `json:"expression"`
	Value        string `json:"value,omitempty"`
	Error        string `json:"error,omitempty"`
	CompileError string `json:"compileError,omitempty"`
}

const module = "cel.dev/expr"

// Command is the command "oracle celspec": it writes one JSON object a line and, to standard error, how many
// there are.
func Command() error {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("where is module %s? run this in tests/oracle: %w", module, err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "tests/simple/testdata/*.textproto"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no test files in %s: %v", dir, err)
	}
	sort.Strings(files)
	out := bufio.NewWriter(os.Stdout)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	var count counts
	for _, name := range files {
		if err := convert(name, enc, &count); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Fprintf(os.Stderr, "%d tests; %d need more than an expression; %d values, %d errors, %d compile errors; %d of upstream differ from the specification\n",
		count.all, count.needMore, count.values, count.errors, count.compileErrors, count.differ)
	return out.Flush()
}

type counts struct{ all, needMore, values, errors, compileErrors, differ int }

func convert(name string, enc *json.Encoder, count *counts) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var file conformance.SimpleTestFile
	if err := prototext.Unmarshal(text, &file); err != nil {
		return err
	}
	for _, section := range file.Section {
		for _, test := range section.Test {
			count.all++
			if needsMore(test) {
				count.needMore++
				continue
			}
			row, err := ask(test)
			if err != nil {
				return fmt.Errorf("%s/%s: %w", section.Name, test.Name, err)
			}
			row.Name = file.Name + "/" + section.Name + "/" + test.Name
			switch {
			case row.CompileError != "":
				count.compileErrors++
			case row.Error != "":
				count.errors++
			default:
				count.values++
			}
			if !agrees(test, row) {
				count.differ++
				fmt.Fprintf(os.Stderr, "%s: %s: upstream says %q, the specification %v\n", row.Name, test.Expr, row.Value+row.Error, test.ResultMatcher)
			}
			if err := enc.Encode(row); err != nil {
				return err
			}
		}
	}
	return nil
}

var messages = regexp.MustCompile(`TestAllTypes|cel\.expr\.conformance|NestedTestAllTypes|cel\.@?block|GlobalEnum|proto\.(has|get)Ext`)

// needsMore tells whether a test needs more than an expression.
func needsMore(t *conformance.SimpleTest) bool {
	return t.Container != "" || len(t.Bindings) > 0 || len(t.TypeEnv) > 0 || t.DisableMacros || t.DisableCheck || t.CheckOnly ||
		messages.MatchString(t.Expr)
}

// ask evaluates the expression on a device of which it says nothing.
func ask(t *conformance.SimpleTest) (*Row, error) {
	c := &cases.Case{CELSpec: &cases.CELSpec{Expression: t.Expr, Any: true, Devices: []cases.CELDevice{{Driver: "example.com"}}}}
	said, err := cel.Run(c)
	if err != nil {
		return nil, err
	}
	g := said.(*cases.CELGolden)
	row := &Row{Expression: t.Expr, CompileError: g.CompileError}
	if g.CompileError == "" {
		row.Value, row.Error = g.Devices[0].Value, g.Devices[0].Error
	}
	return row, nil
}

// agrees tells whether upstream's answer is the specified one. Upstream lacks functions, which are compile errors.
func agrees(t *conformance.SimpleTest, row *Row) bool {
	if row.CompileError != "" {
		return true
	}
	switch want := t.ResultMatcher.(type) {
	case nil: // true
		return row.Value == "true"
	case *conformance.SimpleTest_Value:
		return isValue(want.Value, row)
	case *conformance.SimpleTest_TypedResult:
		return isValue(want.TypedResult.GetResult(), row)
	case *conformance.SimpleTest_EvalError, *conformance.SimpleTest_AnyEvalErrors:
		return row.Error != ""
	}
	return false
}

func isValue(want *expr.Value, row *Row) bool {
	v, err := celgo.ProtoAsValue(types.DefaultTypeAdapter, want)
	return err == nil && cel.Render(v) == row.Value
}
