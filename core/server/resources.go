package server

import (
	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

func (c *connection) hasResources() bool {
	a := c.aspect
	return len(a.Resources) > 0 || len(a.Templates) > 0 || a.OnResourcesRead != nil || a.DynamicResources
}

func (c *connection) hasSubscriptions() bool { return c.hasResources() && c.aspect.ResourceUpdates }

// listResources serves resources/list.
func (r *reading) listResources(q *request, m *wire.Message) bool {
	return serveList(r, q, m, &r.connection.tables.resources)
}

// listTemplates serves resources/templates/list.
func (r *reading) listTemplates(q *request, m *wire.Message) bool {
	return serveList(r, q, m, &r.connection.tables.templates)
}

// readResource serves resources/read.
func (r *reading) readResource(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure == nil {
		failure = q.readResume(m, uri, "")
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.call = core.NewCall(q, "", "", nil)
	q.serve = func(q *request) (core.Result, error) { return q.serveRead(uri) }
	return r.start(q)
}

// serveRead reads a resource of the table, one that a template describes, or
// one that only the aspect's hook knows.
func (q *request) serveRead(uri string) (core.Result, error) {
	c := q.connection
	if c.prepareError != nil {
		return nil, c.prepareError
	}
	if found, known := c.tables.resources.find(uri); known {
		return found.Read(&q.context, &q.call)
	}
	if found, variables := q.templateOf(uri); found != nil {
		q.call = q.call.WithVariables(variables)
		return found.Read(&q.context, &q.call)
	}
	var result core.Result
	var err error
	if c.aspect.OnResourcesRead != nil {
		result, err = c.aspect.OnResourcesRead(&q.context, &q.call)
	}
	if result == nil && err == nil {
		err = core.ResourceNotFound(uri)
	}
	return result, err
}

// templateOf gives the first template that the URI matches and that can be read.
func (q *request) templateOf(uri string) (*template, map[string][]string) {
	for _, candidate := range q.connection.tables.templates.state().order {
		if candidate.Pattern == nil || candidate.Read == nil {
			continue
		}
		if q.done() { // cancelled: there may be many templates
			return nil, nil
		}
		if variables, matched := candidate.Pattern.Match(uri); matched {
			return candidate, variables
		}
	}
	return nil, nil
}

func uriOf(m *wire.Message) (string, *core.Error) {
	uri := m.Param("uri")
	switch {
	case uri.Kind == wire.Absent:
		return "", core.InvalidParams("Missing parameter: uri")
	case uri.Kind != wire.String:
		return "", core.InvalidParams("uri is not a string")
	}
	return uri.Text(), nil
}
