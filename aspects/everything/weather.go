package everything

import (
	"context"
	"fmt"
	"hash/fnv"

	"mcpserver/core"
)

// mostDays is the longest forecast, in days.
const mostDays = 7

// forecastInput is what the tool weather takes.
type forecastInput struct {
	City string `json:"city" jsonschema:"Which city; any name will do"`
	Days int    `json:"days,omitempty" jsonschema:"How many days to forecast, up to 7; without it, none"`
}

// weather is what is said of a city's weather.
type weather struct {
	City     string `json:"city" jsonschema:"The city that was asked for"`
	Today    day    `json:"today" jsonschema:"The weather of today"`
	Forecast []day  `json:"forecast" jsonschema:"The weather of the days after today, in their order"`
}

type day struct {
	Sky      string `json:"sky" jsonschema:"Clear, cloudy, rain or snow"`
	Celsius  int    `json:"celsius" jsonschema:"How warm it is"`
	Humidity int    `json:"humidity" jsonschema:"Of the air, in percent"`
}

func forecast(_ context.Context, _ *core.Call, asked forecastInput) (weather, error) {
	if asked.Days < 0 || asked.Days > mostDays {
		return weather{}, fmt.Errorf("days is %d; a forecast is for up to %d days", asked.Days, mostDays)
	}
	made := weather{City: asked.City, Today: dayIn(asked.City, 0)}
	for after := range asked.Days {
		made.Forecast = append(made.Forecast, dayIn(asked.City, after+1))
	}
	return made, nil
}

// dayIn makes up the weather of a day, so many days after today.
func dayIn(city string, after int) day {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%d %s", after, city)
	chance := int(hash.Sum32() >> 8) // not negative on any platform
	skies := []string{"clear", "cloudy", "rain", "snow"}
	return day{
		Sky:      skies[chance%len(skies)],
		Celsius:  chance/4%40 - 5,
		Humidity: chance / 160 % 101,
	}
}
