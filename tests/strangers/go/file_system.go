package fsys

import "io/fs"

// Size reads from any file system.
func Size(fsys fs.FS, name string) (int, error) {
	data, err := fs.ReadFile(fsys, name)
	return len(data), err
}
