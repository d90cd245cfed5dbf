// The plugins of a release, and the extension points of each.

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The points that any release has, in the order in which kube-scheduler's framework walks over them.
var pointNames = []string{"preFilter", "filter", "postFilter", "reserve", "preScore", "score", "preBind", "bind", "postBind", "permit", "preEnqueue", "queueSort", "placementGenerate", "placementScore", "podGroupPostFilter"}

// configurable returns the points for which a profile may list plugins, in their order: the fields
// of the type Plugins of the configuration.
func configurable(path string) (points []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	fields := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		typ, ok := n.(*ast.TypeSpec)
		if !ok || typ.Name.Name != "Plugins" {
			return true
		}
		for _, field := range typ.Type.(*ast.StructType).Fields.List {
			for _, name := range field.Names {
				fields[lowerFirst(name.Name)] = true
			}
		}
		return false
	})
	for _, point := range pointNames {
		if fields[point] {
			points = append(points, point)
			delete(fields, point)
		}
	}
	delete(fields, "multiPoint")
	if len(fields) > 0 {
		return nil, fmt.Errorf("%s: unexpected points %v", path, fields)
	}
	return points, nil
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// A pkg is what the sources of a package of plugins say.
type pkg struct {
	constants map[string]string          // by name: a text, or the name of a constant of another package
	named     map[string]string          // by type: the constant that its method Name returns, "" if none
	points    map[string]map[string]bool // by type: those of the interfaces that it is declared to have, or of its methods
}

// pointsOfPlugins returns which of the points each plugin of the registry in registry.go has.
func pointsOfPlugins(dir string, points []string) (map[string]string, error) {
	names, err := readPackage(filepath.Join(dir, "names"))
	if err != nil {
		return nil, err
	}
	keys, err := registered(filepath.Join(dir, "registry.go"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, key := range keys {
		folder, constant, _ := strings.Cut(key, ".")
		p, err := readPackage(filepath.Join(dir, folder))
		if err != nil {
			return nil, err
		}
		name := p.constants[constant]
		if text, ok := names.constants[name]; ok {
			name = text
		}
		found := p.pointsOf(constant)
		if name == "" || found == nil {
			return nil, fmt.Errorf("no plugin %s", key)
		}
		var list []string
		for _, point := range points {
			if found[point] {
				list = append(list, point)
			}
		}
		out[name] = strings.Join(list, " ")
	}
	return out, nil
}

// pointsOf returns the points of the type that is named by the constant, or else of the one whose
// instances have names of their own.
func (p *pkg) pointsOf(constant string) map[string]bool {
	var other map[string]bool
	for typ, by := range p.named {
		if by == constant {
			return p.points[typ]
		}
		if by == "" {
			other = p.points[typ]
		}
	}
	return other
}

// registered returns the keys of the registry's literal, such as "nodename.Name".
func registered(path string) (keys []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok || selector(literal.Type) != "runtime.Registry" {
			return true
		}
		for _, e := range literal.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				keys = append(keys, selector(pair.Key))
			}
		}
		return false
	})
	return keys, nil
}

// selector returns "a.B" of that expression, and "" of others.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

func readPackage(dir string) (*pkg, error) {
	p := pkg{map[string]string{}, map[string]string{}, map[string]map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				p.readValues(d)
			case *ast.FuncDecl:
				p.readMethod(d)
			}
		}
	}
	return &p, nil
}

// readValues reads `const Name = names.X` and `var _ fwk.ScorePlugin = &T{}`.
func (p *pkg) readValues(d *ast.GenDecl) {
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Values) != len(v.Names) {
			continue
		}
		for i, name := range v.Names {
			if d.Tok == token.CONST {
				if text, ok := v.Values[i].(*ast.BasicLit); ok && text.Kind == token.STRING {
					p.constants[name.Name], _ = strconv.Unquote(text.Value)
				} else if _, of, ok := strings.Cut(selector(v.Values[i]), "."); ok {
					p.constants[name.Name] = of
				}
				continue
			}
			_, of, _ := strings.Cut(selector(v.Type), ".")
			point, ok := strings.CutSuffix(of, "Plugin")
			if name.Name != "_" || !ok {
				continue
			}
			if typ := pointee(v.Values[i]); typ != "" {
				p.add(typ, point)
			}
		}
	}
}

// add gives the type the point of that name, such as "PreFilter", if there is one.
func (p *pkg) add(typ, point string) {
	point = lowerFirst(point)
	if !slices.Contains(pointNames, point) {
		return
	}
	if p.points[typ] == nil {
		p.points[typ] = map[string]bool{}
	}
	p.points[typ][point] = true
}

// pointee returns the T of `&T{}`.
func pointee(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok {
		if literal, ok := u.X.(*ast.CompositeLit); ok {
			if typ, ok := literal.Type.(*ast.Ident); ok {
				return typ.Name
			}
		}
	}
	return ""
}

// readMethod reads `func (pl *T) Name() string { return Name }`, and names of others.
func (p *pkg) readMethod(d *ast.FuncDecl) {
	if d.Recv == nil {
		return
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	if !ok {
		return
	}
	p.add(id.Name, d.Name.Name)
	if d.Name.Name != "Name" || len(d.Body.List) != 1 {
		return
	}
	p.named[id.Name] = ""
	if back, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(back.Results) == 1 {
		if constant, ok := back.Results[0].(*ast.Ident); ok {
			p.named[id.Name] = constant.Name
		}
	}
}
