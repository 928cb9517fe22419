import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createShop } from '../../docs/examples/shop/shop.ts';
import type { Client } from '../../sdk/src/client.ts';
import type { TestApp } from './app.ts';
import { sdkClient } from './sdk.ts';
import type { KeyPair } from './signed-client.ts';

/** The sample shop of docs/examples, running on its own port. */
export interface TestShop {
  url: string;
  /** The partner's own client, for everything else. */
  client: Client;
  webhookSecret: string;
  /** The shop's `GET /v1/orders/ord_...` requests to the marketplace. */
  asked: string[];
  /** Makes the marketplace unreachable from now on, or reachable again. */
  loseMarket(lost: boolean): void;
  /** Moves only the shop's clock. */
  advance(ms: number): void;
  stop(): Promise<void>;
}

/** Opens the shop and registers its endpoint, as its main.ts does. */
export async function openShop(app: TestApp, keys: KeyPair): Promise<TestShop> {
  const webhookSecret = 'the secret of the shop';
  const asked: string[] = [];
  let lost = false;
  let ahead = 0;
  const client = sdkClient(app, keys, {
    maxRetries: 0,
    onAttempt: ({ method, path }) => asked.push(`${method} ${path.replace('/api/partner', '')}`),
    fetch: (input, init) => (lost ? Promise.reject(new TypeError('lost')) : fetch(input, init)),
  });
  const shop = createShop({
    client,
    marketUrl: app.url,
    shopUrl: () => url,
    webhookSecret,
    log: () => {},
    now: () => app.runtime.clock.now().getTime() + ahead,
  });
  const server = createServer(shop);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await client.webhookEndpoints.register({ url: `${url}/webhooks`, secret: webhookSecret });
  return {
    url,
    client: sdkClient(app, keys),
    webhookSecret,
    asked,
    loseMarket(value) {
      lost = value;
    },
    advance(ms) {
      ahead += ms;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
