import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runChunkJob } from '../../../shared/domains/bulk/bulk.jobs.ts';
import { cancelBulkJob } from '../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { BEING_RELEASED } from '../../../shared/domains/registrar/registrar.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import {
  finished,
  givenBulkJob,
  givenOwnerOf,
  itemsNow,
  jobNow,
  ownedNow,
  registrarEffects,
  withRegistrar,
} from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import type { Runtime } from '../../support/runtime.ts';
import { createTestRuntime, joinRuntime, type TestRuntime } from '../../support/runtime.ts';

let runtime: TestRuntime;
let ending: (() => Promise<void>)[] = [];

beforeEach(async () => {
  runtime = await createTestRuntime({
    bulkChunkSize: 4,
    reconcileMs: 200,
  });
});

afterEach(async () => {
  for (const end of ending.reverse()) await end();
  ending = [];
  await runtime.stop();
});

function work(scope: Runtime = runtime): WorkerProcess {
  const fleet = startWorkers(scope, { queues: ['bulk-domains'] });
  ending.push(() => fleet.stop());
  return fleet;
}

const SIGNER = { key_tag: 12_345, algorithm: 13, digest_type: 2, digest: 'ab'.repeat(32) };
const LOCK_OFF: BulkAction = { op: 'lock', params: { enabled: false } };
const cancel = (job: { id: string; userId: string }) =>
  runtime.db.transact((uow) => cancelBulkJob(uow, job));

describe('a bulk job at the registrar', () => {
  it.each<[BulkAction, object]>([
    [
      { op: 'nameservers', params: { nameservers: ['NS1.example.net.', 'ns2.example.net'] } },
      { nameservers: ['ns1.example.net', 'ns2.example.net'] },
    ],
    [LOCK_OFF, { locked: false }],
    [
      { op: 'dnssec', params: { signers: [SIGNER] } },
      { signers: [{ keyTag: 12_345, alg: 13, digestType: 2, digest: 'AB'.repeat(32) }] },
    ],
    [{ op: 'auto_renew', params: { enabled: true } }, { autoRenew: true }],
    [{ op: 'privacy', params: { enabled: false } }, { privacy: false }],
  ])('%j changes every domain once and shows the change to its owner', async (action, expected) => {
    const owner = await givenOwnerOf(runtime, 10);
    const job = await givenBulkJob(runtime, owner, action);
    expect(job).toMatchObject({ status: 'queued', total: 10 });
    work();
    expect(await finished(runtime, job)).toMatchObject({
      status: 'completed',
      succeeded: 10,
      failed: 0,
    });
    expect(await registrarEffects(runtime)).toEqual([...owner.domains].sort());
    for (const owned of await ownedNow(runtime, owner)) expect(owned).toMatchObject(expected);
  });

  it('renews for whole years', async () => {
    const owner = await givenOwnerOf(runtime, 1);
    const [before] = await ownedNow(runtime, owner);
    work();
    await finished(
      runtime,
      await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 2 } }),
    );
    const [after] = await ownedNow(runtime, owner);
    expect(after?.expiresAt.getUTCFullYear()).toBe((before?.expiresAt.getUTCFullYear() ?? 0) + 2);
    const beyond = await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 8 } });
    expect(await finished(runtime, beyond)).toMatchObject({ status: 'completed_with_errors' });
    expect(await itemsNow(runtime, beyond)).toMatchObject([{ code: 'validation_error' }]);
  });

  it('reports an error only for foreign, sold and invalid domains', async () => {
    const owner = await givenOwnerOf(runtime, 2);
    const other = await givenOwnerOf(runtime, 1);
    const [first = '', second = ''] = owner.domains;
    await givenListing(runtime, { domain: second, environment: 'LIVE', status: 'sold' });
    const job = await givenBulkJob(runtime, owner, LOCK_OFF, {
      domains: [first, 'no domain', ...other.domains, second, first.toUpperCase()],
    });
    expect(job.total).toBe(4);
    work();
    expect(await finished(runtime, job)).toMatchObject({
      status: 'completed_with_errors',
      succeeded: 1,
      failed: 3,
    });
    expect(await itemsNow(runtime, job)).toMatchObject([
      { domain: first, state: 'ok', code: null },
      { domain: 'no domain', state: 'error', code: 'validation_error' },
      { domain: other.domains[0], state: 'error', code: 'forbidden' },
      { domain: second, state: 'error', code: 'conflict' },
    ]);
    expect(await registrarEffects(runtime)).toEqual([first]);
  });

  it('reports what would happen in a dry run and changes nothing', async () => {
    const owner = await givenOwnerOf(runtime, 5);
    const before = await ownedNow(runtime, owner);
    const job = await givenBulkJob(runtime, owner, LOCK_OFF, {
      domains: [...owner.domains, 'not-mine.com'],
      dryRun: true,
    });
    work();
    expect(await finished(runtime, job)).toMatchObject({ succeeded: 5, failed: 1 });
    const items = await itemsNow(runtime, job);
    expect(items[0]).toMatchObject({ state: 'ok', message: 'Would turn the transfer lock off.' });
    expect(items[5]).toMatchObject({ state: 'error', code: 'forbidden' });
    expect(await registrarEffects(runtime)).toEqual([]);
    expect(await ownedNow(runtime, owner)).toEqual(before);
  });

  it('keeps the registrar’s reason when it rejects one domain', async () => {
    const owner = await givenOwnerOf(runtime, 6);
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    work(
      withRegistrar(runtime, async (request, real) =>
        request.domain === owner.domains[2]
          ? { status: 'refused', reason: 'A court order locks it.' }
          : real(request),
      ),
    );
    expect(await finished(runtime, job)).toMatchObject({ succeeded: 5, failed: 1 });
    expect((await itemsNow(runtime, job))[2]).toMatchObject({
      code: 'conflict',
      message: 'A court order locks it.',
    });
  });

  it('retries a domain that the registry has not yet released from a legal hold', async () => {
    const owner = await givenOwnerOf(runtime, 3);
    const [kept] = owner.domains;
    const asked: string[] = [];
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    work(
      withRegistrar(runtime, async (request, real) => {
        asked.push(request.domain);
        const isFirst = asked.filter((domain) => domain === request.domain).length === 1;
        return isFirst && request.domain === kept ? BEING_RELEASED : real(request);
      }),
    );
    await eventually(
      () => itemsNow(runtime, job),
      (items) => items.filter(({ state }) => state === 'ok').length === 2,
    );
    runtime.clock.advance(2_000);
    expect(await finished(runtime, job)).toMatchObject({ succeeded: 3, failed: 0 });
    expect(asked.sort()).toEqual([...owner.domains, kept].sort());
  });

  it('reports the registry’s answer when a domain is still on hold at the last attempt', async () => {
    const owner = await givenOwnerOf(runtime, 3);
    const [kept] = owner.domains;
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    work(
      withRegistrar(runtime, async (request, real) =>
        request.domain === kept ? BEING_RELEASED : real(request),
      ),
    );
    const chunk = () => runtime.db.knex('outbox').where({ queue: 'bulk-domains' });
    await eventually(
      () => chunk().first('state', 'attempts'),
      (row) => row?.state === 'pending' && row.attempts === 1,
    );
    await chunk().update({ attempts: runChunkJob.retryMs.length });
    runtime.clock.advance(2_000);
    expect(await finished(runtime, job)).toMatchObject({ succeeded: 2, failed: 1 });
    expect((await itemsNow(runtime, job)).find(({ domain }) => domain === kept)).toMatchObject({
      code: 'conflict',
      message: BEING_RELEASED.reason,
    });
  });

  it('retries only the domains that got no answer', async () => {
    const owner = await givenOwnerOf(runtime, 6);
    const asked: string[] = [];
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    work(
      withRegistrar(runtime, async (request, real) => {
        asked.push(request.domain);
        const answer = await real(request);
        // The change is made, and its answer is lost.
        const times = asked.filter((domain) => domain === request.domain).length;
        if (owner.domains.indexOf(request.domain) < 2 && times === 1) throw new Error('timed out');
        return answer;
      }),
    );
    const [early] = await eventually(
      () => itemsNow(runtime, job),
      (items) => items.filter(({ state }) => state === 'ok').length === 4,
    );
    expect(early?.state).toBe('started');
    runtime.clock.advance(2_000);
    expect(await finished(runtime, job)).toMatchObject({ status: 'completed', succeeded: 6 });
    expect(asked).toHaveLength(8);
    expect(await registrarEffects(runtime)).toEqual([...owner.domains].sort());
  });

  it('returns a chunk when its worker shuts down, and another worker finishes it', async () => {
    const owner = await givenOwnerOf(runtime, 4);
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    const second = await joinRuntime(runtime, { SHUTDOWN_MS: '100' });
    ending.push(() => second.stop());
    let hanging = 0;
    const leaving = work(
      withRegistrar(second, async (request, real) => {
        if (request.domain === owner.domains[0]) return real(request);
        hanging += 1;
        return new Promise(() => {});
      }),
    );
    await eventually(() => hanging === 3);
    await leaving.stop();
    expect(await jobNow(runtime, job)).toMatchObject({ status: 'running', succeeded: 1 });
    work();
    expect(await finished(runtime, job)).toMatchObject({ status: 'completed', succeeded: 4 });
    expect(await registrarEffects(runtime)).toEqual([...owner.domains].sort());
  });

  it('runs once even when its work is dispatched again', async () => {
    const owner = await givenOwnerOf(runtime, 8);
    const job = await givenBulkJob(runtime, owner, { op: 'renew', params: { years: 1 } });
    work();
    work(await joined());
    const done = await finished(runtime, job);
    const after = await ownedNow(runtime, owner);
    await runtime.db.knex('outbox').where({ queue: 'bulk-domains' }).update({ state: 'pending' });
    await eventually(
      () => runtime.db.knex('outbox').whereNot({ state: 'done' }).select('id'),
      (open) => open.length === 0,
    );
    expect(await jobNow(runtime, job)).toEqual(done);
    expect(await ownedNow(runtime, owner)).toEqual(after);
    expect(await registrarEffects(runtime)).toEqual([...owner.domains].sort());
  });

  async function joined(): Promise<Runtime> {
    const second = await joinRuntime(runtime);
    ending.push(() => second.stop());
    return second;
  }

  it('is completed, not canceled, when there was nothing left to cancel', async () => {
    const owner = await givenOwnerOf(runtime, 3);
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    let resume = () => {};
    const gate = new Promise<void>((resolve) => {
      resume = resolve;
    });
    work(
      withRegistrar(runtime, async (request, real) => {
        await gate;
        return real(request);
      }),
    );
    await eventually(
      () => itemsNow(runtime, job),
      (items) => items.every(({ state }) => state === 'started'),
    );
    expect(await cancel(job)).toMatchObject({ status: 'running', cancelled: 0 });
    resume();
    expect(await finished(runtime, job)).toMatchObject({
      status: 'completed',
      succeeded: 3,
      cancelled: 0,
    });
  });

  it('skips what has not started when it is canceled, and counts what has', async () => {
    const owner = await givenOwnerOf(runtime, 12);
    const job = await givenBulkJob(runtime, owner, LOCK_OFF);
    let resume = () => {};
    const gate = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const single = await joinRuntime(runtime, { BULK_CONCURRENCY: '1' });
    ending.push(() => single.stop());
    work(
      withRegistrar(single, async (request, real) => {
        await gate;
        return real(request);
      }),
    );
    await eventually(
      () => itemsNow(runtime, job),
      (items) => items.some(({ state }) => state === 'started'),
    );
    expect(await cancel(job)).toMatchObject({
      status: 'cancelled',
      cancelled: 8,
      finishedAt: null,
    });
    expect(await cancel(job)).toMatchObject({ status: 'cancelled', cancelled: 8 });
    resume();
    expect(await finished(runtime, job)).toMatchObject({
      status: 'cancelled',
      succeeded: 4,
      failed: 0,
      cancelled: 8,
    });
    expect(await registrarEffects(runtime)).toHaveLength(4);
    await eventually(
      () => runtime.db.knex('outbox').whereNot({ state: 'done' }).select('id'),
      (open) => open.length === 0,
    );
    expect(await registrarEffects(runtime)).toHaveLength(4);
  });
});
