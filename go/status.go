package libsched

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Code is the verdict of a plugin or the framework on a pod. Names and numbers are upstream's.
type Code int

const (
	Success                      Code = 0
	CodeError                    Code = 1 // upstream's fwk.Error
	Unschedulable                Code = 2
	UnschedulableAndUnresolvable Code = 3
	Wait                         Code = 4
	Skip                         Code = 5
	Pending                      Code = 6
)

var codeNames = [...]string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable",
	"Wait", "Skip", "Pending"}

func (c Code) String() string {
	if c < 0 || int(c) >= len(codeNames) {
		return "Code(" + strconv.Itoa(int(c)) + ")"
	}
	return codeNames[c]
}

// Status is a verdict. The nil Status is Success. A Status is immutable.
type Status struct {
	code    Code
	reasons []string
	plugin  string
	err     error
	one     [1]string // room for the usual single reason
}

// NewStatus returns a Status, for plugins and tests.
func NewStatus(code Code, reasons ...string) *Status {
	return &Status{code: code, reasons: slices.Clone(reasons)}
}

// AsStatus converts an error to a Status with CodeError; nil to nil.
func AsStatus(err error) *Status {
	if err == nil {
		return nil
	}
	s := &Status{code: CodeError, err: err}
	s.one[0] = err.Error()
	s.reasons = s.one[:]
	var failed *Error
	if errors.As(err, &failed) {
		s.plugin = failed.Plugin
	}
	return s
}

// WithPlugin returns a copy that names a plugin.
func (s *Status) WithPlugin(plugin string) *Status {
	if s == nil {
		return nil
	}
	return &Status{code: s.code, reasons: s.reasons, plugin: plugin, err: s.err}
}

// Code returns Success for a nil Status.
func (s *Status) Code() Code {
	if s == nil {
		return Success
	}
	return s.code
}

// Reasons returns upstream's texts. The slice must not be changed.
func (s *Status) Reasons() []string {
	if s == nil {
		return nil
	}
	return s.reasons
}

// Plugin returns the plugin that decided; "" on success.
func (s *Status) Plugin() string {
	if s == nil {
		return ""
	}
	return s.plugin
}

// Message returns the reasons in one line.
func (s *Status) Message() string { return strings.Join(s.Reasons(), ", ") }

func (s *Status) String() string {
	if message := s.Message(); message != "" {
		return s.Code().String() + ": " + message
	}
	return s.Code().String()
}

func (s *Status) IsSuccess() bool { return s.Code() == Success }
func (s *Status) IsSkip() bool    { return s.Code() == Skip }
func (s *Status) IsWait() bool    { return s.Code() == Wait }

// IsRejected reports whether the pod cannot be scheduled at present: Unschedulable,
// UnschedulableAndUnresolvable or Pending.
func (s *Status) IsRejected() bool {
	code := s.Code()
	return code == Unschedulable || code == UnschedulableAndUnresolvable || code == Pending
}

// AsError returns nil for Success, Wait and Skip, the error of the call if it failed (see [Error]),
// and an error with the message otherwise.
func (s *Status) AsError() error {
	switch {
	case s.IsSuccess() || s.IsWait() || s.IsSkip():
		return nil
	case s.err != nil:
		return s.err
	}
	return errors.New(s.Message())
}

// Equal compares code, reasons, plugin and error.
func (s *Status) Equal(other *Status) bool {
	if s == nil || other == nil {
		return s.IsSuccess() && other.IsSuccess()
	}
	return s.code == other.code && s.plugin == other.plugin && slices.Equal(s.reasons, other.reasons) &&
		errors.Is(s.err, other.err) && errors.Is(other.err, s.err)
}
