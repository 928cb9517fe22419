import { describe, expect, it } from '@jest/globals';
import { jwtVerify, SignJWT } from 'jose';
import { createSecretBox, deriveKey } from '../../../shared/platform/crypto/secrets.ts';
import { createSignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import { createTestClock } from '../../support/clock.ts';

const KEY = Buffer.alloc(32, 1);

describe('a secret box', () => {
  const box = createSecretBox(KEY);

  it('opens what it sealed and never seals to the same bytes twice', () => {
    const [first, second] = [box.seal('sk_live_1', 'pk_1'), box.seal('sk_live_1', 'pk_1')];
    expect(first.equals(second)).toBe(false);
    expect(box.open(first, 'pk_1')).toBe('sk_live_1');
    expect(first.includes('sk_live_1')).toBe(false);
  });

  it('refuses another row, another key, and any changed byte', () => {
    const sealed = box.seal('secret', 'pk_1');
    expect(() => box.open(sealed, 'pk_2')).toThrow();
    expect(() => createSecretBox(Buffer.alloc(32, 2)).open(sealed, 'pk_1')).toThrow();
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(i) ^ 1, i);
      expect(() => box.open(changed, 'pk_1')).toThrow();
    }
  });

  it('derives a separate key for every purpose', () => {
    expect(deriveKey(KEY, 'a').equals(deriveKey(KEY, 'b'))).toBe(false);
    expect(deriveKey(KEY, 'a')).toHaveLength(32);
  });
});

describe('a signed token', () => {
  const clock = createTestClock();
  const tokens = createSignedTokens(KEY, clock);

  it('carries its claims until it expires', async () => {
    clock.set('2026-01-01T00:00:00Z');
    const token = await tokens.sign('quote', { jti: 'qte_1' }, new Date('2026-01-01T00:10:00Z'));
    expect(await tokens.verify('quote', token)).toMatchObject({ jti: 'qte_1' });
    clock.set('2026-01-01T00:10:01Z');
    expect(await tokens.verify('quote', token)).toBe('expired');
  });

  it('is valid only for one purpose and key, and only with its signature', async () => {
    const token = await tokens.sign('cursor', { p: [1] });
    expect(await tokens.verify('quote', token)).toBe('invalid');
    const other = createSignedTokens(Buffer.alloc(32, 2), clock);
    expect(await other.verify('cursor', token)).toBe('invalid');
    const [, payload] = token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    for (const forged of [unsigned, `${token}x`, '', 'a.b.c', token.slice(1)]) {
      expect(await tokens.verify('cursor', forged)).toBe('invalid');
    }
  });

  it('is compatible with a JWS library', async () => {
    const key = deriveKey(KEY, 'token:quote');
    const expiresAt = new Date('2026-01-01T00:10:00.900Z');
    clock.set('2026-01-01T00:00:00Z');
    const token = await tokens.sign('quote', { jti: 'qte_1', domain: 'bücher.de' }, expiresAt);
    const { payload } = await jwtVerify(token, key, { currentDate: clock.now() });
    expect(payload).toEqual({ jti: 'qte_1', domain: 'bücher.de', exp: 1_767_226_200 });
    const theirs = new SignJWT({ jti: 'qte_1', domain: 'bücher.de' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(expiresAt);
    expect(await theirs.sign(key)).toBe(token);
    clock.set('2026-01-01T00:10:00Z');
    expect(await tokens.verify('quote', token)).toBe('expired');
  });

  it('carries only its given claims, including the time of issue', async () => {
    for (const claims of [{ sub: 'a', iat: 1_767_225_600 }, { sub: 'a' }, {}]) {
      expect(await tokens.verify('link', await tokens.sign('link', claims))).toEqual(claims);
    }
  });

  it('has only one valid spelling', async () => {
    const token = await tokens.sign('checkout', { sub: 'cks_1' });
    const last = token.slice(-1);
    const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .filter((each) => each !== last)
      .map((each) => token.slice(0, -1) + each);
    const padded = [`${token}=`, `${token} `, `${token}\n`, ` ${token}`, token.replace('.', ' .')];
    for (const tampered of [...others, ...padded]) {
      expect(await tokens.verify('checkout', tampered)).toBe('invalid');
    }
    expect(await tokens.verify('checkout', token)).toMatchObject({ sub: 'cks_1' });
  });
});
