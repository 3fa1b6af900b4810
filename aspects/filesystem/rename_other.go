//go:build !linux && !darwin

package filesystem

func rename(from, to place) error { return renameLooking(from, to) }
