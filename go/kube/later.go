package kube

import (
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
	size    uintptr // of an item of laterRecords
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
	laterQuantity
	laterStruct
	laterRecords
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
		switch f.kind = kindOf(t); {
		case f.kind == laterStruct && f.write == nil:
			f.fields = resolved(t, f.fields)
		case f.kind == laterRecords:
			f.fields, f.size = resolved(t.Elem(), f.fields), t.Elem().Size()
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
	case t == reflect.TypeFor[v1.ResourceList](), t == reflect.TypeFor[map[v1.ResourceName]resource.Quantity]():
		return laterResources
	case t == reflect.TypeFor[resource.Quantity]():
		return laterQuantity
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
		switch t.Elem().Kind() {
		case reflect.String:
			return laterTexts
		case reflect.Struct:
			return laterRecords
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
		case laterRecords:
			// Every slice begins with the address of its items and their number.
			if records := *(*[]struct{})(at); len(records) != 0 {
				dst = f.appendRecords(dst, unsafe.Pointer(unsafe.SliceData(records)), len(records))
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

func (f *laterField) appendRecords(dst []byte, first unsafe.Pointer, count int) []byte {
	dst, list := begin(append(dst, f.number, typeBytes))
	for i := range count {
		var record int
		dst, record = begin(dst)
		dst = laterFields(f.fields).append(dst, unsafe.Add(first, uintptr(i)*f.size))
		end(dst, record)
	}
	end(dst, list)
	return dst
}

// appendVolumeMounts writes the mounts that have something that is read, which only later releases have.
func appendVolumeMounts(dst []byte, number byte, mounts []v1.VolumeMount) []byte {
	return appendSome(dst, number, mounts, appendVolumeMount)
}

// appendEphemeralContainers writes the containers with such mounts.
func appendEphemeralContainers(dst []byte, number byte, containers []v1.EphemeralContainer) []byte {
	return appendSome(dst, number, containers, appendEphemeralContainer)
}

// appendSome writes the items that have something to write, of later mounts.
func appendSome[T any](dst []byte, number byte, items []T, write func([]byte, *T) []byte) []byte {
	if len(laterVolumeMount) == 0 || len(items) == 0 {
		return dst
	}
	dst, list := begin(append(dst, number, typeBytes))
	for i := range items {
		var item int
		dst, item = begin(dst)
		if dst = write(dst, &items[i]); len(dst) == item {
			dst = dst[:item-4]
		} else {
			end(dst, item)
		}
	}
	return endOrDrop(dst, list)
}

// appendTarget writes a field that is a pointer, and not nil.
func (f *laterField) appendTarget(dst []byte, target unsafe.Pointer) []byte {
	switch f.kind {
	case laterText:
		return appendText(append(dst, f.number, typeBytes), *(*string)(target))
	case laterQuantity:
		return appendQuantity(append(dst, f.number, typeBytes), (*resource.Quantity)(target))
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
