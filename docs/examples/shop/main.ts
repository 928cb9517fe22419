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
  // Where the marketplace reaches us. It sends webhooks to loopback addresses in development only.
  SHOP_URL = '',
} = process.env;

if (!/^pk_(sandbox|test)_/.test(KEY_ID)) {
  // It registers a webhook endpoint by itself and has a button that plays the marketplace.
  console.error('This is a demonstration: give it KEY_ID and SECRET of a sandbox key.');
  process.exit(1);
}

// A visitor waits for the answer: better a page that says so soon than one that tries for minutes.
const patience = { timeoutMs: 8_000, maxRetries: 1, maxWaitMs: 2_000 };
const client = createClient({ baseUrl: BASE_URL, keyId: KEY_ID, secret: SECRET, ...patience });

// New at each start. With several processes, keep it where you keep SECRET.
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
  console.error(
    `The marketplace at ${BASE_URL} did not take the webhook endpoint.\n${error.message}`,
  );
  process.exit(1);
}
console.log(`The shop is open at ${shopUrl()}. Ctrl-C closes it.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    server.close();
    // Pages that are being watched would keep it open.
    server.closeAllConnections();
    await client.webhookEndpoints.remove().catch(() => {});
  });
}
