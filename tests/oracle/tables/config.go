// The table of configurations: upstream's errors, or the expanded profiles.

package tables

import (
	_ "embed"
	"fmt"
	"strings"

	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

//go:embed configs.txt
var configTexts string

// configCases takes configs.txt apart and writes its short forms out.
func configCases() (list []judge.ConfigEntry) {
	const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for _, part := range strings.Split(configTexts, "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		var text strings.Builder
		for _, line := range strings.SplitAfter(body+"\n", "\n") {
			word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch word {
			case "@v1":
				text.WriteString(header)
			case "@args":
				plugin, args, _ := strings.Cut(rest, " ")
				fmt.Fprintf(&text, "%sprofiles: [{pluginConfig: [{name: %s, args: %s}]}]\n", header, plugin, args)
			case "@plugins":
				fmt.Fprintf(&text, "%sprofiles: [{plugins: %s}]\n", header, rest)
			default:
				text.WriteString(line)
			}
		}
		list = append(list, judge.ConfigEntry{Name: name, Text: strings.TrimRight(text.String(), "\n") + "\n"})
	}
	return list
}

func configTable() (any, error) {
	list := configCases()
	seen := map[string]bool{}
	for i := range list {
		e := &list[i]
		if seen[e.Name] {
			return nil, fmt.Errorf("%q is there twice", e.Name)
		}
		seen[e.Name] = true
		if err := e.Fill(); err != nil {
			return nil, fmt.Errorf("%q: %w", e.Name, err)
		}
		// Errors that depend on the order of a map or on addresses are not recorded.
		for range 10 {
			again := judge.ConfigEntry{Name: e.Name, Text: e.Text}
			if err := again.Fill(); err != nil {
				return nil, err
			}
			if again.Error != e.Error {
				return nil, fmt.Errorf("%q: upstream's answer varies:\n%s\n%s", e.Name, e.Error, again.Error)
			}
		}
	}
	return map[string]any{"kubernetes": kube.Kubernetes, "cases": list}, nil
}
