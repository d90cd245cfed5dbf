package libsched

// #include "bridge.h"
import "C"

// A Fact tells what is behind one reason of a verdict, as named fields, such as "requested" and
// "free". docs/facts.md lists the fields of each plugin.
type Fact struct {
	Reason string
	Fields []FactField
}

// FactField is one field of a Fact. Value is an int64, a bool, a string or a []string. Amounts of cpu
// are in thousandths of a core, those of memory and storage in bytes.
type FactField struct {
	Name  string
	Value any
}

// Get returns the value of a field, nil if the fact has none of this name.
func (f Fact) Get(name string) any {
	for _, field := range f.Fields {
		if field.Name == name {
			return field.Value
		}
	}
	return nil
}

// Facts returns the facts of a node's verdict: at least one for each reason of an in-tree plugin, if
// CheckOptions.Facts asked for them. Errors of plugins have none.
func (d *Decision) Facts(node string) []Fact {
	ptr, ok := d.h.acquire()
	if !ok {
		return nil
	}
	defer d.h.release()
	i := indexOf(ptr, node)
	if i < 0 {
		return nil
	}
	return factsOf(ptr, C.size_t(i))
}

// PodFacts returns the facts of a rejection of the pod as a whole, by PreEnqueue or PreFilter.
func (d *Decision) PodFacts() []Fact {
	return ask(d.h, func(ptr *C.libsched_decision) []Fact { return factsOf(ptr, C.libsched_decision_node_count(ptr)) })
}

func factsOf(ptr *C.libsched_decision, node C.size_t) []Fact {
	texts := interner{}
	facts := make([]Fact, C.libsched_decision_fact_count(ptr, node))
	for i := range facts {
		fact := C.size_t(i)
		facts[i].Reason = texts.string(C.libsched_decision_fact_reason(ptr, node, fact))
		facts[i].Fields = make([]FactField, C.libsched_decision_fact_field_count(ptr, node, fact))
		for j := range facts[i].Fields {
			field := C.size_t(j)
			facts[i].Fields[j] = FactField{
				texts.string(C.libsched_decision_fact_field_name(ptr, node, fact, field)),
				factValue(ptr, node, fact, field)}
		}
	}
	return facts
}

func factValue(ptr *C.libsched_decision, node, fact, field C.size_t) any {
	switch C.libsched_decision_fact_type(ptr, node, fact, field) {
	case C.LIBSCHED_FACT_FLAG:
		return C.libsched_decision_fact_number(ptr, node, fact, field) != 0
	case C.LIBSCHED_FACT_TEXT:
		return goString(C.libsched_decision_fact_text(ptr, node, fact, field, 0))
	case C.LIBSCHED_FACT_TEXTS:
		list := make([]string, C.libsched_decision_fact_text_count(ptr, node, fact, field))
		for i := range list {
			list[i] = goString(C.libsched_decision_fact_text(ptr, node, fact, field, C.size_t(i)))
		}
		return list
	default:
		return int64(C.libsched_decision_fact_number(ptr, node, fact, field))
	}
}
