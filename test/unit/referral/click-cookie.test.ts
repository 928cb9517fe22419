import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY, later, MINUTE } from '../../../shared/platform/clock.ts';
import {
  clickOfCookies,
  isInWindow,
  readClick,
  writeClick,
} from '../../../shared/referral/click-cookie.ts';

const now = new Date('2026-11-20T09:30:00.000Z');

describe('the cookie of the last click', () => {
  it('reads what it wrote, to the second, and a bare code', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9A-Za-z]{10}$/),
        fc.nat(4_000_000_000),
        (code, seconds) => {
          const at = new Date(seconds * 1_000);
          expect(readClick(writeClick(code, at))).toEqual({ code, clickedAt: at });
          expect(readClick(code)).toEqual({ code, clickedAt: null });
        },
      ),
    );
  });

  it.each([
    null,
    undefined,
    '',
    'short',
    'aaaaaaaaaa.',
    'aaaaaaaaaa.b.c',
    'aaaaaaaaaa.ZZ',
    'aaaaa aaaa',
  ])('takes %p for nothing', (value) => {
    expect(readClick(value)).toBeNull();
  });

  it('never throws, whatever a browser sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        readClick(text);
        readClick(clickOfCookies(text));
      }),
    );
  });

  it('is good for thirty days, and not from the future', () => {
    expect(isInWindow(later(now, -30 * DAY), now)).toBe(true);
    expect(isInWindow(later(now, -30 * DAY - 1), now)).toBe(false);
    expect(isInWindow(later(now, 5 * MINUTE), now)).toBe(true);
    expect(isInWindow(later(now, 6 * MINUTE), now)).toBe(false);
  });

  it('is found among other cookies', () => {
    expect(clickOfCookies('a=1; ref=abc.1; b=2')).toBe('abc.1');
    expect(clickOfCookies('xref=abc')).toBeNull();
    expect(clickOfCookies(undefined)).toBeNull();
  });
});
