// Profiles of trace cases, right and wrong ones.

package generate

import (
	"slices"

	"libsched.dev/tests/oracle/cases"
)

type pluginRef struct {
	Name   string `json:"name"`
	Weight *int32 `json:"weight,omitempty"`
}

type pluginSet struct {
	Enabled  []pluginRef `json:"enabled,omitempty"`
	Disabled []pluginRef `json:"disabled,omitempty"`
}

type profileSpec struct {
	SchedulerName string                `json:"schedulerName,omitempty"`
	Plugins       map[string]*pluginSet `json:"plugins"`
	PluginConfig  []pluginRef           `json:"pluginConfig,omitempty"`
}

func (p *profileSpec) set(point string) *pluginSet {
	if p.Plugins[point] == nil {
		p.Plugins[point] = &pluginSet{}
	}
	return p.Plugins[point]
}

func (t *traceState) ref(name string) pluginRef {
	r := pluginRef{Name: name}
	if t.chance(0.5) {
		w := int32(t.r.IntN(6))
		if t.chance(0.03) {
			w = pick(t.gen, int32(1<<31-1), 1<<31-1, -2)
		}
		r.Weight = &w
	}
	return r
}

func (t *traceState) profile(fakes []cases.FakeSpec) *profileSpec {
	g := t.gen
	p := &profileSpec{Plugins: map[string]*pluginSet{}}
	if g.chance(0.3) {
		p.SchedulerName = "tracer"
	}
	multi := pick(g, 0, 0.5, 1)
	where := func(point string) string {
		if g.chance(0.5) {
			return "multiPoint"
		}
		return point
	}
	qs, bind := where("queueSort"), where("bind")
	p.set(qs).Enabled = append(p.set(qs).Enabled, pluginRef{Name: "PrioritySort"})
	binder, bound := g.chance(0.8), false
	if binder && g.chance(0.3) {
		p.set(bind).Enabled = append(p.set(bind).Enabled, pluginRef{Name: "DefaultBinder"})
		binder, bound = false, true
	}
	for _, f := range fakes {
		inMulti := g.chance(multi)
		if inMulti {
			p.set("multiPoint").Enabled = append(p.set("multiPoint").Enabled, t.ref(f.Name))
		}
		for _, point := range f.Points {
			if !slices.Contains(tracePoint, point) {
				continue
			}
			switch {
			case !inMulti && g.chance(0.9), inMulti && g.chance(0.2):
				p.set(point).Enabled = append(p.set(point).Enabled, t.ref(f.Name))
			case inMulti && g.chance(0.1):
				p.set(point).Disabled = append(p.set(point).Disabled, pluginRef{Name: f.Name})
			}
		}
	}
	for _, point := range tracePoint {
		s := p.Plugins[point]
		if s != nil {
			s.Enabled = shuffled(g, s.Enabled)
		}
		if g.chance(0.04) {
			p.set(point).Disabled = append(p.set(point).Disabled, pluginRef{Name: "*"})
		}
	}
	if t.aimed != nil {
		t.enableAimed(p)
	}
	s := p.Plugins["bind"]
	closed := s != nil && slices.ContainsFunc(s.Disabled, func(r pluginRef) bool { return r.Name == "*" })
	if binder || bound && bind == "multiPoint" && closed || !bound && !t.binds(p, fakes) {
		if closed {
			bind = "bind" // MultiPoint is not expanded there
		}
		p.set(bind).Enabled = append(p.set(bind).Enabled, pluginRef{Name: "DefaultBinder"})
	}
	if g.chance(0.5) && p.Plugins["multiPoint"] != nil {
		p.Plugins["multiPoint"].Enabled = shuffled(g, p.Plugins["multiPoint"].Enabled)
	}
	if g.chance(0.05) {
		p.set("multiPoint").Disabled = []pluginRef{{Name: pick(g, "*", fakes[0].Name)}} // without effect in the framework
	}
	return p
}

// enableAimed makes sure that the fake that should fail is enabled.
func (t *traceState) enableAimed(p *profileSpec) {
	point := ""
	for _, c := range traceCalls {
		if c[0] == t.focus {
			point = c[1]
		}
	}
	if point == "sign" {
		point = "preFilter"
		if !slices.Contains(t.aimed.Points, point) {
			return
		}
	}
	s := p.set(point)
	i := slices.IndexFunc(s.Enabled, func(r pluginRef) bool { return r.Name == t.aimed.Name })
	if i < 0 {
		i = len(s.Enabled)
		s.Enabled = append(s.Enabled, t.ref(t.aimed.Name))
	}
	if point == "bind" || point == "postFilter" || t.chance(0.5) {
		s.Enabled[0], s.Enabled[i] = s.Enabled[i], s.Enabled[0]
	}
}

// binds reports whether any fake is likely to bind.
func (t *traceState) binds(p *profileSpec, fakes []cases.FakeSpec) bool {
	if s := p.Plugins["bind"]; s != nil {
		return len(s.Enabled) > 0
	}
	s := p.Plugins["multiPoint"]
	return s != nil && slices.ContainsFunc(fakes, func(f cases.FakeSpec) bool {
		return slices.Contains(f.Points, "bind") && slices.ContainsFunc(s.Enabled, func(r pluginRef) bool { return r.Name == f.Name })
	})
}

// spoil makes a profile that cannot be built (in most cases).
func (t *traceState) spoil(p *profileSpec, fakes []cases.FakeSpec) []cases.FakeSpec {
	g := t.gen
	point := pick(g, append([]string{"multiPoint", "queueSort"}, tracePoint...)...)
	f := &fakes[g.r.IntN(len(fakes))]
	enable := func(point, name string) { p.set(point).Enabled = append(p.set(point).Enabled, pluginRef{Name: name}) }
	drop := func(name string) {
		for _, s := range p.Plugins {
			s.Enabled = slices.DeleteFunc(s.Enabled, func(r pluginRef) bool { return r.Name == name })
		}
	}
	switch g.r.IntN(11) {
	case 0: // unknown plugin
		enable(point, "nobody")
	case 1: // does not implement the point
		for _, q := range shuffled(g, tracePoint) {
			if !slices.Contains(f.Points, q) {
				enable(q, f.Name)
				break
			}
		}
	case 2: // twice at a point
		q := f.Points[0]
		enable(q, f.Name)
		enable(q, f.Name)
	case 3: // twice in MultiPoint
		enable("multiPoint", f.Name)
		enable("multiPoint", f.Name)
	case 4: // two QueueSort plugins
		f.Points = append(f.Points, "queueSort")
		enable(pick(g, "queueSort", "multiPoint"), f.Name)
	case 5: // no QueueSort plugin
		drop("PrioritySort")
	case 6: // no Bind plugin
		drop("DefaultBinder")
		for i := range fakes {
			fakes[i].Points = slices.DeleteFunc(fakes[i].Points, func(s string) bool { return s == "bind" })
		}
		if p.Plugins["bind"] != nil {
			p.Plugins["bind"].Enabled = nil
		}
	case 7: // the name is taken
		fakes = append(fakes, cases.FakeSpec{Name: pick(g, f.Name, "NodeName", "PrioritySort"), Points: []string{"filter"}})
	case 8: // the factory fails
		f.FactoryError = "cannot be built"
	case 9: // the plugin has another name than the profile
		f.InstanceName = "Somebody"
		if !slices.Contains(f.Points, "score") {
			f.Points = append(f.Points, "score")
		}
		if s := p.Plugins["score"]; s == nil || !slices.ContainsFunc(s.Enabled, func(r pluginRef) bool { return r.Name == f.Name }) {
			enable("score", f.Name)
		}
	case 10: // arguments twice
		p.PluginConfig = []pluginRef{{Name: f.Name}, {Name: f.Name}}
	}
	return fakes
}
