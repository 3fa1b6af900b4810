package server

import (
	"os"
	"sync"

	"mcpserver/core/internal/seal"
)

// sealing holds the sealer of states and cursors. It is made at first use: most
// connections have nothing to seal.
type sealing struct {
	once   sync.Once
	sealer *seal.Sealer
}

func (c *connection) sealer() *seal.Sealer {
	c.sealing.once.Do(func() {
		secret, err := seal.Random(), error(nil)
		if !c.options.selfTesting {
			secret, err = seal.Secret(os.Getenv, os.UserConfigDir)
		}
		if err != nil {
			c.trace.Errorf("states and cursors will not survive a restart: %v", err)
		}
		if c.sealing.sealer, err = seal.New(secret, c.aspect.Name); err != nil {
			// Only a wrong key size can bring this about.
			panic(err)
		}
	})
	return c.sealing.sealer
}
