// Package seal protects what a server gives a client to keep and to send back:
// encrypted and authenticated, bound to what it was made for, and expiring.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// KeySize is the size of a key in bytes.
const KeySize = 32

// version begins every sealed text, so that a later form can be told apart.
const version = 1

// ErrInvalid says that a text was not sealed with this key and binding, was
// changed, or has expired. It does not say which.
var ErrInvalid = errors.New("not a valid sealed state")

// Sealer seals and opens. It is safe from any goroutine.
type Sealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

// New gives a sealer whose key is derived from the secret for one purpose, so
// that what is sealed for one cannot be opened for another.
func New(secret []byte, purpose string) (*Sealer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, KeySize)
	if err != nil {
		return nil, fmt.Errorf("deriving a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("making a cipher: %w", err)
	}
	return &Sealer{aead: aead, now: time.Now}, nil
}

// Seal gives a text that Open accepts with the same binding for that long.
func (s *Sealer) Seal(payload []byte, lifetime time.Duration, binding ...string) string {
	plain := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(lifetime).UnixMilli()))
	plain = append(plain, payload...)
	sealed := s.aead.Seal([]byte{version}, nil, plain, bind(binding))
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open gives the payload of a sealed text, or ErrInvalid.
func (s *Sealer) Open(text string, binding ...string) ([]byte, error) {
	// Even a strict decoder passes over line breaks.
	if strings.ContainsAny(text, "\r\n") {
		return nil, ErrInvalid
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(sealed) == 0 || sealed[0] != version {
		return nil, ErrInvalid
	}
	plain, err := s.aead.Open(nil, nil, sealed[1:], bind(binding))
	if err != nil || len(plain) < 8 {
		return nil, ErrInvalid
	}
	if uint64(s.now().UnixMilli()) >= binary.BigEndian.Uint64(plain) {
		return nil, ErrInvalid
	}
	return plain[8:], nil
}

// bind joins the parts so that no other parts give the same bytes.
func bind(parts []string) []byte {
	var joined []byte
	for _, part := range parts {
		joined = strconv.AppendInt(joined, int64(len(part)), 10)
		joined = append(append(joined, ':'), part...)
	}
	return joined
}
