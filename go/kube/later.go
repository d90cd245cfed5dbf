package kube

import (
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
)

// Fields that releases of k8s.io/api after that of go.mod have added to pods and nodes. The program may be built with
// any of these releases, so the writer cannot name them: it finds their places once, when the program starts. With an
// older release nothing is found, and nothing is looked at afterwards.

// laterField is such a field, or a field of a record that came with one.
type laterField struct {
	name   string // in Go
	number byte
	write  func(dst []byte, record unsafe.Pointer) []byte // of a record that go.mod's release has
	fields []laterField                                   // of another record

	offset  uintptr
	kind    laterKind
	pointer bool
}

type laterFields []laterField

// laterKind says how a field lies in memory.
type laterKind uint8

const (
	laterText laterKind = iota + 1
	laterBool
	laterInt32
	laterInt64
	laterTexts
	laterLabels
	laterResources
	laterStruct
)

// findLater returns those of the fields that the program's T has.
func findLater[T any](fields []laterField) laterFields { return resolved(reflect.TypeFor[T](), fields) }

// laterRecord makes the writer of a record one of memory.
func laterRecord[T any](write func([]byte, *T) []byte) func([]byte, unsafe.Pointer) []byte {
	return func(dst []byte, record unsafe.Pointer) []byte { return write(dst, (*T)(record)) }
}

func resolved(record reflect.Type, fields []laterField) laterFields {
	var here laterFields
	for _, f := range fields {
		found, ok := record.FieldByName(f.name)
		if !ok || len(found.Index) != 1 {
			continue
		}
		t := found.Type
		f.offset = found.Offset
		if f.pointer = t.Kind() == reflect.Pointer; f.pointer {
			t = t.Elem()
		}
		if f.kind = kindOf(t); f.kind == laterStruct && f.write == nil {
			f.fields = resolved(t, f.fields)
		}
		if f.kind != 0 {
			here = append(here, f)
		}
	}
	return here
}

// kindOf returns 0 for a type that no later field has.
func kindOf(t reflect.Type) laterKind {
	switch {
	case t == reflect.TypeFor[v1.ResourceList]():
		return laterResources
	case t == reflect.TypeFor[map[string]string]():
		return laterLabels
	}
	switch t.Kind() {
	case reflect.String:
		return laterText
	case reflect.Bool:
		return laterBool
	case reflect.Int32:
		return laterInt32
	case reflect.Int64:
		return laterInt64
	case reflect.Struct:
		return laterStruct
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return laterTexts
		}
	}
	return 0
}

// append writes the fields of a record. Nothing of the record escapes, so a copy of it may be on the stack.
func (fields laterFields) append(dst []byte, record unsafe.Pointer) []byte {
	for i := range fields {
		f := &fields[i]
		at := unsafe.Add(record, f.offset)
		if f.pointer {
			if target := *(*unsafe.Pointer)(at); target != nil {
				dst = f.appendTarget(dst, target)
			}
			continue
		}
		switch f.kind {
		case laterText:
			if text := *(*string)(at); text != "" {
				dst = appendText(append(dst, f.number, typeBytes), text)
			}
		case laterTexts:
			if texts := *(*[]string)(at); len(texts) != 0 {
				var list int
				dst, list = begin(append(dst, f.number, typeBytes))
				for _, text := range texts {
					dst = appendText(dst, text)
				}
				end(dst, list)
			}
		case laterLabels:
			if labels := *(*map[string]string)(at); len(labels) != 0 {
				dst = appendTexts(append(dst, f.number, typeBytes), labels)
			}
		case laterResources:
			if resources := *(*v1.ResourceList)(at); len(resources) != 0 {
				dst = appendResources(append(dst, f.number, typeBytes), resources)
			}
		}
	}
	return dst
}

// appendTarget writes a field that is a pointer, and not nil.
func (f *laterField) appendTarget(dst []byte, target unsafe.Pointer) []byte {
	switch f.kind {
	case laterText:
		return appendText(append(dst, f.number, typeBytes), *(*string)(target))
	case laterBool:
		return appendBool(append(dst, f.number, typeInt), *(*bool)(target))
	case laterInt32:
		return appendInt(append(dst, f.number, typeInt), int64(*(*int32)(target)))
	case laterInt64:
		return appendInt(append(dst, f.number, typeInt), *(*int64)(target))
	case laterStruct:
		dst, mark := begin(append(dst, f.number, typeBytes))
		if f.write != nil {
			dst = f.write(dst, target)
		} else {
			dst = laterFields(f.fields).append(dst, target)
		}
		end(dst, mark)
		return dst
	}
	return dst
}
