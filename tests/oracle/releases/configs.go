// The answers of all releases to configurations that they judge differently.

package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

//go:embed configs.txt
var configTexts string

// A Judged configuration, with the answers of runs of releases that agree.
type Judged struct {
	Name    string   `json:"name"`
	Gates   string   `json:"gates,omitempty"`
	Text    string   `json:"text"`
	Answers []Answer `json:"answers"`
}

// An Answer is the probe's, of these releases.
type Answer struct {
	Releases []string `json:"releases"`
	Says     any      `json:"says"`
}

// judgeConfigs asks the probe in each of the folders, by release: of the configurations that are
// there for that, and of others, which are left out if all releases say the same, or one something
// else each time (the address of an object).
func judgeConfigs(folders map[string]string, others string) ([]Judged, error) {
	var all []Judged
	own := strings.Split(configTexts, "\n== ")[1:]
	for i, part := range append(own, strings.Split(others, "\n== ")[1:]...) {
		c := readConfig(part)
		for _, r := range releases {
			says, err := c.ask(folders[r.minor()])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", r.minor(), c.Name, err)
			}
			if last := len(c.Answers) - 1; last >= 0 && reflect.DeepEqual(c.Answers[last].Says, says) {
				c.Answers[last].Releases = append(c.Answers[last].Releases, r.minor())
			} else {
				c.Answers = append(c.Answers, Answer{[]string{r.minor()}, says})
			}
		}
		last, err := c.ask(folders[releases[0].minor()])
		if err != nil {
			return nil, err
		}
		same := reflect.DeepEqual(last, c.Answers[0].Says)
		if i < len(own) || len(c.Answers) > 1 && same {
			all = append(all, c)
		}
	}
	return all, nil
}

// readConfig reads the name of a configuration and the lines that follow it.
func readConfig(part string) (c Judged) {
	const header = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	name, body, _ := strings.Cut(part, "\n")
	c.Name = name
	for line := range strings.Lines(strings.TrimSpace(body)) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "@gates":
			c.Gates = rest
		case "@v1":
			c.Text += header
		case "@args":
			plugin, args, _ := strings.Cut(rest, " ")
			c.Text += header + fmt.Sprintf("profiles: [{pluginConfig: [{name: %s, args: %s}]}]\n", plugin, args)
		case "@plugins":
			c.Text += header + fmt.Sprintf("profiles: [{plugins: %s}]\n", rest)
		default:
			c.Text += line
		}
	}
	return c
}

func (c *Judged) ask(folder string) (says any, err error) {
	cmd := exec.Command(filepath.Join(folder, "probe"), c.Gates)
	cmd.Stdin = strings.NewReader(c.Text)
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return says, json.Unmarshal(out, &says)
}
