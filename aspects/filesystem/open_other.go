//go:build !unix

package filesystem

// withoutWaiting is not needed where no pipes have names among the files.
const withoutWaiting = 0
