package everything

import (
	_ "embed" // for the picture and the sound
	"encoding/base64"

	"mcpserver/core"
)

// picture is a face that smiles, of 32 by 32 pixels.
//
//go:embed picture.png
var picture string

// sound is an eighth of a second of the concert pitch, 440 Hz.
//
//go:embed sound.wav
var sound string

const (
	pictureType = "image/png"
	soundType   = "audio/wav"
)

// icons show the picture. It comes along as a data: URI, so a client need not
// fetch it.
func icons() []core.Icon {
	return []core.Icon{{
		Source:   "data:" + pictureType + ";base64," + base64.StdEncoding.EncodeToString([]byte(picture)),
		MIMEType: pictureType,
		Sizes:    []string{"32x32"},
	}}
}
