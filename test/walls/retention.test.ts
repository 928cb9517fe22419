import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RETENTION } from '../../db/retention.ts';
import { SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { readStoreStatements } from '../support/store-statements.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const rules = Object.entries(RETENTION);

describe('the table of retention', () => {
  it('names every table of the schema, and no other', async () => {
    const { rows } = await runtime.db.knex.raw<{ rows: { name: string }[] }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname not like 'knex%' order by relname collate "C"`,
    );
    expect(Object.keys(RETENTION).sort()).toEqual(rows.map(({ name }) => name));
  });

  it('names tasks that the fleet runs', () => {
    const tasks = new Set(SCHEDULED_TASKS.map(({ name }) => name));
    const missing = rules.filter(([, rule]) => 'task' in rule && !tasks.has(rule.task));
    expect(missing).toEqual([]);
  });

  it('names every number of days that is configured', () => {
    const configured = Object.keys(runtime.config).filter((name) => name.endsWith('KeepDays'));
    // Those erase the buyer from rows that stay.
    const erasing = ['checkoutBuyerKeepDays', 'brokerageBuyerKeepDays'];
    const named = rules.flatMap(([, rule]) => (rule.kept === 'days' ? [rule.days] : []));
    expect([...new Set([...named, ...erasing])].sort()).toEqual(configured.sort());
  });

  it('has no statement that deletes what is kept forever', async () => {
    const deleting = (await readStoreStatements()).flatMap(({ name, statement }) =>
      [...statement.text.matchAll(/\bdelete from (\w+)/g)]
        .filter(([, table = '']) => RETENTION[table]?.kept === 'forever')
        .map(([words]) => `${name}: ${words}`),
    );
    expect(deleting).toEqual(MAY_DELETE);
  });
});

/** Pings are no part of the history, statements without a line were never closed, and people take addresses back. */
const MAY_DELETE = [
  'deletePings: delete from events',
  'deleteSuppression: delete from mail_suppressions',
  'deleteEmpty: delete from settlements',
];
