import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../../shared/people/partners/credential.ts';
import {
  createCredential,
  revokeCredential,
  rotateCredential,
} from '../../../shared/people/partners/credential-lifecycle.ts';
import {
  createPartner,
  resumePartner,
  suspendPartner,
} from '../../../shared/people/partners/partner-lifecycle.ts';
import { HOUR, SECOND } from '../../../shared/platform/clock.ts';
import { randomBase62 } from '../../../shared/platform/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { countStatements } from '../../support/inventory.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

/** A cache that keeps credentials for an hour unless it is told to drop them. */
const LONG_CACHE = { credentialCacheMs: HOUR };

let here: TestRuntime;
let there: Runtime;

beforeAll(async () => {
  here = await createTestRuntime(LONG_CACHE);
  there = await joinRuntime(here);
});
afterAll(async () => {
  await there?.stop();
  await here?.stop();
});

async function givenKeyPair() {
  const partner = await createPartner(here, 'test', { name: 'Example Registrar' });
  return createCredential(here, 'test', {
    partnerId: partner.id,
    environment: 'SANDBOX',
    scopes: SCOPES,
  });
}

/** The other process has cached the credential once it returns the same object twice. */
async function cachedThere(keyId: string) {
  await eventually(async () => {
    const first = await there.credentials.find(keyId);
    return first !== undefined && first === (await there.credentials.find(keyId));
  });
}

/** How long it takes until `read` returns the expected value. */
async function msUntil<T>(read: () => Promise<T>, wanted: T): Promise<number> {
  const begin = performance.now();
  await eventually(read, (found) => found === wanted);
  return performance.now() - begin;
}

describe('a partner account', () => {
  it('starts active, with the default commission and no affiliate account', async () => {
    const partner = await createPartner(here, 'test', { name: '  Example Registrar One ' });
    expect(partner).toMatchObject({
      name: 'Example Registrar One',
      status: 'active',
      commissionBps: 1_500,
      settlementPeriod: 'monthly',
      affiliateId: null,
    });
    expect(partner.id).toMatch(/^ptr_[0-7][0-9a-z]{25}$/);
  });

  it('is linked to an affiliate account on request', async () => {
    const partner = await createPartner(here, 'test', { name: 'Example', affiliate: true });
    expect(partner.affiliateId).toMatch(/^aff_/);
  });

  it('must have a name', async () => {
    await expect(createPartner(here, 'test', { name: ' ' })).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  it('is locked out everywhere within a second of suspension, until it is resumed', async () => {
    const { keyId, partnerId } = await givenKeyPair();
    await cachedThere(keyId);
    const standing = async () => (await there.credentials.find(keyId))?.partnerStatus;
    const twiceMs = async () => {
      expect(await suspendPartner(here, 'test', partnerId)).toMatchObject({ status: 'suspended' });
      const shutOut = await msUntil(standing, 'suspended');
      await resumePartner(here, 'test', partnerId);
      return Math.max(shutOut, await msUntil(standing, 'active'));
    };
    // Retry if it took longer, since the machine may have been slow.
    await eventually(twiceMs, (ms) => ms < SECOND);
  });

  it('cannot be suspended or resumed if it does not exist', async () => {
    for (const change of [suspendPartner, resumePartner]) {
      await expect(change(here, 'test', 'ptr_nobody')).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('a credential', () => {
  it('has the documented format in both environments', async () => {
    const { partnerId, keyId, secret } = await givenKeyPair();
    expect(keyId).toMatch(/^pk_sandbox_[0-9A-Za-z]{24}$/);
    expect(secret).toMatch(/^sk_sandbox_[0-9A-Za-z_-]{43}$/);
    const live = await createCredential(here, 'test', {
      partnerId,
      environment: 'LIVE',
      scopes: ['report', 'search', 'search'],
    });
    expect(live.keyId).toMatch(/^pk_live_[0-9A-Za-z]{24}$/);
    expect(live.secret).toMatch(/^sk_live_[0-9A-Za-z_-]{43}$/);
    expect(live.scopes).toEqual(['search', 'report']);
  });

  it('is refused without a scope and for an unknown partner', async () => {
    const input = { partnerId: 'ptr_nobody', environment: 'LIVE' } as const;
    await expect(
      createCredential(here, 'test', { ...input, scopes: ['search'] }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await expect(createCredential(here, 'test', { ...input, scopes: [] })).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  it('can be used by another process', async () => {
    const { keyId, secret } = await givenKeyPair();
    expect(await there.credentials.find(keyId)).toMatchObject({ secret, status: 'active' });
  });

  it('never appears in plain text in the database or the audit trail', async () => {
    const issued = await givenKeyPair();
    const next = await rotateCredential(here, 'test', { keyId: issued.keyId });
    const { rows } = await here.db.knex.raw(
      `select to_jsonb(c) || jsonb_build_object('text', encode(c.secret_ciphertext, 'escape')) as row
       from credentials c
       union all select to_jsonb(a) from audit_log a`,
    );
    const everything = JSON.stringify(rows);
    expect(everything).toContain(issued.keyId);
    for (const { secret } of [issued, next]) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('hex'));
      expect(everything).not.toContain(secret.slice('sk_sandbox_'.length));
    }
  });

  it('cannot be decrypted under another key id', async () => {
    const one = await givenKeyPair();
    const other = await givenKeyPair();
    await here.db.knex.raw(
      `update credentials set secret_ciphertext =
         (select secret_ciphertext from credentials where key_id = :from) where key_id = :to`,
      { from: one.keyId, to: other.keyId },
    );
    here.credentials.clear();
    await expect(here.credentials.find(other.keyId)).rejects.toThrow();
  });

  it('stops working in every process within a second of being revoked', async () => {
    const deadAfterMs = async () => {
      const { keyId } = await givenKeyPair();
      await cachedThere(keyId);
      const revoked = await revokeCredential(here, 'test', keyId);
      expect(revoked.status).toBe('revoked');
      return msUntil(async () => (await there.credentials.find(keyId))?.status, 'revoked');
    };
    await eventually(deadAfterMs, (ms) => ms < SECOND);
  });

  it('keeps its first revocation time when revoked again', async () => {
    const { keyId } = await givenKeyPair();
    const first = await revokeCredential(here, 'test', keyId);
    here.clock.advance(HOUR);
    const second = await revokeCredential(here, 'test', keyId);
    expect(second.revokedAt).toEqual(first.revokedAt);
    const trail = await here.db.knex('audit_log').where({ subject: keyId }).orderBy('id');
    expect(trail.map((row) => row.action)).toEqual(['credential:create', 'credential:revoke']);
  });

  it('is also found by its pk_test_ spelling', async () => {
    const { keyId } = await givenKeyPair();
    const spelled = keyId.replace('pk_sandbox_', 'pk_test_');
    expect(await revokeCredential(here, 'test', spelled)).toMatchObject({ keyId });
  });

  it('cannot be revoked or rotated if it does not exist', async () => {
    await expect(revokeCredential(here, 'test', 'pk_live_x')).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(rotateCredential(here, 'test', { keyId: 'pk_live_x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('unknown key ids', () => {
  const madeUp = (count: number) =>
    Array.from({ length: count }, () => `pk_live_${randomBase62(24)}`);

  it('never evict a valid credential from the cache, however many are tried', async () => {
    const { keyId } = await givenKeyPair();
    await cachedThere(keyId);
    const before = await there.credentials.find(keyId);
    const tries = await Promise.all(madeUp(10_001).map((each) => there.credentials.find(each)));
    expect(tries.every((found) => found === undefined)).toBe(true);
    expect(await there.credentials.find(keyId)).toBe(before);
  });

  it('are looked up in one batch and remembered', async () => {
    const ids = madeUp(100);
    const lookUp = () => Promise.all(ids.map((each) => there.credentials.find(each)));
    expect(await countStatements(there, lookUp)).toBe(1);
    expect(await countStatements(there, lookUp)).toBe(0);
  });
});

describe('rotating a credential', () => {
  it('issues a second key pair and lets the old one expire after the overlap', async () => {
    const old = await givenKeyPair();
    await cachedThere(old.keyId);
    const now = here.clock.now();
    const next = await rotateCredential(here, 'test', { keyId: old.keyId, overlapHours: 2 });

    expect(next.keyId).not.toBe(old.keyId);
    expect(next.secret).not.toBe(old.secret);
    expect(next).toMatchObject({ partnerId: old.partnerId, environment: 'SANDBOX' });
    expect(next.scopes).toEqual(old.scopes);
    const overlap = next.previous.expiresAt.getTime() - now.getTime();
    expect(Math.abs(overlap - 2 * HOUR)).toBeLessThan(5_000);
    await eventually(
      async () => (await there.credentials.find(old.keyId))?.expiresAt?.toISOString(),
      (expiresAt) => expiresAt === next.previous.expiresAt.toISOString(),
    );
    expect(await there.credentials.find(next.keyId)).toMatchObject({ expiresAt: null });
  });

  it('is refused for a key pair that is revoked or already being rotated', async () => {
    const old = await givenKeyPair();
    const next = await rotateCredential(here, 'test', { keyId: old.keyId });
    await revokeCredential(here, 'test', next.keyId);
    for (const keyId of [old.keyId, next.keyId]) {
      await expect(rotateCredential(here, 'test', { keyId })).rejects.toMatchObject({
        code: 'conflict',
        details: { reason: 'invalid_state' },
      });
    }
  });

  it('issues one new key pair when two people rotate at once', async () => {
    const { keyId, partnerId } = await givenKeyPair();
    const both = await Promise.allSettled([
      rotateCredential(here, 'a', { keyId }),
      rotateCredential(there, 'b', { keyId }),
    ]);
    expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    const pairs = await here.db.knex('credentials').where({ partner_id: partnerId });
    expect(pairs).toHaveLength(2);
  });
});
