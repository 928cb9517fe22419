import pg from 'pg';
import { type StoreStatement, temporaryTablesOf } from '../../test/support/store-statements.ts';
import type { ExampleValues } from './example-values.ts';

/** How Postgres runs a statement. */
export interface StatementPlan {
  of: StoreStatement;
  /** In planner units. */
  cost: number;
  /** Large tables it scans in full. */
  scans: string[];
  /** If it was run: its time, and the number of 8 kB pages read. */
  run?: { ms: number; pages: number };
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Total Cost': number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

interface Explained {
  Plan: PlanNode;
  'Execution Time'?: number;
}

/** Examines statements on one connection and rolls back their changes. */
export class StatementPlanner {
  readonly #client: pg.Client;
  readonly #statements: readonly StoreStatement[];
  readonly #large: ReadonlySet<string>;
  readonly #values: ExampleValues;

  /** `large` are the tables whose scans are told. */
  constructor(
    client: pg.Client,
    statements: readonly StoreStatement[],
    { large, values }: { large: ReadonlySet<string>; values: ExampleValues },
  ) {
    this.#client = client;
    this.#statements = statements;
    this.#large = large;
    this.#values = values;
  }

  /** The plan for these values; with `plan: 'once'`, that for any. */
  async plan(of: StoreStatement): Promise<StatementPlan> {
    const { Plan } = of.statement.plannedOnce
      ? await this.#explain(of, 'generic_plan, format json', [])
      : await this.#explain(of, 'format json', await this.#values(of));
    return { of, cost: Plan['Total Cost'], scans: this.#scansIn(Plan) };
  }

  /** The plan, and what it took to run it; without that where the values break a constraint or the time is over. */
  async run(of: StoreStatement): Promise<StatementPlan> {
    const planned = await this.plan(of);
    try {
      const values = await this.#values(of);
      const { Plan, 'Execution Time': ms = 0 } = await this.#explain(
        of,
        'analyze, buffers, format json',
        values,
      );
      return { ...planned, run: { ms, pages: pagesReadBy(Plan) } };
    } catch (error) {
      if (error instanceof pg.DatabaseError) return planned;
      throw error;
    }
  }

  /**
   * How many rows it reads of all tables when it is run, those included that it leaves out, and how many pages of 8 kB:
   * entries of an index that it passes over are no rows. With `plan: 'once'`, by the plan for any values.
   */
  async reads(
    of: StoreStatement,
    given: Readonly<Record<string, unknown>>,
  ): Promise<{ rows: number; pages: number }> {
    const values = await this.#values(of, given);
    const options = 'analyze, buffers, timing off, format json';
    const { Plan } = of.statement.plannedOnce
      ? await this.#explainPlannedOnce(of, options, values)
      : await this.#explain(of, options, values);
    return { rows: rowsReadIn(Plan), pages: pagesReadBy(Plan) };
  }

  async #explainPlannedOnce(
    { statement }: StoreStatement,
    options: string,
    values: unknown[],
  ): Promise<Explained> {
    const quoted = values.map((_, at) => `quote_nullable($${at + 1}::text) as v${at}`);
    const literals = (await this.#client.query(`select ${quoted}`, values)).rows[0];
    const given = values.length > 0 ? `(${Object.values(literals)})` : '';
    await this.#client.query(`prepare planned_once as ${statement.text}`);
    await this.#client.query('begin; set local plan_cache_mode = force_generic_plan');
    try {
      const { rows } = await this.#client.query(
        `explain (${options}) execute planned_once${given}`,
      );
      return rows[0]['QUERY PLAN'][0];
    } finally {
      await this.#client.query('rollback; deallocate planned_once');
    }
  }

  async #explain(of: StoreStatement, options: string, values: unknown[]): Promise<Explained> {
    await this.#client.query('begin');
    try {
      for (const table of temporaryTablesOf(of, this.#statements)) await this.#makeTemporary(table);
      const { text } = of.statement;
      const { rows } = await this.#client.query(`explain (${options}) ${text}`, values);
      return rows[0]['QUERY PLAN'][0];
    } finally {
      await this.#client.query('rollback');
    }
  }

  /** Of few rows, and counted, as before a statement reads it. */
  async #makeTemporary(text: string): Promise<void> {
    const [, name] = /^create temporary table (\w+)/.exec(text) ?? [];
    await this.#client.query(`${text}; insert into ${name} values ('x'); analyze ${name}`);
  }

  #scansIn(node: PlanNode): string[] {
    const inner = (node.Plans ?? []).flatMap((child) => this.#scansIn(child));
    const table = node['Relation Name'];
    const own = node['Node Type'] === 'Seq Scan' && table !== undefined && this.#large.has(table);
    return [...new Set(own ? [table, ...inner] : inner)];
  }
}

function pagesReadBy(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
}

function rowsReadIn(node: PlanNode): number {
  const rows = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  const own = node['Relation Name'] === undefined ? 0 : rows * (node['Actual Loops'] ?? 0);
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsReadIn(child), own);
}

/** Whether it can be explained: it is no command for the session or the schema. */
export function isExplainable({ statement }: StoreStatement): boolean {
  return /^\s*(select|insert|update|delete|with|merge|values)\b/i.test(statement.text);
}
