// Messages of google.protobuf.Any, whole and broken.

package generate

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// jsonValue makes a value of JSON, perhaps one that is not set.
func (c *celGen) jsonValue(depth int) *structpb.Value {
	switch c.r.IntN(7) {
	case 0:
		return structpb.NewNullValue()
	case 1:
		return structpb.NewNumberValue(pick(c.gen, 0, -1.5, 3, 1e300))
	case 2:
		return structpb.NewStringValue(pick(c.gen, "", "a", "äöü"))
	case 3:
		return structpb.NewBoolValue(c.chance(0.5))
	case 4:
		return &structpb.Value{}
	}
	if depth == 3 {
		return structpb.NewNullValue()
	}
	if c.chance(0.5) {
		return structpb.NewListValue(c.jsonList(depth + 1))
	}
	return structpb.NewStructValue(c.jsonObject(depth + 1))
}

func (c *celGen) jsonList(depth int) *structpb.ListValue {
	out := &structpb.ListValue{}
	for range c.r.IntN(3) {
		out.Values = append(out.Values, c.jsonValue(depth))
	}
	return out
}

// jsonObject has one field at most: the order of several is not upstream's.
func (c *celGen) jsonObject(depth int) *structpb.Struct {
	out := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	if c.chance(0.7) {
		out.Fields[pick(c.gen, "", "a", "b")] = c.jsonValue(depth)
	}
	return out
}

func (c *celGen) message(depth int) proto.Message {
	switch c.r.IntN(16) {
	case 0:
		return wrapperspb.Bool(c.chance(0.5))
	case 1:
		return wrapperspb.Bytes(pick(c.gen, nil, []byte("a"), []byte{0xff, 0}))
	case 2:
		return wrapperspb.Double(pick(c.gen, 0, 1.5, -1e308))
	case 3:
		return wrapperspb.Float(pick[float32](c.gen, 0, 1.5, -1e38))
	case 4:
		return wrapperspb.Int32(pick[int32](c.gen, 0, 7, -1))
	case 5:
		return wrapperspb.Int64(pick[int64](c.gen, 0, 7, -1, -1<<63))
	case 6:
		return wrapperspb.String(pick(c.gen, "", "a", "äöü"))
	case 7:
		return wrapperspb.UInt32(pick[uint32](c.gen, 0, 7, 1<<32-1))
	case 8:
		return wrapperspb.UInt64(pick[uint64](c.gen, 0, 7, 1<<64-1))
	case 9:
		return c.jsonList(0)
	case 10:
		return c.jsonObject(0)
	case 11:
		return c.jsonValue(0)
	case 12:
		return &durationpb.Duration{Seconds: pick[int64](c.gen, 0, 5, -5, 1<<40), Nanos: pick[int32](c.gen, 0, 500)}
	case 13:
		return &timestamppb.Timestamp{Seconds: pick[int64](c.gen, 0, 1790000000), Nanos: pick[int32](c.gen, 0, 500)}
	case 14:
		return &emptypb.Empty{}
	}
	if depth == 2 {
		return &anypb.Any{}
	}
	inner := c.message(depth + 1)
	raw, err := proto.Marshal(inner)
	if err != nil {
		panic(err) // texts are valid
	}
	return &anypb.Any{TypeUrl: c.typeURL(inner), Value: raw}
}

func (c *celGen) typeURL(m proto.Message) string {
	return pick(c.gen, "type.googleapis.com/", "type.googleapis.com/", "", "x/y/") + string(m.ProtoReflect().Descriptor().FullName())
}

// anyMessage is a message of a known type, now and then with other bytes or of another type.
func (c *celGen) anyMessage() string {
	m := c.message(0)
	raw, err := proto.Marshal(m)
	if err != nil {
		panic(err) // texts are valid
	}
	url := c.typeURL(m)
	if c.chance(0.15) {
		url = c.typeURL(c.message(0))
	}
	if c.chance(0.05) {
		url = pick(c.gen, "", "nope", "google.protobuf.")
	}
	for c.chance(0.2) {
		switch {
		case len(raw) == 0 || c.chance(0.3):
			raw = append(raw, byte(c.r.IntN(256)))
		case c.chance(0.5):
			raw[c.r.IntN(len(raw))] = byte(c.r.IntN(256))
		case c.chance(0.5):
			raw = append(raw, raw...)
		default:
			raw = raw[:len(raw)-1]
		}
	}
	var bytes strings.Builder
	for _, b := range raw {
		fmt.Fprintf(&bytes, `\x%02x`, b)
	}
	return fmt.Sprintf("google.protobuf.Any{type_url: '%s', value: b'%s'}", url, bytes.String())
}
