package config

type Variables struct {
	LookupEnv func(string) (string, bool)
	Inputs    map[string]string
	Ask       func(Input) (string, error)
}

func (f *File) Resolve(e Entry, v *Variables) (Entry, error) { return e, nil }
