package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

var baseURL, keyID, secret = os.Getenv("BASE_URL"), os.Getenv("KEY_ID"), os.Getenv("SECRET")

// call sends a signed request and reads the response into result. The hash covers
// the exact bytes that are sent.
func call(method, path string, query url.Values, body any, idempotencyKey string, result any) error {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return err
		}
	}
	// Encode sorts by name; a space is %20 in the canonical form.
	pairs := strings.ReplaceAll(query.Encode(), "+", "%20")
	timestamp, nonce := strconv.FormatInt(time.Now().Unix(), 10), randomHex()
	hash := sha256.Sum256(raw)
	canonical := strings.Join([]string{method, path, pairs, timestamp, nonce, hex.EncodeToString(hash[:])}, "\n")
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(canonical))

	address := strings.TrimSuffix(baseURL, "/") + path
	if pairs != "" {
		address += "?" + pairs
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Service-Key-Id", keyID)
	request.Header.Set("X-Service-Timestamp", timestamp)
	request.Header.Set("X-Service-Nonce", nonce)
	request.Header.Set("X-Service-Signature", "v1="+hex.EncodeToString(mac.Sum(nil)))
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return json.Unmarshal(text, result)
}

func randomHex() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(random)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if baseURL == "" || keyID == "" || secret == "" {
		log.Fatal("Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.")
	}
	if !strings.HasPrefix(keyID, "pk_") {
		log.Fatal("KEY_ID is the key that starts with pk_")
	}
	var found struct {
		Results []struct {
			Domain string `json:"domain"`
		} `json:"results"`
	}
	must(call("GET", "/api/partner/v1/domains/search", url.Values{"q": {"coffee"}}, nil, "", &found))
	if len(found.Results) == 0 {
		log.Fatal("Nothing was found.")
	}
	domain := found.Results[0].Domain
	fmt.Printf("search  %s\n", domain)

	var quote struct {
		ID    string `json:"quote_id"`
		Price int64  `json:"price_cents"`
	}
	must(call("POST", "/api/partner/v1/quotes", nil, map[string]any{"domain": domain}, "", &quote))
	fmt.Printf("quote   %s: %d cents\n", quote.ID, quote.Price)

	// Store the key with the sale: a retry sends the same key and body, with a new signature.
	sale := map[string]any{
		"domain":         domain,
		"quote_id":       quote.ID,
		"expected_price": quote.Price,
		"buyer":          map[string]string{"email": "buyer@example.com"},
	}
	var order struct {
		ID     string `json:"public_id"`
		Status string `json:"status"`
	}
	must(call("POST", "/api/partner/v1/orders", nil, sale, randomHex(), &order))
	fmt.Printf("order   %s\n", order.ID)

	must(call("GET", "/api/partner/v1/orders/"+order.ID, nil, nil, "", &order))
	fmt.Printf("status  %s\n", order.Status)
}
