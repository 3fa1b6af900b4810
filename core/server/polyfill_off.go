//go:build nopolyfill

package server

// promptTools: this build has none.
func promptTools() []*tool { return nil }
