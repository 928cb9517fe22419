import type { AddressInfo } from 'node:net';
import { createApp } from '../../api/app.ts';
import type { Deprecation } from '../../api/http/deprecation.ts';
import { createApiServer } from '../../api/http/server.ts';
import { givenPartner, type PartnerFixture } from './factories.ts';
import { type PublicClient, publicClient } from './public-client.ts';
import { createTestRuntime, type TestRuntime } from './runtime.ts';
import type { TestSettings } from './settings.ts';
import { type KeyPair, type SignedClient, signedClient } from './signed-client.ts';

/** The API listening on a free port, with its own runtime. */
export interface TestApp {
  runtime: TestRuntime;
  url: string;
  /** A client of the public API; a `token` in its options signs it in. */
  public: PublicClient;
  /** Returns a client that signs with these keys. */
  as(keys: KeyPair): SignedClient;
  /** Creates a new partner and its client. */
  partner(
    options?: Parameters<typeof givenPartner>[1],
  ): Promise<PartnerFixture & { client: SignedClient }>;
  stop(): Promise<void>;
}

/** Starts the API; `deprecations` replaces the table of that name. */
export async function startTestApp(
  settings: TestSettings = {},
  deprecations?: readonly Deprecation[],
): Promise<TestApp> {
  const runtime = await createTestRuntime(settings);
  const { server, stop } = createApiServer(createApp(runtime, deprecations));
  await new Promise<void>((resolve) => server.listen(runtime.config.port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const as = (keys: KeyPair) => signedClient(url, keys, () => runtime.clock.now());
  return {
    runtime,
    url,
    public: publicClient(url),
    as,
    async partner(options) {
      const fixture = await givenPartner(runtime, options);
      return { ...fixture, client: as(fixture) };
    },
    async stop() {
      await stop(0);
      await runtime.stop();
    },
  };
}
