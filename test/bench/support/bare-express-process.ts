import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

// The limit for a read and for a redirect: Express with routes that answer a constant.
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/api/partner/v1/availability', (_req, res) => {
  res.json({ domain: 'example.com', available: true, price_cents: 485_000, currency: 'USD' });
});
app.get('/r/:code', (_req, res) => {
  res.redirect('http://localhost:3000/');
});
const server = createServer(app);
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.once('SIGTERM', () => process.exit(0));
