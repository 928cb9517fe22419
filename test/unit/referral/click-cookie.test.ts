import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addMs, DAY, MINUTE } from '../../../shared/platform/clock.ts';
import { createSignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import {
  decodeClick,
  encodeClick,
  isInAttributionWindow,
  signClick,
  verifyClick,
} from '../../../shared/sales/referral/click-cookie.ts';
import { createTestClock } from '../../support/clock.ts';

const now = new Date('2026-11-20T09:30:00.000Z');

describe('the referral click cookie', () => {
  it('is precise to the second', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9A-Za-z]{10}$/),
        fc.nat(4_000_000_000),
        (code, seconds) => {
          const click = { code, clickedAt: new Date(seconds * 1_000) };
          expect(decodeClick(encodeClick(click))).toEqual(click);
        },
      ),
    );
  });

  it.each([
    null,
    undefined,
    '',
    'short',
    'aaaaaaaaaa',
    'aaaaaaaaaa.',
    'aaaaaaaaaa.b.c',
    'aaaaaaaaaa.ZZ',
    'aaaaa aaaa',
  ])('is ignored if it is %p', (value) => {
    expect(decodeClick(value)).toBeNull();
  });

  it('never causes an error, whatever a browser sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        decodeClick(text);
      }),
    );
  });

  it('is trusted for thirty days if we signed it', async () => {
    const clock = createTestClock();
    clock.set(now);
    const tokens = createSignedTokens(Buffer.alloc(32, 1), clock);
    const click = { code: 'Zk3vQ9aLx1', clickedAt: now };
    const cookie = await signClick(tokens, click);
    expect(await verifyClick(tokens, cookie)).toEqual(click);
    const [header, payload] = cookie.split('.');
    const dated = Buffer.from(JSON.stringify({ code: click.code, iat: 9e9, exp: 9e9 }));
    const strangers = createSignedTokens(Buffer.alloc(32, 2), clock);
    for (const forged of [
      undefined,
      '',
      click.code,
      encodeClick(click),
      `${header}.${payload}.`,
      cookie.replace(`${payload}`, dated.toString('base64url')),
      await signClick(strangers, click),
      await tokens.sign('cursor', { code: click.code, iat: 1 }),
    ]) {
      expect(await verifyClick(tokens, forged)).toBeNull();
    }
    clock.set(addMs(now, 30 * DAY - 1_000));
    expect(await verifyClick(tokens, cookie)).toEqual(click);
    clock.set(addMs(now, 30 * DAY));
    expect(await verifyClick(tokens, cookie)).toBeNull();
  });

  it('is valid for thirty days and never from the future', () => {
    expect(isInAttributionWindow(addMs(now, -30 * DAY), now)).toBe(true);
    expect(isInAttributionWindow(addMs(now, -30 * DAY - 1), now)).toBe(false);
    expect(isInAttributionWindow(addMs(now, 5 * MINUTE), now)).toBe(true);
    expect(isInAttributionWindow(addMs(now, 6 * MINUTE), now)).toBe(false);
  });
});
