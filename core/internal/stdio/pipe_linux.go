package stdio

// pipeAtomic is the most that can be written, in bytes, to a pipe that is ready
// for writing, without waiting (PIPE_BUF).
const pipeAtomic = 4096
