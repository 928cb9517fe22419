package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// IsGenuine tells whether a delivery is genuine. raw is the body as it came, before anything parsed it.
func IsGenuine(secret string, raw []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(raw)
	given, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(mac.Sum(nil), given)
}
