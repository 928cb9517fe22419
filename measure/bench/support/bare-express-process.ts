import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { profileUntilExit } from './profile.ts';
import { tellUsage } from './tell-usage.ts';

// The machine's limit for HTTP requests: Express with routes that return a constant.
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/api/partner/v1/availability', (_req, res) => {
  res.json({ domain: 'example.com', available: true, price_cents: 485_000, currency: 'USD' });
});
app.get('/r/:code', (_req, res) => {
  res.redirect('http://localhost:3000/');
});
app.post('/api/oauth/token', express.raw({ type: () => true }), (_req, res) => {
  res.json({ access_token: 'a', token_type: 'Bearer', expires_in: 1_800, refresh_token: 'b' });
});
app.get('/page', (_req, res) => {
  res.send('<!doctype html><title>Page</title><p>One line.');
});
app.get('/readyz', (_req, res) => {
  res.json({ status: 'ok' });
});
tellUsage();
profileUntilExit('bare-express');
const server = createServer(app);
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
process.once('SIGTERM', () => process.exit(0));
