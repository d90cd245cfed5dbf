package questions

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// A record is compressed text: for each seed a line "seed N", then a line for each answer.

// WriteRecord writes the answers of seeds 1, 2, ...
func WriteRecord(w io.Writer, answers [][]string) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	for i, lines := range answers {
		text := fmt.Sprintf("seed %d\n%s\n", i+1, strings.Join(lines, "\n"))
		if _, err := io.WriteString(compressed, text); err != nil {
			return err
		}
	}
	return compressed.Close()
}

// ReadRecord reads what WriteRecord has written.
func ReadRecord(r io.Reader) ([][]string, error) {
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var answers [][]string
	lines := bufio.NewScanner(compressed)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if line == fmt.Sprintf("seed %d", len(answers)+1) {
			answers = append(answers, nil)
			continue
		}
		if len(answers) == 0 {
			return nil, fmt.Errorf("the record begins with %q", line)
		}
		last := len(answers) - 1
		answers[last] = append(answers[last], line)
	}
	return answers, lines.Err()
}
