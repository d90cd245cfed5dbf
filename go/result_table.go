package libsched

// #include "loop_bridge.h"
import "C"

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/cgo"
	"strconv"
	"strings"
	"time"
)

// ResultTable is a table of a simulation's results. It never changes.
type ResultTable struct {
	h *handle[*C.libsched_table]
}

// Table returns the table of that name, as of now. Errors: ErrNotFound. The tables are
//
//   - "pods": namespace, pod, state, arrival, bound, wait, end, node, attempts, reason and message (of a
//     pending pod);
//   - "series": time, arrived, and the number of pods in each state;
//   - "resources": time, resource, allocatable, used, free, fragmented, utilisation, fragmentation;
//   - "pending": time, reason, pods;
//   - "preemptions": time, namespace, pod, node, preemptor;
//   - "volumes": time, action (provisioned, bound, failed), namespace, claim, volume, storageClass, node,
//     message.
func (s *Simulation) Table(name string) (*ResultTable, error) {
	ptr, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	var table *C.libsched_table
	var failure *C.libsched_error
	if rc := C.libsched_simulation_table(ptr, str(name), &table, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	t := &ResultTable{newHandle(table, func(p *C.libsched_table) { C.libsched_table_unref(p) })}
	closeWhenUnreachable(t, t.h)
	return t, nil
}

// Close releases the table.
func (t *ResultTable) Close() {
	if t != nil {
		t.h.close()
	}
}

// Len returns the number of rows; 0 after Close.
func (t *ResultTable) Len() int {
	return ask(t.h, func(ptr *C.libsched_table) int { return int(C.libsched_table_row_count(ptr)) })
}

// WriteCSV writes RFC 4180 with a header. Times are seconds with nine decimals, null is an empty field.
// Errors: those of the writer.
func (t *ResultTable) WriteCSV(w io.Writer) error { return t.write(w, C.LIBSCHED_TABLE_CSV) }

// WriteJSON writes an array of objects. Times are seconds. Errors: those of the writer.
func (t *ResultTable) WriteJSON(w io.Writer) error { return t.write(w, C.LIBSCHED_TABLE_JSON) }

func (t *ResultTable) write(w io.Writer, format C.uint32_t) error {
	if t == nil {
		return closedError(t)
	}
	ptr, ok := t.h.acquire()
	if !ok {
		return closedError(t)
	}
	defer t.h.release()
	writes := &trampoline[[]byte]{call: func(piece []byte) error {
		n, err := w.Write(piece)
		if err == nil && n < len(piece) {
			err = io.ErrShortWrite
		}
		return err
	}}
	to := cgo.NewHandle(writes)
	defer to.Delete()
	var failure *C.libsched_error
	rc := C.lsgo_table_write(ptr, format, C.uintptr_t(to), &failure)
	return writes.finish(takeError(rc, failure))
}

//export lsgoWritePiece
func lsgoWritePiece(h C.uintptr_t, piece C.libsched_str) C.bool {
	return C.bool(cgo.Handle(h).Value().(*trampoline[[]byte]).do("io.Writer", []byte(goString(piece))))
}

// rowsOf reads a table of the simulation as structs.
func rowsOf[T any](s *Simulation, name string) ([]T, error) {
	table, err := s.Table(name)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	var document bytes.Buffer
	if err := table.WriteJSON(&document); err != nil {
		return nil, err
	}
	rows, err := readJSON[[]json.RawMessage]("table "+name, document.Bytes(), nil)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(rows))
	for i, row := range rows {
		if err := readTimed(row, reflect.ValueOf(&list[i]).Elem()); err != nil {
			return nil, &Error{Code: ErrInternal, Msg: fmt.Sprintf("table %s: %v", name, err)}
		}
	}
	return list, nil
}

// readTimed reads a struct whose fields of type time.Duration are seconds in the document; null is NoTime.
func readTimed(document []byte, to reflect.Value) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document, &fields); err != nil {
		return err
	}
	for i := range to.NumField() {
		name := to.Type().Field(i).Tag.Get("json")
		text, field := fields[name], to.Field(i)
		var err error
		switch at := field.Addr().Interface().(type) {
		case *time.Duration:
			*at, err = seconds(string(text))
		case *Waits:
			err = readTimed(text, field)
		case *ResourceUse: // embedded
			err = json.Unmarshal(document, at)
		default:
			err = json.Unmarshal(text, at)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// seconds reads a number of seconds with at most nine decimals.
func seconds(text string) (time.Duration, error) {
	if text == "null" {
		return NoTime, nil
	}
	whole, part, _ := strings.Cut(text, ".")
	part += strings.Repeat("0", max(0, 9-len(part)))
	ns, err := strconv.ParseInt(whole+part, 10, 64)
	if err != nil || len(part) > 9 {
		return 0, fmt.Errorf("%q are no seconds with up to nine decimals", text)
	}
	return time.Duration(ns), nil
}

// NoTime is the time of something that has not happened.
const NoTime time.Duration = math.MinInt64
