// Values as texts.

package cel

import (
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Render writes a value with its type, maps sorted by their keys' texts.
func Render(v ref.Val) string {
	switch t := v.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(t))
	case types.Int:
		return fmt.Sprintf("int(%d)", int64(t))
	case types.Uint:
		return fmt.Sprintf("uint(%d)", uint64(t))
	case types.Double:
		return "double(" + strconv.FormatFloat(float64(t), 'g', -1, 64) + ")"
	case types.String:
		return strconv.QuoteToASCII(string(t))
	case types.Bytes:
		return "bytes(" + hex.EncodeToString(t) + ")"
	case types.Timestamp:
		return "timestamp(" + t.Time.UTC().Format(time.RFC3339Nano) + ")"
	case types.Duration:
		return fmt.Sprintf("duration(%dns)", t.Duration.Nanoseconds())
	case *types.Optional:
		if !t.HasValue() {
			return "optional()"
		}
		return "optional(" + Render(t.GetValue()) + ")"
	case apiservercel.Quantity:
		return "quantity(" + t.Quantity.String() + ")"
	case *apiservercel.Quantity: // what add and sub return; == cares
		return "&quantity(" + t.Quantity.String() + ")"
	case apiservercel.Semver:
		return "semver(" + t.Version.String() + ")"
	case apiservercel.URL:
		return "url(" + strconv.QuoteToASCII(t.URL.String()) + ")"
	case apiservercel.IP:
		return "ip(" + t.Addr.String() + ")"
	case apiservercel.CIDR:
		return "cidr(" + t.Prefix.String() + ")"
	case apiservercel.Format:
		return "format(" + t.Name + ")"
	case traits.Lister:
		var out []string
		for it := t.Iterator(); it.HasNext() == types.True; {
			out = append(out, Render(it.Next()))
		}
		return "[" + strings.Join(out, ", ") + "]"
	case traits.Mapper:
		var out []string
		for it := t.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			out = append(out, Render(k)+": "+Render(t.Get(k)))
		}
		sort.Strings(out)
		return "{" + strings.Join(out, ", ") + "}"
	case ref.Type:
		return "type(" + t.TypeName() + ")"
	}
	return v.Type().TypeName() + "(?)"
}
