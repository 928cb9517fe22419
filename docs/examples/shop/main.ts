// A partner's shop. `npm run shop` starts it beside `npm start`; anywhere else:
//   BASE_URL=https://market.example KEY_ID=pk_sandbox_... SECRET=sk_sandbox_... npx tsx main.ts
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, ServiceError } from '@domain-marketplace/sdk';
import { createShop } from './shop.ts';

const {
  BASE_URL = 'http://localhost:3000',
  KEY_ID = '',
  SECRET = '',
  PORT = '4000',
  // Where the marketplace sends webhooks. It accepts loopback addresses only in development.
  SHOP_URL = '',
} = process.env;

if (!/^pk_(sandbox|test)_/.test(KEY_ID)) {
  // Registers a webhook endpoint by itself, and shows a button that simulates the marketplace.
  console.error('This is a demo: set KEY_ID and SECRET to those of a SANDBOX key.');
  process.exit(1);
}

// A visitor is waiting: an early error page is better than minutes of retries.
const patience = { timeoutMs: 8_000, maxRetries: 1, maxWaitMs: 2_000 };
const client = createClient({ baseUrl: BASE_URL, keyId: KEY_ID, secret: SECRET, ...patience });

// New at each start. If you run several processes, store it where you store SECRET.
const webhookSecret = randomBytes(32).toString('hex');

const shopUrl = (): string =>
  SHOP_URL || `http://localhost:${(server.address() as AddressInfo).port}`;
const server = createServer(createShop({ client, marketUrl: BASE_URL, shopUrl, webhookSecret }));
server.listen(Number(PORT));
try {
  await once(server, 'listening');
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
  console.error(`Port ${PORT} is in use. Choose another: PORT=4001 npm run shop`);
  process.exit(1);
}

try {
  await client.webhookEndpoints.register({ url: `${shopUrl()}/webhooks`, secret: webhookSecret });
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  console.error(`The marketplace at ${BASE_URL} rejected the webhook endpoint.\n${error.message}`);
  process.exit(1);
}
console.log(`The shop is running at ${shopUrl()}. Press Ctrl-C to stop it.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    // Open event streams would keep the server running.
    server.closeAllConnections();
    await client.webhookEndpoints.remove().catch(() => {});
  });
}
