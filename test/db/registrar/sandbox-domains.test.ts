import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChangeRequest } from '../../../shared/domains/registrar/registrar.ts';
import { newNames, registrarEffects } from '../../support/bulk.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

describe('domains at the sandbox registrar', () => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await createTestRuntime();
  });
  afterAll(() => runtime.stop());

  const registrar = () => runtime.registrars('LIVE');
  const nameOf = () => newNames(1)[0] as string;
  const change = (
    domain: string,
    clientReference: string,
    what: ChangeRequest['change'] = { kind: 'renew', years: 1 },
  ) => registrar().change({ clientReference, domain, change: what });

  it('have the same facts on every request', async () => {
    const domain = nameOf();
    const [facts] = await registrar().inspect([domain]);
    expect(facts).toMatchObject({ domain, locked: true, privacy: true, version: 1 });
    runtime.clock.advance(86_400_000);
    expect(await registrar().inspect([domain])).toEqual([facts]);
  });

  it('are changed once per client reference, even by concurrent requests', async () => {
    const domain = nameOf();
    const [before] = await registrar().inspect([domain]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => change(domain, `${domain}:same`)),
    );
    const [after] = await registrar().inspect([domain]);
    expect(after?.version).toBe(2);
    expect(after?.expiresAt.getUTCFullYear()).toBe((before?.expiresAt.getUTCFullYear() ?? 0) + 1);
    for (const answer of answers) expect(answer).toEqual({ status: 'done', facts: after });
    expect((await registrarEffects(runtime)).filter((each) => each === domain)).toHaveLength(1);
  });

  it('are changed by every different client reference, even concurrently', async () => {
    const domain = nameOf();
    await Promise.all([1, 2, 3].map((at) => change(domain, `${domain}:${at}`)));
    const lock = await change(domain, `${domain}:lock`, { kind: 'lock', enabled: false });
    expect(lock).toMatchObject({ status: 'done', facts: { version: 5, locked: false } });
  });

  it('can be put on hold and keep their DS records', async () => {
    const domain = nameOf();
    const signers = [{ keyTag: 1, alg: 13, digestType: 2, digest: 'AB'.repeat(32) }];
    for (const what of [
      { kind: 'hold', enabled: true },
      { kind: 'signers', signers },
    ] as const) {
      const answer = await change(domain, `${domain}:${what.kind}`, what);
      expect(answer).toMatchObject({ status: 'done' });
    }
    const row = await runtime.db.knex('sandbox_registrar_domains').where({ domain }).first();
    expect(row).toMatchObject({ held: true, signers });
  });

  it('cannot be renewed beyond ten years', async () => {
    const domain = nameOf();
    const refused = await change(domain, `${domain}:long`, { kind: 'renew', years: 10 });
    expect(refused).toEqual({ status: 'refused', reason: expect.stringMatching(/10 years/) });
    expect(await registrarEffects(runtime)).not.toContain(domain);
    const made = await change(domain, `${domain}:long`, { kind: 'renew', years: 9 });
    expect(made.status).toBe('done');
  });
});
