import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RETENTION } from '../../db/retention.ts';
import { PARTITIONED_TABLES } from '../../shared/operations/partitions/partitioned-tables.ts';
import { SCHEDULED_TASKS } from '../../workers/job-registry.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { readStoreStatements } from '../support/store-statements.ts';

let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

const rules = Object.entries(RETENTION);

async function names(sql: string): Promise<string[]> {
  const { rows } = await runtime.db.knex.raw<{ rows: { name: string }[] }>(sql);
  return rows.map(({ name }) => name);
}

describe('the retention table', () => {
  it('lists exactly the tables of the schema', async () => {
    const tables = await names(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname not like 'knex%' order by relname collate "C"`,
    );
    expect(Object.keys(RETENTION).sort()).toEqual(tables);
  });

  it('names scheduled tasks that exist', () => {
    const tasks = new Set(SCHEDULED_TASKS.map(({ name }) => name));
    const missing = rules.filter(([, rule]) => 'task' in rule && !tasks.has(rule.task));
    expect(missing).toEqual([]);
  });

  it('uses every configured retention period', () => {
    const configured = Object.keys(runtime.config).filter((name) => name.endsWith('KeepDays'));
    // These erase the buyer from rows that are kept.
    const erasing = ['checkoutBuyerKeepDays', 'brokerageBuyerKeepDays'];
    const named = rules.flatMap(([, rule]) => {
      if (rule.kept === 'for') return rule.rules.map(({ time }) => time);
      if (rule.kept === 'partitions') return [rule.time];
      return rule.kept === 'days' ? [rule.days] : [];
    });
    const settings = named.filter((time) => typeof time === 'string');
    expect([...new Set([...settings, ...erasing])].sort()).toEqual(configured.sort());
  });

  it('has an index on every column used for deletion, except in small tables', async () => {
    const indexed = await names(
      `select distinct c.relname || '.' || a.attname as name from pg_index i
       join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]`,
    );
    const columns = rules.flatMap(([table, rule]) =>
      rule.kept === 'for' ? rule.rules.map(({ since }) => `${table}.${since}`) : [],
    );
    expect(columns.length).toBeGreaterThan(20);
    expect(columns.filter((column) => !indexed.includes(column))).toEqual(SMALL);
  });

  it('relies on a cascading foreign key for rows that are deleted with others', async () => {
    const cascading = await names(
      `select conrelid::regclass || ' with ' || confrelid::regclass as name from pg_constraint
       where contype = 'f' and confdeltype = 'c'`,
    );
    const named = rules.flatMap(([table, rule]) =>
      rule.kept === 'with' ? [`${table} with ${rule.table}`] : [],
    );
    expect(named.filter((name) => !cascading.includes(name))).toEqual([]);
  });

  it('deletes rows only from unpartitioned tables, since it finds them by ctid', async () => {
    const partitioned = await names(`select relname as name from pg_class where relkind = 'p'`);
    expect(partitioned).toContain('events');
    const tables = rules.flatMap(([table, rule]) => (rule.kept === 'for' ? [table] : []));
    expect(tables.filter((table) => partitioned.includes(table))).toEqual([]);
  });

  it('drops partitions only of partitioned tables', () => {
    const dropped = rules.flatMap(([table, rule]) => (rule.kept === 'partitions' ? [table] : []));
    const partitioned = PARTITIONED_TABLES.map(({ table }) => table);
    expect(dropped.filter((table) => !partitioned.includes(table))).toEqual([]);
    expect(dropped).not.toEqual([]);
  });

  it('has no statement that deletes from tables kept forever', async () => {
    const deleting = (await readStoreStatements()).flatMap(({ name, statement }) =>
      [...statement.text.matchAll(/\bdelete from (\w+)/g)]
        .filter(([, table = '']) => RETENTION[table]?.kept === 'forever')
        .map(([words]) => `${name}: ${words}`),
    );
    expect(deleting).toEqual(MAY_DELETE);
  });
});

/** Small tables: at most one row per day, component, or incident, or short-lived challenges. */
const SMALL = [
  'used_passkey_challenges.expires_at',
  'search_miss_days.day',
  'ledger_checks.at',
  'status_days.day',
  'status_incidents.ended_at',
];

/** Pings are not history, empty statements were never closed, and people can undo suppressions. */
const MAY_DELETE = [
  'deletePings: delete from events',
  'deleteSuppression: delete from mail_suppressions',
  'deleteChecks: delete from delivery_checks',
  'deleteEmpty: delete from settlements',
];
