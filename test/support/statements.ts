import type { Knex } from 'knex';
import type { Runtime } from './runtime.ts';

/** A statement as knex sends it. */
export interface Statement {
  sql: string;
  bindings: unknown[];
  /** The pool that sent it; its settings influence the plan. */
  pool?: Knex;
}

const SENT_LATER = /^insert into api_requests|set last_used_at|pg_notify/;

/** Returns whether it is sent on its own schedule, for many requests at once. */
export function isSentLater({ sql }: { sql: string }): boolean {
  return SENT_LATER.test(sql);
}

/** Returns the statements that `work` sends through the runtime's pools, in order. */
export async function statementsOf(
  { db }: Runtime,
  work: () => Promise<unknown>,
): Promise<Statement[]> {
  const sent: Statement[] = [];
  const pools = [db.knex, db.indexed, await db.readForMonitoring(async (sql) => sql)];
  const notes = pools.map((pool) => {
    const note = ({ sql, bindings }: Statement) => {
      if (!isSentLater({ sql })) sent.push({ sql, bindings, pool });
    };
    pool.on('query', note);
    return () => pool.removeListener('query', note);
  });
  try {
    await work();
  } finally {
    for (const end of notes) end();
  }
  return sent;
}

/** Returns the output of `explain (<options>)` for a statement, after `settings` of the session. */
export async function explain(
  { db }: Runtime,
  { sql, bindings, pool = db.knex }: Statement,
  { options, settings = '' }: { options: string; settings?: string },
): Promise<unknown[]> {
  const { client } = pool;
  const connection = await client.acquireConnection();
  try {
    await connection.query(`begin; ${settings}`);
    const { rows } = await connection.query(`explain (${options}) ${sql}`, bindings);
    return rows.map((row: Record<string, unknown>) => row['QUERY PLAN']);
  } finally {
    await connection.query('rollback');
    await client.releaseConnection(connection);
  }
}

/** Returns the plan of a statement: one node per line. */
export async function planOf(
  runtime: Runtime,
  statement: Statement,
  settings?: string,
): Promise<string> {
  const options = { options: 'costs off', ...(settings && { settings }) };
  return (await explain(runtime, statement, options)).join('\n');
}

/** Returns how many 8 kB pages a statement reads; its changes are rolled back. */
export async function pagesReadBy(runtime: Runtime, statement: Statement): Promise<number> {
  const [plan] = await explain(runtime, statement, { options: 'analyze, buffers, format json' });
  const [{ Plan: root }] = plan as [{ Plan: Record<string, number> }];
  return (root['Shared Hit Blocks'] ?? 0) + (root['Shared Read Blocks'] ?? 0);
}

/** Returns how many rows of a table a statement reads, including filtered ones; its changes are rolled back. */
export async function rowsReadBy(
  runtime: Runtime,
  statement: Statement,
  table: string,
  settings = '',
): Promise<number> {
  const options = 'analyze, timing off, format json';
  const [plan] = await explain(runtime, statement, { options, settings });
  const [{ Plan: root }] = plan as [{ Plan: PlanNode }];
  const ofTable = (node: PlanNode) =>
    (node['Relation Name'] ?? '').replace(/_(before|default|\d{8})$/, '') === table;
  const read = (node: PlanNode): number => {
    const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
    const own = ofTable(node) ? rows * (node['Actual Loops'] ?? 0) : 0;
    return (node.Plans ?? []).reduce((sum, child) => sum + read(child), own);
  };
  return read(root);
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}
