package questions

import "fmt"

// Difference returns the first place where answers differ, as text; true says that there is none.
func Difference(want, got []string) (string, bool) {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("question %d has no answer, want %s\n", i, want[i]), false
		case i >= len(want):
			return fmt.Sprintf("question %d: %s, want no answer\n", i, got[i]), false
		case want[i] != got[i]:
			return fmt.Sprintf("question %d:\n%s, want\n%s\n", i, got[i], want[i]), false
		}
	}
	return "", true
}
