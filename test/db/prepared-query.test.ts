import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createPostgres, type Postgres } from '../../shared/platform/database/postgres.ts';
import { defineStatement } from '../../shared/platform/database/sql-statement.ts';
import { integer, nullable, text, timestamptz } from '../../shared/platform/database/sql-types.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

const COLUMNS = { id: integer, note: nullable(text), at: timestamptz };
const selectSeen = defineStatement({
  params: { id: integer },
  row: COLUMNS,
  text: 'select id, note, at from seen where id >= :id order by id',
  plan: 'once',
});
const insertSeen = defineStatement({
  params: { id: integer, note: nullable(text), at: timestamptz },
  text: 'insert into seen (id, note, at) values (:id, :note, :at)',
  plan: 'once',
});
const selectShare = defineStatement({
  params: { of: integer },
  row: { share: integer },
  text: 'select 100 / :of::integer as share',
  plan: 'once',
});
const selectAlone = defineStatement({
  row: { note: nullable(text) },
  text: 'select note from seen order by id',
});

let runtime: TestRuntime;
/** Has one connection. */
let postgres: Postgres;
beforeAll(async () => {
  runtime = await createTestRuntime();
  postgres = createPostgres({
    url: runtime.config.databaseUrl,
    readUrl: '',
    poolSize: 1,
    lockMs: 3_000,
    share: { atOnce: 1, waiting: 1, waitMs: 1_000 },
    applicationName: 'test-prepared-query',
    log: runtime.log,
  });
  await postgres.knex.raw(
    'create table seen (id integer primary key, note text, at timestamptz not null)',
  );
});
afterAll(async () => {
  await postgres.close();
  await runtime.stop();
});

/** Returns how often `work` made the driver ask for columns. */
async function questionsIn(work: () => Promise<unknown>): Promise<number> {
  const prototype = pg.Connection.prototype as unknown as { describe(portal: object): void };
  const { describe } = prototype;
  let asked = 0;
  prototype.describe = function (portal) {
    asked += 1;
    describe.call(this, portal);
  };
  try {
    await work();
  } finally {
    prototype.describe = describe;
  }
  return asked;
}

describe('a statement that is planned once', () => {
  const at = new Date('2026-11-21T10:00:00Z');

  it('asks for its columns once a connection', async () => {
    const asked = await questionsIn(async () => {
      await insertSeen.run(postgres.knex, { id: 1, note: null, at });
      expect(await selectSeen.all(postgres.knex, { id: 1 })).toEqual([{ id: 1, note: null, at }]);
      expect(await insertSeen.run(postgres.knex, { id: 2, note: 'b', at })).toBe(1);
      const both = [
        { id: 1, note: null, at },
        { id: 2, note: 'b', at },
      ];
      expect(await selectSeen.all(postgres.knex, { id: 1 })).toEqual(both);
      expect(await selectSeen.all(postgres.knex, { id: 3 })).toEqual([]);
      await selectSeen.all(postgres.knex, { id: 2 });
    });
    expect(asked).toBe(2);
  });

  it('gives every caller rows of its own', async () => {
    const [one] = await selectSeen.all(postgres.knex, { id: 2 });
    Object.assign(one ?? {}, { note: 'changed' });
    expect(await selectSeen.first(postgres.knex, { id: 2 })).toEqual({ id: 2, note: 'b', at });
  });

  it('reads the same when it is sent again before its first answer', async () => {
    const shares = await postgres.transaction(async (tx) => {
      const [one, other] = [4, 5].map((of) => selectShare.one(tx, { of }));
      return [await one, await other, await selectShare.one(tx, { of: 10 })];
    });
    expect(shares).toEqual([{ share: 25 }, { share: 20 }, { share: 10 }]);
  });

  it('fails with the error of Postgres and works again afterwards', async () => {
    await expect(selectShare.one(postgres.knex, { of: 0 })).rejects.toMatchObject({
      code: '22012',
    });
    expect(await selectShare.one(postgres.knex, { of: 2 })).toEqual({ share: 50 });
  });

  it('is refused, not misread, once a migration has changed the type of a column', async () => {
    await postgres.knex.raw('alter table seen alter note type integer using 7');
    await expect(selectSeen.all(postgres.knex, { id: 1 })).rejects.toThrow(
      'cached plan must not change result type',
    );
    expect(await selectAlone.all(postgres.knex)).toEqual([{ note: 7 }, { note: 7 }]);
  });
});
