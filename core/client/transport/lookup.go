package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// findCommand gives the path of the program that a command names. A command
// without a separator is looked for in the PATH that the child will have; one
// with a separator is relative to the child's directory. A ~ at its beginning
// is the home directory. The error names what was looked for, and where.
func findCommand(command, directory string, variables environment) (string, error) {
	if command == "" {
		return "", errors.New("there is no command")
	}
	command, err := expandHome(command, variables)
	if err != nil {
		return "", err
	}
	extensions := executableExtensions(variables)
	if strings.ContainsRune(command, '/') || strings.ContainsRune(command, filepath.Separator) {
		path := command
		if !filepath.IsAbs(path) {
			path = filepath.Join(directory, path)
		}
		if path, err = filepath.Abs(path); err != nil {
			return "", fmt.Errorf("the command %q: %w", command, err)
		}
		found, err := executable(path, extensions)
		if err != nil {
			return "", fmt.Errorf("the command %q cannot be started: %w", command, err)
		}
		return found, nil
	}
	search := variables.get("PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) {
			continue // a program of that name in some current directory is not what was meant
		}
		if found, err := executable(filepath.Join(folder, command), extensions); err == nil {
			return found, nil
		}
	}
	if name, _, spaced := strings.Cut(command, " "); spaced {
		return "", fmt.Errorf("there is no command %q: if %q is the command, what follows belongs to its arguments", command, name)
	}
	return "", fmt.Errorf("there is no command %q in the server's PATH, which is %q", command, search)
}

// expandHome replaces a ~ that stands for the home directory.
func expandHome(path string, variables environment) (string, error) {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok {
		return path, nil
	}
	if rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return "", fmt.Errorf("the home directory of another user, as in %q, is not known", path)
	}
	home := variables.get("HOME")
	if runtime.GOOS == "windows" {
		home = variables.get("USERPROFILE")
	}
	if home == "" {
		return "", fmt.Errorf("%q needs a home directory, and the environment names none", path)
	}
	return filepath.Join(home, rest), nil
}

// executableExtensions are what may be left out at the end of a program's name.
func executableExtensions(variables environment) []string {
	if runtime.GOOS != "windows" {
		return nil
	}
	list := variables.get("PATHEXT")
	if list == "" {
		list = ".com;.exe;.bat;.cmd"
	}
	return strings.Split(strings.ToLower(list), ";")
}

// executable gives the path, perhaps with an extension, of a program that can
// be executed.
func executable(path string, extensions []string) (string, error) {
	err := checkExecutable(path, extensions)
	if err == nil {
		return path, nil
	}
	for _, extension := range extensions {
		if extension != "" && checkExecutable(path+extension, extensions) == nil {
			return path + extension, nil
		}
	}
	return "", err
}

func checkExecutable(path string, extensions []string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory", path)
	case len(extensions) > 0:
		if !hasExtension(path, extensions) {
			return fmt.Errorf("%s is no program", path)
		}
	case info.Mode()&0o111 == 0:
		return fmt.Errorf("%s may not be executed: %w", path, fs.ErrPermission)
	}
	return nil
}

func hasExtension(path string, extensions []string) bool {
	for _, extension := range extensions {
		if extension != "" && strings.EqualFold(filepath.Ext(path), extension) {
			return true
		}
	}
	return false
}

// batchProblem tells why arguments cannot be given to a Windows batch file: its
// interpreter reads them a second time by rules of its own, and what it makes
// of these characters depends on the file. The answer is "" when they can.
func batchProblem(path string, arguments []string) string {
	if !hasExtension(path, []string{".bat", ".cmd"}) {
		return ""
	}
	for _, argument := range arguments {
		if i := strings.IndexAny(argument, "\"%^&|<>!\r\n\x00"); i >= 0 {
			return fmt.Sprintf("%s is a batch file, which cannot be given the character %q of the argument %q unchanged; "+
				"name the program that it starts instead", path, argument[i], argument)
		}
	}
	return ""
}
