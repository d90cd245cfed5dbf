// The table of YAML: the JSON that sigs.k8s.io/yaml makes of scalars, keys, documents and streams.

package tables

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"libsched.dev/tests/oracle/kube"
	"sigs.k8s.io/yaml"
)

//go:embed yamls.txt
var yamlTexts string

// YAMLEntry is one text. Bytes that are no UTF-8 cannot stand in JSON, so Latin1
// texts have one character for each byte.
type YAMLEntry struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Latin1 bool   `json:"latin1,omitempty"`
	// JSON is the result, as text; Documents those of a stream.
	JSON string `json:"json,omitempty"`
	// Varies: upstream walks a map in which two keys become the same.
	Varies    bool        `json:"varies,omitempty"`
	Error     string      `json:"error,omitempty"`
	Strict    string      `json:"strictError,omitempty"`
	Documents []YAMLEntry `json:"documents,omitempty"`
}

func yamlTable() (any, error) {
	documents, streams := yamlEntries()
	for i := range documents {
		documents[i].convert([]byte(documents[i].Text))
	}
	for i := range streams {
		streams[i].split()
	}
	var scalars, keys [][]any
	for _, s := range yamlScalars() {
		scalars = append(scalars, yamlRow(s, "v: "+s+"\n"))
		keys = append(keys, yamlRow(s, s+": 1\n"))
	}
	for i := range documents {
		documents[i].latin1()
	}
	return map[string]any{
		"kubernetes": kube.Kubernetes,
		"scalars":    map[string]any{"document": "v: TEXT\n", "columns": []string{"text", "json", "error"}, "rows": scalars},
		"keys":       map[string]any{"document": "TEXT: 1\n", "columns": []string{"text", "json", "error"}, "rows": keys},
		"documents":  documents,
		"streams":    streams,
	}, nil
}

func yamlRow(text, document string) []any {
	out, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		return []any{text, "", err.Error()}
	}
	return []any{text, string(out)}
}

func (e *YAMLEntry) convert(text []byte) {
	out, err := yaml.YAMLToJSON(text)
	if err != nil {
		e.Error = err.Error()
		return
	}
	e.JSON = string(out)
	for range 400 {
		if again, _ := yaml.YAMLToJSON(text); string(again) != e.JSON {
			e.JSON, e.Varies = "", true
			break
		}
	}
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		e.Strict = err.Error()
	}
}

// split takes a stream apart as kubectl does.
func (e *YAMLEntry) split() {
	r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader([]byte(e.Text))))
	for i := 0; ; i++ {
		doc, err := r.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			e.Error = err.Error()
			return
		}
		d := YAMLEntry{Name: strconv.Itoa(i), Text: string(doc)}
		d.convert(doc)
		e.Documents = append(e.Documents, d)
	}
}

func (e *YAMLEntry) latin1() {
	if utf8.ValidString(e.Text) {
		return
	}
	var b strings.Builder
	for _, c := range []byte(e.Text) {
		b.WriteRune(rune(c))
	}
	e.Text, e.Latin1 = b.String(), true
}

// yamlEntries takes yamls.txt apart and resolves its escapes.
func yamlEntries() (documents, streams []YAMLEntry) {
	list := &documents
	for _, part := range strings.Split(yamlTexts, "\n== ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		body, rest, ends := strings.Cut(body+"\n", "\n=== ")
		if ends {
			body += "\n"
		}
		*list = append(*list, YAMLEntry{Name: name, Text: unescape(body)})
		if ends && strings.HasPrefix(rest, "streams") {
			list = &streams
		}
	}
	return documents, streams
}

// unescape resolves the short forms of yamls.txt; a double backslash is one.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '\\':
			b.WriteByte('\\')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case '\n': // no line feed
		case 'x':
			n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				panic(err)
			}
			b.WriteByte(byte(n))
			i += 2
		case 'u':
			end := strings.IndexByte(s[i:], '}')
			n, err := strconv.ParseUint(s[i+2:i+end], 16, 32)
			if err != nil {
				panic(err)
			}
			b.WriteRune(rune(n))
			i += end
		default:
			panic(fmt.Sprintf("unknown escape %q in yamls.txt", s[i]))
		}
	}
	return b.String()
}

// yamlScalars are plain scalars: all that YAML 1.1 and 1.2 give a type, what is
// close to them, and random ones.
func yamlScalars() []string {
	var out []string
	for _, w := range []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "t", "f", "nil", "none", "nan", "inf", ".nan", ".inf", "-.inf", "+.inf"} {
		for _, v := range []string{w, strings.ToUpper(w), strings.ToUpper(w[:1]) + w[1:], strings.ToUpper(w[:min(2, len(w))]) + w[min(2, len(w)):], w + "x", "'" + w + "'", "\"" + w + "\""} {
			out = append(out, v)
		}
	}
	out = append(out, strings.Fields(`~ ~~ <<  = . .. ... - -- --- + ++ _ __ : ? ! & * | > % @ [] {} '' "" ['] [a] {a} 0 00 000 -0 +0 1 +1 -1 01 -01 +01 007 08 09 010 0777 -0777 +0777 00777 0o17 0O17 -0o17 +0o17 0o8 0o 0o_17
		0x 0x0 0xF 0Xf 0xff -0xff +0xff 0x1_0 0xg 0x_ff 0b 0b0 0b11 0B11 -0b11 +0b11 0b2 0b1_1 1_000 1__000 _1 1_ -1_0 1_0.5 1,000 1:30 190:20:30 12:30:45 -1:30 1:60 0:0 20:30.5 1.5:30
		0. .0 0.0 -0.0 +0.0 1. .5 -.5 +.5 5. -5. 1.5 +1.5 -1.5 1.50 01.5 00.5 1.5.2 1..5 1e3 1E3 1e+3 1e-3 1.e3 .5e3 1.5e3 1.5E+3 -1e3 +1e3 e3 1e 1e+ 1e3.5 1e3e 0e0 0e5 1e0 1_0e3 1e1_0
		1e308 1e309 -1e309 1e400 1e-400 4.9e-324 2.2250738585072014e-308 1.7976931348623157e308 0.1 0.2 0.30000000000000004 1e15 1e16 1e17 1e20 1e21 1e22 123456789.123456789 100.0 1e-5 1e-6 1e-7 0.000001 0.0000001
		9007199254740991 9007199254740992 9007199254740993 2147483647 2147483648 -2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809
		18446744073709551615 18446744073709551616 -18446744073709551616 99999999999999999999 123456789012345678901234567890 0xffffffffffffffff 0x10000000000000000 0x7fffffffffffffff -0x8000000000000000 0777777777777777777777 01777777777777777777777 02777777777777777777777
		1Gi 500m 1.5Gi 1k 1e3m 12abc abc12 a b-c b_c b.c b/c a=b a:b v1 1.2.3 1.2.3.4 10.0.0.1/8 sha256:abc 1d 1f 1u 1L 0f 0d infinity Infinity NAN -inf -nan +nan -.nan +.nan ..inf .inF .Inf .INF -.INF -.Inf .NaN .NAN .nAN
		2001-01-01 2001-1-1 2001-01-1 2001-13-01 2001-12-14t21:59:43.10-05:00 2001-12-15T02:59:43.1Z 2001-12-14T21:59:43Z 2001-12-14t21:59:43z 20010101 2001-01-01T 2001-01 12:30 12-30
		TRUE False tRUE Null NULL nULL ~1 !x !!str !!int !!str1 'a' "a" 'a"b' "a'b" 'it''s' "a\nb" "\u0041" 'true' "1" '1' "0x10" a#b #a a,b [a,b] {a:1} a]b a}b é 値 😀 A=B <<x x<< >x |x @x %x `+"`x x`y"+` *x &x &x1 !!null !!bool !!float`)...)
	out = append(out, "a b", "1 2", "true x", "- a", "a - b", "a #b", "a: b", "2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43", "!!str 1", "!!int 1", "!!int 0x10", "!!float 1", "!!bool on", "!!null x", "!!str ~", "! 1", "&x 1",
		"!!str 'x'", "", " ", "  1  ", "1 # one", "'a  b'", "\"a  b\"", "!!int '0o17'", "!!float '.5'", "!!float 1e3", "!!int 1.5", "!!float 0x10", "!!bool 'true'")
	r := rand.New(rand.NewPCG(20260102, 11))
	const letters = "0123456789012345670101..__+-eExXobnys~:fFaAlL"
	for range 900 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		out = append(out, b.String())
	}
	seen := map[string]bool{}
	list := out[:0]
	for _, s := range out {
		if !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	return list
}
