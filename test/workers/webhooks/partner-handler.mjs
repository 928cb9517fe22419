// What a partner writes who has read nothing but the specification of deliveries: `X-Service-Signature` is the
// lowercase hex HMAC-SHA256 of the raw body, keyed with the secret that the partner registered; compare in constant
// time and verify before anything else; answer 200 within five seconds and work later; the same event may come again.
// It knows nothing of this project. The secret is in SECRET; each event that it handled is a line on standard output.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const handled = new Set();

const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const raw = Buffer.concat(parts);
  const expected = Buffer.from(createHmac('sha256', process.env.SECRET).update(raw).digest('hex'));
  const given = Buffer.from(request.headers['x-service-signature'] ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    response.writeHead(401).end();
    return;
  }
  response.writeHead(200).end();
  setImmediate(handle, JSON.parse(raw.toString('utf8')));
});

function handle({ id, type, created_at, partner_id, data }) {
  if (handled.has(id)) return;
  handled.add(id);
  console.log(JSON.stringify({ id, type, created_at, partner_id, domain: data.order?.domain }));
}

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
