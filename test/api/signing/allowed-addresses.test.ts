import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  addressMatcher,
  parseNetworks,
} from '../../../shared/people/partners/allowed-addresses.ts';
import { createCredential } from '../../../shared/people/partners/credential-lifecycle.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenPartner } from '../../support/factories.ts';
import { countStatements } from '../../support/inventory.ts';
import { sendByHand } from '../../support/send-by-hand.ts';

describe('an API key limited to certain networks', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ TRUST_PROXY: 'loopback', credentialCacheMs: 600_000 });
  });
  afterAll(() => app?.stop());

  const keyFor = async (allowedIps: string[]) => {
    const { partnerId } = await givenPartner(app.runtime);
    const request = { partnerId, environment: 'SANDBOX', scopes: ['search'], allowedIps } as const;
    return createCredential(app.runtime, 'test', request);
  };
  const from = (key: { keyId: string; secret: string }, address: string, secret = key.secret) =>
    sendByHand(app.url, key, { headers: { 'X-Forwarded-For': address }, secret });

  it('is rejected from other addresses, but only once the signature is verified', async () => {
    const key = await keyFor(['192.0.2.0/24', '2001:db8::7']);
    for (const address of ['192.0.2.9', '::ffff:192.0.2.9', '2001:db8::7']) {
      expect([address, (await from(key, address)).status]).toEqual([address, 200]);
    }
    for (const address of ['192.0.3.1', '2001:db8::8', 'unknown']) {
      const refused = await from(key, address);
      expect([address, refused.status, refused.code]).toEqual([address, 403, 'forbidden']);
    }
    const guessed = await from(key, '192.0.3.1', 'sk_sandbox_wrong');
    expect(guessed.code).toBe('invalid_signature');
  });

  it('uses up its nonce from another address if the signature is verified, and only then', async () => {
    const key = await keyFor(['192.0.2.0/24']);
    const send = (address: string, nonce: string, secret = key.secret) =>
      sendByHand(app.url, key, { headers: { 'X-Forwarded-For': address }, nonce, secret });
    const [captured, guessed] = [randomUUID(), randomUUID()];
    expect((await send('192.0.3.1', captured)).code).toBe('forbidden');
    const again = await send('192.0.2.9', captured);
    expect([again.status, again.code]).toEqual([401, 'replay_detected']);
    expect((await send('192.0.3.1', guessed, 'sk_sandbox_wrong')).code).toBe('invalid_signature');
    expect((await send('192.0.2.9', guessed)).status).toBe(200);
  });

  it('takes no extra SQL statements, and its last use is written later in one statement', async () => {
    const key = await keyFor(['192.0.2.0/24']);
    const lastUse = async () =>
      (await app.runtime.db.knex('credentials').where({ key_id: key.keyId }).first()).last_used_at;
    await from(key, '192.0.2.9');
    await app.runtime.credentialUse.flush();
    const before = await lastUse();
    expect(before).toBeInstanceOf(Date);
    const statements = await countStatements(app.runtime, async () => {
      for (let n = 0; n < 5; n += 1) expect((await from(key, '192.0.2.9')).status).toBe(200);
      for (let n = 0; n < 5; n += 1) expect((await from(key, '192.0.9.9')).status).toBe(403);
    });
    const withoutNetworks = await keyFor([]);
    await from(withoutNetworks, '192.0.2.9');
    const others = await countStatements(app.runtime, async () => {
      for (let n = 0; n < 5; n += 1) await from(withoutNetworks, '192.0.2.9');
    });
    expect(statements).toBe(others);
    expect(await lastUse()).toEqual(before);
    const { knex } = app.runtime.db;
    let writes = 0;
    knex.on('query', ({ sql }: { sql: string }) => {
      if (sql.includes('set last_used_at')) writes += 1;
    });
    await app.runtime.credentialUse.flush();
    expect(writes).toBe(1);
    expect((await lastUse()).getTime()).toBeGreaterThan(before.getTime());
  });
});

describe('allowed networks of a key', () => {
  it('are normalized and match only the addresses in them', () => {
    expect(parseNetworks([' 192.0.2.77/24', '192.0.2.0/24', '2001:DB8::5/32', '::1'])).toEqual([
      '192.0.2.0/24',
      '2001:db8::/32',
      '::1/128',
    ]);
    expect(parseNetworks([])).toBeNull();
    const address = fc.ipV4();
    const property = fc.property(
      address,
      address,
      fc.integer({ min: 0, max: 32 }),
      (a, b, bits) => {
        const number = (text: string) =>
          text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
        const same =
          Math.floor(number(a) / 2 ** (32 - bits)) === Math.floor(number(b) / 2 ** (32 - bits));
        const allows = addressMatcher(parseNetworks([`${a}/${bits}`]));
        expect(allows(a)).toBe(true);
        expect(allows(b)).toBe(same);
        expect(allows('2001:db8::1')).toBe(false);
      },
    );
    fc.assert(property);
  });

  it.each([
    'home',
    '192.0.2.0/33',
    '2001:db8::/129',
    '192.0.2.0/24/1',
    '1.2.3',
    '::ffff:1.2.3.4',
    'fe80::1%eth0',
    '192.0.2.0/-1',
    '/24',
  ])('reject an invalid network: %s', (text) => {
    expect(() => parseNetworks([text])).toThrow(
      expect.objectContaining({ code: 'validation_error' }),
    );
  });
});
