package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// IsGenuine checks X-Service-Signature.
func IsGenuine(secret, raw []byte, signature string) bool {
	expected := hex.EncodeToString(sign(secret, raw))
	return hmac.Equal([]byte(expected), []byte(signature))
}

// IsGenuineAndFresh checks webhook-id, webhook-timestamp and webhook-signature, and rejects webhooks that
// are more than five minutes old.
func IsGenuineAndFresh(secret, raw []byte, id, timestamp, signatures string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	key := secret
	// Only padded base64 after whsec_ is decoded; any other secret is the key itself.
	if strings.HasPrefix(string(secret), "whsec_") {
		if decoded, err := base64.StdEncoding.DecodeString(string(secret[6:])); err == nil {
			key = decoded
		}
	}
	digest := sign(key, []byte(id+"."+timestamp+"."), raw)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(digest))
	for _, each := range strings.Split(signatures, " ") {
		if hmac.Equal(expected, []byte(each)) {
			return true
		}
	}
	return false
}

func sign(secret []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
