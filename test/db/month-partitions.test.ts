import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVENT_LOG } from '../../shared/messaging/events/read-events.ts';
import { AUDIT_LOG, listAudit, recordAudit } from '../../shared/people/audit/audit-log.ts';
import { checkAudit } from '../../shared/people/audit/check-audit.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { addPartitions, dropPartitions } from '../../shared/platform/database/partitioned-log.ts';
import { LIST_SORTS, type ListSort, readAllPages } from '../../shared/platform/page.ts';
import {
  getOrderDetail,
  getOrderDetailById,
  TIMELINE_LOG,
} from '../../shared/sales/orders/read-orders.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { recordSale } from '../support/sales.ts';
import { explain, type Statement, statementsOf } from '../support/statements.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

/** The partitions of rows, ordered by `key`. */
async function placesOf(table: string, key: string): Promise<string[]> {
  const { rows } = await runtime.db.knex.raw(
    `select replace(tableoid::regclass::text, :prefix, '') as place from ${table} order by ${key}`,
    { prefix: `${table}_` },
  );
  return rows.map(({ place }: { place: string }) => place);
}

describe('order timelines', () => {
  let partner: PartnerFixture;
  const ids: string[] = [];

  beforeAll(async () => {
    runtime.clock.set('2079-09-10T00:00:00Z');
    partner = await givenPartner(runtime);
    await sellAt('2079-09-10T00:00:00Z');
  });

  async function sellAt(at: string): Promise<void> {
    runtime.clock.set(at);
    const { domain, priceCents } = await givenListing(runtime, { environment: 'SANDBOX' });
    const sale = { domain, expectedPriceCents: priceCents };
    ids.push((await recordSale(runtime, partner, sale)).id);
  }

  it('are stored by the month of their order, or in the default partition', async () => {
    expect(await placesOf('order_timeline', 'order_id')).toEqual(['default']);
    runtime.clock.set('2079-07-31T23:59:59Z');
    expect(await addPartitions(runtime.db.knex, TIMELINE_LOG, runtime.clock.now())).toBe(4);
    expect(await addPartitions(runtime.db.knex, TIMELINE_LOG, runtime.clock.now())).toBe(0);
    for (const at of ['2079-07-01T00:00:00Z', '2079-07-31T23:59:59.999Z', '2079-11-01T00:00:00Z'])
      await sellAt(at);
    expect(await placesOf('order_timeline', 'order_id')).toEqual([
      '20790701',
      '20790701',
      '20790901',
      'default',
    ]);
    await expect(
      runtime.db.knex('order_timeline').insert({
        order_id: `${ids[0]?.slice(0, -4)}zzzz`,
        at: new Date(),
        status: 'PAID',
        event: 'order.recorded',
      }),
    ).rejects.toThrow('foreign key');
  });

  it('are read only from the partition of their order, by the partner and by ops', async () => {
    const [id = ''] = ids;
    for (const read of [
      () => getOrderDetail(runtime, partner, id),
      () => getOrderDetailById(runtime, id),
    ]) {
      expect((await read()).timeline).toMatchObject([{ event: 'order.recorded' }]);
      const [statement] = await statementsOf(runtime, read);
      for (const mode of ['force_generic_plan', 'force_custom_plan']) {
        const plan = await explain(runtime, statement as Statement, {
          options: 'format json',
          settings: `set local plan_cache_mode = ${mode}`,
        });
        expect(new Set(JSON.stringify(plan).match(/order_timeline_(?:default|\d+)(?=")/g))).toEqual(
          new Set(['order_timeline_20790901']),
        );
      }
    }
  });
});

describe('the audit trail', () => {
  const write = (subject: string) =>
    runtime.db.transact((uow) => recordAudit(uow, { actor: 'test', action: 'test:note', subject }));
  /** Writes an entry with the given id. */
  const writeAs = (id: number, subject: string) =>
    runtime.db
      .knex('audit_log')
      .insert({ id, at: new Date(), actor: 'test', action: 'test:note', subject });
  const writeAt = (at: string, subject: string) =>
    writeAs(Number(AUDIT_LOG.firstIdAt(new Date(at))) + 1, subject);

  beforeAll(async () => {
    for (const id of [1, 2]) await writeAs(id, `old ${id}`);
    await addPartitions(runtime.db.knex, AUDIT_LOG, new Date('2079-07-31T23:59:59Z'));
    await write('now');
    await writeAt('2079-07-01T00:00:00Z', 'first month');
    await writeAt('2079-09-15T00:00:00Z', 'third month');
    await writeAt('2081-01-15T00:00:00Z', 'ahead');
  });

  it('has time-based ids and monthly partitions', async () => {
    const { id } = await runtime.db.knex('audit_log').where({ subject: 'now' }).first('id');
    const bound = (ms: number) => Number(AUDIT_LOG.firstIdAt(new Date(Date.now() + ms)));
    expect(id).toBeGreaterThan(bound(-5 * MINUTE));
    expect(id).toBeLessThan(bound(MINUTE));
    const [, , , ...places] = await placesOf('audit_log', 'id');
    expect(places).toEqual(['20790701', '20790901', 'default']);
  });

  it('remains one hash chain across partitions after entries are moved', async () => {
    const before = await checkAudit(runtime);
    expect(before).toMatchObject({ ok: true, entries: 6 });
    expect(await addPartitions(runtime.db.knex, AUDIT_LOG, new Date('2081-01-01'))).toBe(4);
    expect((await placesOf('audit_log', 'id')).at(-1)).toBe('20810101');
    await writeAt('2081-01-16T00:00:00Z', 'after the move');
    expect(await checkAudit(runtime, before.head)).toMatchObject({ ok: true, entries: 7 });
  });

  it('is listed across all partitions from either end', async () => {
    const read = async (sort: ListSort, subject: string | null) => {
      const subjects: string[] = [];
      const pages = readAllPages<{ subject: string }, number>((after) =>
        listAudit(runtime, subject, { sort, after, from: null, to: null, limit: 2 }),
      );
      for await (const rows of pages) subjects.push(...rows.map((row) => row.subject));
      return subjects;
    };
    const all = ['old 1', 'old 2', 'now', 'first month', 'third month', 'ahead', 'after the move'];
    expect(await read('oldest', null)).toEqual(all);
    expect(await read('newest', null)).toEqual(all.toReversed());
    for (const sort of LIST_SORTS) expect(await read(sort, 'ahead')).toEqual(['ahead']);
  });

  it('cannot be changed in any partition', async () => {
    const { knex } = runtime.db;
    const { rows } = await knex.raw(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass`,
    );
    expect(rows.length).toBe(13);
    for (const { name } of rows) {
      for (const text of [
        `update ${name} set actor = 'x'`,
        `delete from ${name}`,
        `truncate ${name}`,
      ])
        await expect(knex.raw(text)).rejects.toMatchObject({
          constraint: 'audit_log_is_append_only',
        });
    }
  });

  it('is kept forever, like timelines and events: no partition is ever dropped', async () => {
    for (const log of [AUDIT_LOG, TIMELINE_LOG, EVENT_LOG]) {
      const before = log.firstIdAt(new Date('2085-01-01'));
      await expect(dropPartitions(runtime.db.knex, log, before)).rejects.toThrow('kept forever');
      const unfinished = { ...log, unfinished: ['open'] };
      await expect(dropPartitions(runtime.db.knex, unfinished, before)).rejects.toThrow('kept');
    }
  });
});
