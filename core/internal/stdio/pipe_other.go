//go:build unix && !linux

package stdio

// pipeAtomic is the most that can be written, in bytes, to a pipe that is ready
// for writing, without waiting (PIPE_BUF, which POSIX has at 512 or more).
const pipeAtomic = 512
