import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as current from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { operations } from '../../../api/public/public-operations.ts';
import { seedTlds } from '../../../db/seeds/tlds.ts';
import type { TestApp } from '../../support/app.ts';
import { givenListing } from '../../support/factories.ts';
import { givenOwner } from '../../support/oauth.ts';
import { newVisitor, signInAndAllow, startSignInApp } from '../../support/sign-in.ts';
import { type RememberingProvider, rememberingProvider } from '../../support/tool-clients.ts';

const INFO = { name: 'assistant', version: '1.0.0' };
const NAMES = operations.map(({ op }) => op);

let app: TestApp;
beforeAll(async () => {
  app = await startSignInApp();
  await seedTlds(app.runtime);
  await givenListing(app.runtime, { environment: 'LIVE', domain: 'kettle.com' });
});
afterAll(() => app.stop());

/** Signs in as the client asked its user to, and returns the query that the client gets back. */
async function signIn(provider: RememberingProvider): Promise<URLSearchParams> {
  const { email } = await givenOwner(app.runtime);
  if (!provider.link) throw new Error('the client sent nobody to sign in');
  expect(provider.link.searchParams.get('scope')).toBe('pricing:read');
  return (await signInAndAllow(newVisitor(app.url), provider.link, email)).searchParams;
}

async function connectCurrent(
  provider: RememberingProvider,
  path = '/api',
  options: ConstructorParameters<typeof current.Client>[1] = {},
): Promise<current.Client> {
  const open = () =>
    new current.StreamableHTTPClientTransport(new URL(app.url + path), { authProvider: provider });
  const transport = open();
  await expect(new current.Client(INFO, options).connect(transport)).rejects.toThrow(
    current.UnauthorizedError,
  );
  await transport.finishAuth(await signIn(provider));
  const client = new current.Client(INFO, options);
  await client.connect(open());
  return client;
}

async function connectEarlier(provider: RememberingProvider): Promise<EarlierClient> {
  // The earlier client uses the same provider with an older type.
  const authProvider = provider as NonNullable<
    ConstructorParameters<typeof EarlierTransport>[1]
  >['authProvider'] & {};
  const open = () => new EarlierTransport(new URL(`${app.url}/api`), { authProvider });
  const transport = open();
  await expect(
    new EarlierClient(INFO).connect(transport as Parameters<EarlierClient['connect']>[0]),
  ).rejects.toThrow('Unauthorized');
  await transport.finishAuth((await signIn(provider)).get('code') ?? '');
  const client = new EarlierClient(INFO);
  await client.connect(open() as Parameters<EarlierClient['connect']>[0]);
  return client;
}

describe.each([
  ['the client of the current SDK', (provider: RememberingProvider) => connectCurrent(provider)],
  ['the client of the SDK before it', connectEarlier],
])('tool server: %s', (_name, connect) => {
  let client: Awaited<ReturnType<typeof connect>>;
  const provider = rememberingProvider();
  beforeAll(async () => {
    client = await connect(provider);
  });
  afterAll(() => client.close());

  const call = (name: string, args: Record<string, unknown>) =>
    client.callTool({ name, arguments: args });

  it('signs in with only the URL of the tool server', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'domain-marketplace' });
    expect(provider.issued).toMatchObject({ scope: 'pricing:read', token_type: 'Bearer' });
  });

  it('lists all tools with readable schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
  });

  it('calls a tool and gets structured content that matches its schema', async () => {
    const { structuredContent } = await call('market_listings', { limit: 1 });
    expect(structuredContent).toMatchObject({
      items: [{ domain: 'kettle.com', price_cents: 485_000, price_masked: false }],
    });
    const answers: [name: string, args: Record<string, unknown>, answer: object][] = [
      ['search_domain', { q: 'kettle', tlds: ['com'] }, { label: 'kettle', signed_in: true }],
      ['tld_registration_price', { tld: 'com' }, { tld: 'com', op: 'register' }],
      ['tld_requirements', { tld: 'uk' }, { tld: 'uk' }],
      ['whois_lookup', { domain: 'kettle.com' }, { domain: 'kettle.com', registered: true }],
      ['whois_lookup', { domain: 'nobody-has-this.com' }, { registered: false }],
    ];
    for (const [name, args, answer] of answers) {
      expect((await call(name, args)).structuredContent).toMatchObject(answer);
    }
  });

  it('gets an error result for invalid arguments', async () => {
    const { isError, content } = await call('tld_requirements', { tld: 7 });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('validation_error');
  });

  it('refreshes an expired access token automatically', async () => {
    const before = provider.issued?.access_token;
    app.runtime.clock.advance(1_801_000);
    const { structuredContent } = await call('tld_registration_price', { tld: 'net' });
    expect(structuredContent).toMatchObject({ tld: 'net' });
    expect(provider.issued?.access_token).not.toBe(before);
  });
});

describe('tool server: the client of the current SDK, with other settings', () => {
  it('signs in from the versioned URL', async () => {
    const client = await connectCurrent(rememberingProvider(), '/api/v1');
    expect((await client.listTools()).tools).toHaveLength(NAMES.length);
    await client.close();
  });

  it.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)(
    'supports protocol version negotiation mode %j',
    async (mode) => {
      const client = await connectCurrent(rememberingProvider(), '/api', {
        versionNegotiation: { mode },
      });
      const answer = await client.callTool({
        name: 'tld_registration_price',
        arguments: { tld: 'com' },
      });
      expect(answer.structuredContent).toMatchObject({ tld: 'com' });
      await client.close();
    },
  );
});
