// Command godoc prints the documentation of a Go package as Markdown.
//
//	godoc FOLDER IMPORTPATH
//
// It prints what is exported: the comment of the package, and constants, variables, functions and types
// with their declarations and comments. Links in comments go to anchors of the same page.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"strings"
)

// page writes one package.
type page struct {
	pkg   *doc.Package
	files *token.FileSet
	out   bytes.Buffer
}

func load(folder, path string) (*doc.Package, *token.FileSet, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		parsed = append(parsed, file)
	}
	pkg, err := doc.NewFromFiles(files, parsed, path)
	return pkg, files, err
}

// text prints a comment as Markdown, with headings below `level`.
func (p *page) text(said string, level int) {
	printer := p.pkg.Printer()
	printer.HeadingLevel = level
	printer.HeadingID = func(*comment.Heading) string { return "" }
	printer.DocLinkURL = func(link *comment.DocLink) string {
		if link.ImportPath != "" {
			return "https://pkg.go.dev/" + link.ImportPath + "#" + link.Name
		}
		if link.Recv != "" {
			return "#" + link.Recv + "." + link.Name
		}
		return "#" + link.Name
	}
	p.out.Write(printer.Markdown(p.pkg.Parser().Parse(said)))
	p.out.WriteString("\n")
}

// code prints a declaration.
func (p *page) code(node any) {
	p.out.WriteString("```go\n")
	if err := format.Node(&p.out, p.files, node); err != nil {
		log.Fatal(err)
	}
	p.out.WriteString("\n```\n\n")
}

func (p *page) values(values []*doc.Value) {
	for _, value := range values {
		value.Decl.Doc = nil
		for _, name := range value.Names {
			if token.IsExported(name) {
				fmt.Fprintf(&p.out, `<span id="%s"></span>`, name)
			}
		}
		p.out.WriteString("\n\n")
		p.code(value.Decl)
		p.text(value.Doc, 4)
	}
}

func (p *page) functions(functions []*doc.Func, level string) {
	for _, function := range functions {
		anchor, title := function.Name, "func "+function.Name
		if function.Recv != "" {
			receiver := strings.TrimPrefix(function.Recv, "*")
			receiver, _, _ = strings.Cut(receiver, "[")
			anchor, title = receiver+"."+function.Name, receiver+"."+function.Name
		}
		fmt.Fprintf(&p.out, "%s %s { #%s }\n\n", level, title, anchor)
		function.Decl.Doc, function.Decl.Body = nil, nil
		p.code(function.Decl)
		p.text(function.Doc, 5)
	}
}

func (p *page) write() {
	fmt.Fprintf(&p.out, "# %s\n\n", p.pkg.ImportPath)
	fmt.Fprintf(&p.out, "```go\nimport %q\n```\n\n", p.pkg.ImportPath)
	p.text(p.pkg.Doc, 2)
	if len(p.pkg.Consts)+len(p.pkg.Vars) > 0 {
		p.out.WriteString("## Constants and variables\n\n")
		p.values(p.pkg.Consts)
		p.values(p.pkg.Vars)
	}
	if len(p.pkg.Funcs) > 0 {
		p.out.WriteString("## Functions\n\n")
		p.functions(p.pkg.Funcs, "###")
	}
	for _, typed := range p.pkg.Types {
		fmt.Fprintf(&p.out, "## type %s { #%s }\n\n", typed.Name, typed.Name)
		typed.Decl.Doc = nil
		p.code(typed.Decl)
		p.text(typed.Doc, 4)
		p.values(typed.Consts)
		p.values(typed.Vars)
		p.functions(typed.Funcs, "###")
		p.functions(typed.Methods, "###")
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: godoc FOLDER IMPORTPATH")
		os.Exit(2)
	}
	pkg, files, err := load(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	made := page{pkg: pkg, files: files}
	made.write()
	if _, err := os.Stdout.Write(made.out.Bytes()); err != nil {
		log.Fatal(err)
	}
}
