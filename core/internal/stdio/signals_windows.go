package stdio

// CatchBrokenPipe does nothing: on Windows a write to a closed pipe is an error
// as it is.
func CatchBrokenPipe() (stop func()) {
	return func() {}
}
