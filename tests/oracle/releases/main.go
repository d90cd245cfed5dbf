// Command releases records what differs between releases of kube-scheduler by tables: feature
// gates, default plugins, the plugins with their extension points, and metrics
// (tests/tables/releases.json, and made from it the C++ table of the gates), and which configurations
// each release takes (tests/tables/release_configs.json).
//
//	go run -C tests/oracle ./releases
//
// Sources of all releases come from the Go module proxy. The gates are those that a probe finds
// registered; it is built with each release.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed probe/probe.go
var probeSource []byte

// A release of Kubernetes: its patch release, and those of the staging modules of which the proxy
// lacks the one that belongs to it.
type release struct {
	kubernetes string
	instead    map[string]string
}

var releases = []release{
	{"1.31.14", map[string]string{"kube-scheduler": "0.31.13"}},
	{"1.32.13", nil},
	{"1.33.13", nil},
	{"1.34.4", nil},
	{"1.35.4", nil},
	{"1.36.3", nil},
	{"1.37.2", nil},
}

// minor returns "1.36" of "1.36.3".
func (r release) minor() string { return r.kubernetes[:strings.LastIndexByte(r.kubernetes, '.')] }

// Recorded is an entry of releases.json.
type Recorded struct {
	Release         string                     `json:"release"`
	Kubernetes      string                     `json:"kubernetes"`
	Gates           map[string]string          `json:"gates"`
	Needs           map[string][]string        `json:"needs"`
	ExtensionPoints []string                   `json:"extensionPoints"`
	DefaultPlugins  []string                   `json:"defaultPlugins"`
	DefaultArgs     map[string]json.RawMessage `json:"defaultArgs"`
	Points          map[string]string          `json:"points"`
	Metrics         map[string]string          `json:"metrics"`
}

func main() {
	root := flag.String("root", "../..", "the project's folder")
	work := flag.String("work", "../../build/oracle/releases", "folder for the modules that are built")
	flag.Parse()
	if err := run(*root, *work); err != nil {
		fmt.Fprintln(os.Stderr, "releases:", err)
		os.Exit(1)
	}
}

func run(root, work string) error {
	var all []Recorded
	folders := map[string]string{}
	for _, r := range releases {
		folders[r.minor()] = filepath.Join(work, r.minor())
		one, err := r.record(folders[r.minor()])
		if err != nil {
			return fmt.Errorf("%s: %w", r.kubernetes, err)
		}
		all = append(all, *one)
	}
	if err := writeJSON(filepath.Join(root, tablePath), all); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, gatesPath), gateTable(all), 0o644); err != nil {
		return err
	}
	others, err := os.ReadFile(filepath.Join(root, "tests/oracle/tables/configs.txt"))
	if err != nil {
		return err
	}
	judged, err := judgeConfigs(folders, string(others))
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(root, configsPath), judged)
}

func writeJSON(path string, value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// record asks the release, for which it makes a module in the folder.
func (r release) record(dir string) (*Recorded, error) {
	source, err := r.makeModule(dir)
	if err != nil {
		return nil, err
	}
	if _, err := command(dir, "go", "build", "-mod=mod", "-ldflags=-X k8s.io/component-base/version.gitVersion=v"+r.kubernetes, "-o", "probe", "."); err != nil {
		return nil, err
	}
	out, err := command(dir, "./probe")
	if err != nil {
		return nil, err
	}
	one := Recorded{Release: r.minor(), Kubernetes: "v" + r.kubernetes}
	if err := json.Unmarshal(out, &one); err != nil {
		return nil, err
	}
	scheduler := filepath.Join(source, "pkg/scheduler")
	one.ExtensionPoints, err = configurable(filepath.Join(scheduler, "apis/config/types.go"))
	if err != nil {
		return nil, err
	}
	one.Points, err = pointsOfPlugins(filepath.Join(scheduler, "framework/plugins"), one.ExtensionPoints)
	return &one, err
}

var staged = regexp.MustCompile(`(?m)^\s*(k8s\.io/([a-z-]+)) v0\.0\.0(?:\s*//.*)?$`)

// makeModule writes the probe's module, and returns the folder with the sources of Kubernetes.
func (r release) makeModule(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	info, err := command(dir, "go", "mod", "download", "-json", "k8s.io/kubernetes@v"+r.kubernetes)
	if err != nil {
		return "", err
	}
	var module struct{ GoMod, Dir string }
	if err := json.Unmarshal(info, &module); err != nil {
		return "", err
	}
	theirs, err := os.ReadFile(module.GoMod)
	if err != nil {
		return "", err
	}
	// Modules that the probe does not import are not required: the proxy lacks some of them.
	mod := "module probe\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes v" + r.kubernetes + "\n"
	for _, name := range []string{"apiserver", "component-base", "kube-scheduler"} {
		mod += "require k8s.io/" + name + " v0.0.0\n"
	}
	for _, m := range staged.FindAllStringSubmatch(string(theirs), -1) {
		version := "0" + strings.TrimPrefix(r.kubernetes, "1")
		if other, ok := r.instead[m[2]]; ok {
			version = other
		}
		mod += fmt.Sprintf("replace %s => %s v%s\n", m[1], m[1], version)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644); err != nil {
		return "", err
	}
	return module.Dir, os.WriteFile(filepath.Join(dir, "probe.go"), probeSource, 0o644)
}

func command(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}
