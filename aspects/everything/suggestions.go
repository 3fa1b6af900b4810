package everything

import (
	"context"
	"slices"
	"strconv"

	"mcpserver/core"
)

// places are countries with some of their cities, in alphabetical order.
var places = []struct {
	country string
	cities  []string
}{
	{"France", []string{"Lyon", "Marseille", "Paris"}},
	{"Germany", []string{"Berlin", "Hamburg", "Munich"}},
	{"Greece", []string{"Athens", "Patras", "Thessaloniki"}},
	{"Italy", []string{"Milan", "Naples", "Rome"}},
	{"Japan", []string{"Kyoto", "Osaka", "Tokyo"}},
}

// suggest gives what completes an argument from among the candidates.
func suggest(call *core.Call, candidates ...string) (core.Result, error) {
	return core.Suggest(call.Completion().Value, candidates...), nil
}

func suggestFruits(_ context.Context, call *core.Call) (core.Result, error) {
	return suggest(call, "apple", "apricot", "banana", "blackberry", "blueberry", "cherry", "tangerine", "tomato")
}

func suggestURIs(_ context.Context, call *core.Call) (core.Result, error) {
	return suggest(call, exampleURI, embeddedURI, textURI)
}

func suggestCountries(_ context.Context, call *core.Call) (core.Result, error) {
	var countries []string
	for _, place := range places {
		countries = append(countries, place.country)
	}
	return suggest(call, countries...)
}

// suggestCities suggests those of the country that the user has chosen before,
// or all while there is none.
func suggestCities(_ context.Context, call *core.Call) (core.Result, error) {
	country, chosen := call.Completion().Chosen("country")
	var cities []string
	for _, place := range places {
		if !chosen || place.country == country {
			cities = append(cities, place.cities...)
		}
	}
	slices.Sort(cities)
	return suggest(call, cities...)
}

// suggestNumbers suggests more than one answer can have.
func suggestNumbers(_ context.Context, call *core.Call) (core.Result, error) {
	numbers := make([]string, 999)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i + 1)
	}
	return suggest(call, numbers...)
}
