import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineStatement } from '../../shared/platform/database/sql-statement.ts';
import { integer, text } from '../../shared/platform/database/sql-types.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

const insert = defineStatement({
  params: { id: integer, note: text },
  text: 'insert into sent (id, note) values (:id, :note)',
  plan: 'once',
});
const rename = defineStatement({
  params: { id: integer, note: text },
  text: 'update sent set note = :note where id = :id',
});
const selectNotes = defineStatement({
  row: { note: text },
  text: 'select note from sent order by id',
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  await runtime.db.knex.raw('create table sent (id integer primary key, note text not null)');
});
afterAll(() => runtime.stop());

const notes = async () => (await selectNotes.all(runtime.db.knex)).map(({ note }) => note);

describe('statements that are sent without waiting', () => {
  it('are carried out in their order, and seen by those after them', async () => {
    const seen = await runtime.db.transact(async ({ sql, pipeline }) => {
      await insert.send(pipeline, { id: 1, note: 'first' });
      await rename.send(pipeline, { id: 1, note: 'second' });
      await insert.send(pipeline, { id: 2, note: 'other' });
      return selectNotes.all(sql);
    });
    expect(seen).toEqual([{ note: 'second' }, { note: 'other' }]);
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('fail the transaction with what was wrong with the first that failed', async () => {
    const twice = { code: '23505' };
    const asLast = runtime.db.transact(({ pipeline }) =>
      insert.send(pipeline, { id: 1, note: '' }),
    );
    await expect(asLast).rejects.toMatchObject(twice);
    const beforeOthers = runtime.db.transact(async ({ sql, pipeline }) => {
      await insert.send(pipeline, { id: 7, note: 'of a failure' });
      await insert.send(pipeline, { id: 1, note: '' });
      await insert.send(pipeline, { id: 8, note: 'after it' });
      await selectNotes.all(sql);
    });
    await expect(beforeOthers).rejects.toMatchObject(twice);
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('leave nothing when the work is given up, whatever is still under way', async () => {
    const givenUp = runtime.db.transact(async ({ pipeline }) => {
      await insert.send(pipeline, { id: 9, note: 'never' });
      throw new Error('changed our mind');
    });
    await expect(givenUp).rejects.toThrow('changed our mind');
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('fail the transaction when the row that they change is missing', async () => {
    const missing = runtime.db.transact(({ pipeline }) =>
      rename.sendOne(pipeline, { id: 404, note: 'nobody' }),
    );
    await expect(missing).rejects.toThrow('no row from: update sent');
  });

  it('run again with the transaction after a deadlock', async () => {
    let begun = 0;
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const change = (first: number, second: number) => {
      let attempts = 0;
      return runtime.db.transact(async ({ pipeline, sql }) => {
        await rename.run(sql, { id: first, note: `by ${first}` });
        attempts += 1;
        begun += 1;
        if (begun === 2) meet();
        if (attempts === 1) await met;
        await rename.send(pipeline, { id: second, note: `by ${first}` });
      });
    };
    await Promise.all([change(1, 2), change(2, 1)]);
    expect(new Set(await notes()).size).toBe(1);
  });
});
