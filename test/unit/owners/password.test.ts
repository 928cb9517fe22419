import { describe, expect, it } from '@jest/globals';
import {
  hashPassword,
  UNMATCHABLE_HASH,
  verifyPassword,
} from '../../../shared/people/users/password.ts';

const CHEAP =
  '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

describe('a password hash', () => {
  it('matches only its password and includes its cost', async () => {
    const stored = await hashPassword('correct horse');
    expect(stored).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('correct horsf', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it('differs between two hashes of the same password', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
  });

  it('accepts a password however its accents were typed', async () => {
    const stored = await hashPassword('cafe\u0301 noir');
    expect(await verifyPassword('caf\u00e9 noir', stored)).toBe(true);
  });

  it('is still checked when made with another cost', async () => {
    expect(await verifyPassword('anything', CHEAP)).toBe(false);
  });

  it('matches nothing for an unknown user', async () => {
    expect(await verifyPassword('', UNMATCHABLE_HASH)).toBe(false);
  });

  it('is computed for a limited number at once; others are told to retry', async () => {
    const crowd = Array.from({ length: 40 }, () => verifyPassword('anything', CHEAP));
    const outcomes = await Promise.allSettled(crowd);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(6);
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ reason: { code: 'rate_limited', retryAfterSeconds: 5 } });
    }
    expect(outcomes.slice(0, 34).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await verifyPassword('anything', CHEAP)).toBe(false);
    // A failed hash also frees its slot.
    const impossible = CHEAP.replace('ln=4,r=8', 'ln=20,r=1');
    for (let i = 0; i < 3; i += 1) await expect(verifyPassword('x', impossible)).rejects.toThrow();
    expect(await verifyPassword('anything', CHEAP)).toBe(false);
  });

  it('causes an error when malformed, not a wrong password', async () => {
    await expect(verifyPassword('x', 'plain')).rejects.toThrow('malformed');
    await expect(verifyPassword('x', UNMATCHABLE_HASH.replace('15', '30'))).rejects.toThrow();
  });
});
