package pluginserver

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
)

// column is an entry of "columns".
type column struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Count int    `json:"count"`
}

var sizes = map[string]int{"int8": 1, "uint16": 2, "uint32": 4, "int64": 8}

func (c column) size() int {
	if c.Type == "bitmap" {
		return (c.Count + 63) / 64 * 8
	}
	return c.Count * sizes[c.Type]
}

func padded(n int) int { return (n + 7) / 8 * 8 }

// readFrame reads a header and its columns into `buffer`, which it returns, maybe larger.
func readFrame(r *bufio.Reader, buffer []byte) (header, columns, grown []byte, err error) {
	var lengths [8]byte
	if _, err = io.ReadFull(r, lengths[:]); err != nil {
		return nil, nil, buffer, err
	}
	h := int(binary.LittleEndian.Uint32(lengths[:4]))
	n := h + int(binary.LittleEndian.Uint32(lengths[4:]))
	if n > cap(buffer) {
		buffer = make([]byte, n)
	}
	buffer = buffer[:n]
	if _, err = io.ReadFull(r, buffer); err != nil {
		return nil, nil, buffer, err
	}
	return buffer[:h], buffer[h:], buffer, nil
}

func appendFrame(out, header, columns []byte) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(header)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(columns)))
	return append(append(out, header...), columns...)
}

// rowsOf returns the rows of a column.
func rowsOf(c column, data []byte) []uint32 {
	var rows []uint32
	if c.Type != "bitmap" {
		for i := range c.Count {
			rows = append(rows, binary.LittleEndian.Uint32(data[4*i:]))
		}
		return rows
	}
	rows = make([]uint32, 0, c.Count)
	for base := 0; base < c.Count; base += 64 {
		for word := binary.LittleEndian.Uint64(data[base/8:]); word != 0; word &= word - 1 {
			rows = append(rows, uint32(base+bits.TrailingZeros64(word)))
		}
	}
	return rows
}

// eachColumn calls a function for each column of a frame.
func eachColumn(columns []column, data []byte, each func(column, []byte)) error {
	for _, c := range columns {
		size := c.size()
		if padded(size) > len(data) {
			return fmt.Errorf("column %q: bytes are missing", c.Name)
		}
		each(c, data[:size])
		data = data[padded(size):]
	}
	return nil
}

// packed is an answer with its numbers as columns.
type packed struct {
	ID int64 `json:"id"`
	*Answer
	Columns []column `json:"columns,omitempty"`
}

// appendAnswer appends the frame of an answer.
func appendAnswer(out []byte, id int64, answer *Answer) ([]byte, error) {
	said := packed{ID: id, Answer: answer}
	data := make([]byte, 0, padded(len(answer.Codes))+padded(2*len(answer.ReasonIndexes))+8*len(answer.Scores))
	begin := func(name, kind string, count int) bool {
		if count != 0 {
			said.Columns = append(said.Columns, column{name, kind, count})
		}
		return count != 0
	}
	end := func() { data = append(data, make([]byte, padded(len(data))-len(data))...) }
	if begin("codes", "int8", len(answer.Codes)) {
		for _, code := range answer.Codes {
			data = append(data, byte(code))
		}
		end()
	}
	if begin("reasonIndexes", "uint16", len(answer.ReasonIndexes)) {
		for _, index := range answer.ReasonIndexes {
			data = binary.LittleEndian.AppendUint16(data, index)
		}
		end()
	}
	if begin("scores", "int64", len(answer.Scores)) {
		for _, score := range answer.Scores {
			data = binary.LittleEndian.AppendUint64(data, uint64(score))
		}
	}
	header, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return appendFrame(out, header, data), nil
}
