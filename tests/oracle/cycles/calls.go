// The write calls of the scheduler, with their turns and faults.

package cycles

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/fakes"
)

// call is a write call that is under way.
type call struct {
	*cases.APICall
	s    *server
	rank int
}

// The ranks of calls: of two calls about one pod, the lower rank has its turn first.
const (
	rankPlugin = iota // calls of plugins, and volumes
	rankBind
	rankPatchStatus
	rankDelete
	rankPatchGroup
)

func (s *server) call(rank int, verb, name string) *call {
	return &call{&cases.APICall{Verb: verb, Name: name}, s, rank}
}

// begin waits for the turn of a write call and applies faults to it.
func (c *call) begin(ctx context.Context) error {
	c.s.park(c.rank, c.Verb, c.Name)
	c.At = time.Since(c.s.start).Nanoseconds()
	f := c.s.record(c.APICall)
	if f.Slow != "" {
		if err := fakes.Sleep(ctx, f.Slow); err != nil {
			return err
		}
		c.s.park(c.rank, c.Verb, c.Name)
		c.Done = time.Since(c.s.start).Nanoseconds()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch f.Error {
	case "":
		return nil
	case "conflict":
		return apierrors.NewConflict(podsResource.GroupResource(), c.Name, errors.New("the object has been modified"))
	case "notFound":
		return apierrors.NewNotFound(podsResource.GroupResource(), c.Name)
	case "timeout":
		return apierrors.NewTimeoutError("request did not complete", 0)
	}
	return errors.New(f.Error)
}

// end takes a second turn: the caller continues when everything that the call
// caused has been seen.
func (c *call) end(err error) error {
	if err != nil {
		c.Error = err.Error()
	}
	c.s.park(c.rank, c.Verb+" returns", c.Name)
	return err
}

// record adds a call to the list and returns the fault that it meets.
func (s *server) record(c *cases.APICall) cases.APIFault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c)
	for _, f := range s.faults {
		if f.Verb == c.Verb && (f.Name == "" || f.Name == c.Name) && (f.Times == 0 || s.used[f] < f.Times) {
			s.used[f]++
			return *f
		}
	}
	return cases.APIFault{}
}

// takeCalls returns the calls since the last time and forgets them. They are copies, because a slow
// call continues.
func (s *server) takeCalls() []*cases.APICall {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*cases.APICall
	for _, c := range s.calls {
		out = append(out, new(*c))
	}
	s.calls = nil
	return out
}
