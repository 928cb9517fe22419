import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
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

const renameFor = defineStatement({
  params: { id: integer, note: text },
  row: { note: text },
  text: 'update sent set note = :note where id = :id returning note',
});

type Query = (statement: { text: string } | string, ...more: unknown[]) => unknown;

/** Notes for each COMMIT how many statements of its connection had no answer when it was sent. */
function watchCommits(): { unanswered: number[]; end(): void } {
  const { query } = pg.Client.prototype as unknown as { query: Query };
  const open = new WeakMap<object, number>();
  const unanswered: number[] = [];
  const watching: Query = function (this: object, statement, ...more) {
    const text = typeof statement === 'string' ? statement : statement.text;
    const answer = more.at(-1);
    if (/^commit/i.test(text)) unanswered.push(open.get(this) ?? 0);
    if (typeof answer !== 'function') return query.call(this, statement, ...more);
    open.set(this, (open.get(this) ?? 0) + 1);
    const answered = (...given: unknown[]) => {
      open.set(this, (open.get(this) ?? 1) - 1);
      return answer(...given);
    };
    return query.call(this, statement, ...more.slice(0, -1), answered);
  };
  Object.assign(pg.Client.prototype, { query: watching });
  return { unanswered, end: () => void Object.assign(pg.Client.prototype, { query }) };
}

const commits = watchCommits();
let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
  await runtime.db.knex.raw('create table sent (id integer primary key, note text not null)');
});
afterAll(async () => {
  await runtime.stop();
  commits.end();
});

const notes = async () => (await selectNotes.all(runtime.db.knex)).map(({ note }) => note);

describe('pipelined statements', () => {
  it('run in order and are visible to later statements', async () => {
    const seen = await runtime.db.transact(async ({ sql, pipeline }) => {
      await insert.send(pipeline, { id: 1, note: 'first' });
      await rename.send(pipeline, { id: 1, note: 'second' });
      await insert.send(pipeline, { id: 2, note: 'other' });
      return selectNotes.all(sql);
    });
    expect(seen).toEqual([{ note: 'second' }, { note: 'other' }]);
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('fail the transaction with the error of the first failed statement', async () => {
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

  it('leave nothing behind when the transaction is abandoned', async () => {
    const givenUp = runtime.db.transact(async ({ pipeline }) => {
      await insert.send(pipeline, { id: 9, note: 'never' });
      throw new Error('changed our mind');
    });
    await expect(givenUp).rejects.toThrow('changed our mind');
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('fail a transaction that ignores the failure of a statement, since Postgres commits nothing', async () => {
    const careless = runtime.db.transact(async ({ sql }) => {
      await insert.run(sql, { id: 11, note: 'lost' });
      await insert.run(sql, { id: 1, note: '' }).catch(() => {});
    });
    await expect(careless).rejects.toThrow('rolled back: a failed statement was ignored');
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('fail the transaction when the row to update is missing', async () => {
    const missing = runtime.db.transact(async ({ pipeline }) => {
      await insert.send(pipeline, { id: 10, note: 'beside it' });
      await rename.sendOne(pipeline, { id: 404, note: 'nobody' });
    });
    await expect(missing).rejects.toThrow('no row from: update sent');
    expect(await notes()).toEqual(['second', 'other']);
  });

  it('travel with COMMIT when possible and still return their rows', async () => {
    commits.unanswered.length = 0;
    let renamed: unknown;
    await runtime.db.transact(async ({ sql, pipeline }) => {
      await selectNotes.all(sql);
      await rename.send(pipeline, { id: 1, note: 'second' });
      await renameFor.sendFor(pipeline, (rows) => (renamed = rows), { id: 2, note: 'other' });
    });
    expect(renamed).toEqual([{ note: 'other' }]);
    await runtime.db.transact(({ pipeline }) =>
      rename.sendOne(pipeline, { id: 1, note: 'second' }),
    );
    expect(commits.unanswered).toEqual([2, 0]);
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
