import { type Client, createClient } from '../../sdk/src/client.ts';
import type { ClientOptions } from '../../sdk/src/options.ts';
import type { TestApp } from './app.ts';
import type { KeyPair } from './signed-client.ts';

/** The SDK's client of a test app; it signs with the app's time. */
export function sdkClient(
  app: TestApp,
  { keyId, secret }: KeyPair,
  options: Partial<ClientOptions> = {},
): Client {
  const now = () => app.runtime.clock.now().getTime();
  return createClient({ baseUrl: app.url, keyId, secret, now, ...options });
}

/** The same client, which notes the methods that are called, as `orders.create`. */
export function noting(client: Client, called: Set<string>): Client {
  const resources = Object.entries(client).map(([resource, methods]) => [
    resource,
    Object.fromEntries(
      Object.entries(methods as Record<string, (...args: unknown[]) => unknown>).map(
        ([verb, method]) => [
          verb,
          Object.assign((...args: unknown[]) => {
            called.add(`${resource}.${verb}`);
            return method(...args);
          }, method),
        ],
      ),
    ),
  ]);
  return Object.fromEntries(resources) as Client;
}
