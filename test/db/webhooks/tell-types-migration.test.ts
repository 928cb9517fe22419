import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../../../db/migrate.ts';
import * as tellTypes from '../../../db/migrations/20261126000000_tell_types_of_deliveries.ts';
import * as fillTypes from '../../../db/migrations/20261126000100_fill_types_of_deliveries.ts';
import * as findByType from '../../../db/migrations/20261126000200_find_deliveries_by_type.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';

const MIGRATIONS = {
  '20261126000000_tell_types_of_deliveries': tellTypes,
  '20261126000100_fill_types_of_deliveries': fillTypes,
  '20261126000200_find_deliveries_by_type': findByType,
};
const TYPES = ['order.recorded', 'order.delivered', 'webhook.test'];

describe('deliveries that do not tell the type of their event', () => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await createTestRuntime();
    for (const migration of Object.values(MIGRATIONS).reverse())
      await migration.down(runtime.db.knex);
    await runtime.db.knex('knex_migrations').whereIn('name', Object.keys(MIGRATIONS)).delete();
  });
  afterAll(() => runtime.stop());

  /** As the release before writes them. */
  async function scheduleAsBefore(partnerId: string, count: number): Promise<void> {
    const at = runtime.clock.now();
    const rows = Array.from({ length: count }, (_, n) => ({
      event: newId('event', at),
      delivery: newId('webhookDelivery', at),
      type: TYPES[n % TYPES.length],
    }));
    await runtime.db.knex.transaction(async (tx) => {
      await tx('events').insert(
        rows.map(({ event, type }) => ({
          id: event,
          partner_id: partnerId,
          environment: 'LIVE',
          type,
          body: '{}',
          created_at: at,
        })),
      );
      await tx('webhook_deliveries').insert(
        rows.map(({ event, delivery }) => ({
          id: delivery,
          endpoint_id: 'whe_none',
          partner_id: partnerId,
          environment: 'LIVE',
          event_id: event,
          next_attempt_at: at,
          created_at: at,
        })),
      );
    });
  }

  it('all get it while the release before writes more and others are at work, and are found by it', async () => {
    const { partnerId } = await givenPartner(runtime);
    const { knex } = runtime.db;
    for (let n = 0; n < 7; n += 1) await scheduleAsBefore(partnerId, 1_000);
    let writing = true;
    const writer = async () => {
      while (writing) await scheduleAsBefore(partnerId, 3);
    };
    const worker = async () => {
      while (writing) {
        await knex.raw(
          `update webhook_deliveries set attempts = attempts + 1 where id in (
             select id from webhook_deliveries order by random() limit 20 for update skip locked)`,
        );
      }
    };
    const traffic = Promise.all([writer(), writer(), worker()]);
    try {
      expect(await migrate(runtime.config.databaseUrl, { lockTimeoutMs: 200, tries: 500 })).toEqual(
        { applied: Object.keys(MIGRATIONS) },
      );
      await scheduleAsBefore(partnerId, 3);
    } finally {
      writing = false;
      await traffic;
    }
    const { rows } = await knex.raw(
      `select count(*) filter (where d.event_type is distinct from e.type)::int as wrong, count(*)::int as all
       from webhook_deliveries d join events e on e.id = d.event_id`,
    );
    expect(rows[0].wrong).toBe(0);
    expect(rows[0].all).toBeGreaterThan(7_000);
    const indexes = await knex.raw(
      `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
       where indexrelid = 'webhook_deliveries_by_type'::regclass
         or indexrelid in (select inhrelid from pg_inherits where inhparent = 'webhook_deliveries_by_type'::regclass)`,
    );
    expect(indexes.rows.length).toBeGreaterThan(2);
    expect(indexes.rows.every(({ valid }: { valid: boolean }) => valid)).toBe(true);
  });
});
