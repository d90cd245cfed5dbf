// The command oracle gen.

package generate

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
)

// Command is the command "oracle gen".
func Command(args []string) error {
	fs := flag.NewFlagSet("gen", flag.ExitOnError)
	kind := fs.String("kind", "mixed", "one of "+strings.Join(kindNames(), ", "))
	seed := fs.Uint64("seed", 1, "seed of the random generator")
	count := fs.Int("count", 1, "number of cases; seeds count up")
	nodes := fs.Int("nodes", 0, "number of nodes (0: random 1..20)")
	existing := fs.Int("existing", -1, "number of bound pods (-1: random 0..4 per node)")
	pods := fs.Int("pods", 0, "number of pods to evaluate (0: random 1..6)")
	mode := fs.String("mode", "", "evaluate or schedule (default: random)")
	nasty := fs.Float64("nasty", 0.05, "chance of odd and invalid values")
	list := fs.Bool("list", false, "list the kinds")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *list {
		fmt.Println(strings.Join(kindNames(), "\n"))
		return nil
	}
	if kinds[*kind] == nil && scriptKinds[*kind] == nil {
		return fmt.Errorf("unknown kind %q", *kind)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for i := range *count {
		var c any
		var err error
		if scriptKinds[*kind] != nil {
			c = Script(*kind, *seed+uint64(i), *nasty)
		} else if c, err = Generate(*kind, *seed+uint64(i), Options{Nodes: *nodes, Existing: *existing, Pods: *pods}, *mode, *nasty); err != nil {
			return err
		}
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}
