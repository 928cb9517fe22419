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

  /** `large` are the tables whose full scans are reported. */
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

  /** Returns the plan for example values; with `plan: 'once'`, the generic plan. */
  async plan(of: StoreStatement): Promise<StatementPlan> {
    const { Plan } = of.statement.plannedOnce
      ? await this.#explain(of, 'generic_plan, format json', [])
      : await this.#explain(of, 'format json', await this.#values(of));
    return { of, cost: Plan['Total Cost'], scans: this.#scansIn(Plan) };
  }

  /** Returns the plan, and the cost of running it unless the values violate a constraint or it times out. */
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
   * Runs a statement, and returns how many table rows, including filtered ones, and 8 kB pages it reads. Index entries
   * that it skips don't count as rows. With `plan: 'once'`, it runs the generic plan.
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

  /** Creates the temporary table with a row and statistics, as it is when the statement reads it. */
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

/** Returns whether `explain` accepts a statement, which isn't so for session and schema commands. */
export function isExplainable({ statement }: StoreStatement): boolean {
  return /^\s*(select|insert|update|delete|with|merge|values)\b/i.test(statement.text);
}
