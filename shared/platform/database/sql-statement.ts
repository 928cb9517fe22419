import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Pipeline } from './pipeline.ts';
import type { Sql } from './postgres.ts';
import type { ParamsOf, RowOf, SqlTypes } from './sql-types.ts';

/** A statement without parameters takes no argument. */
type Given<Params> = [keyof Params] extends [never] ? [] : [params: Params];

interface Result<Row> {
  rows: Row[];
  /** Null for a statement without rows. */
  rowCount: number | null;
}

/**
 * A SQL statement with the types of its parameters and rows. `test/architecture/sql.test.ts` prepares every one that a
 * store exports and compares these types with those that Postgres finds.
 */
export class SqlStatement<Params, Row> {
  /** The declared types of the parameters, by name. */
  readonly params: SqlTypes;
  /** The declared types of the columns, by name. */
  readonly row: SqlTypes;
  /** The text for knex, with a `?` for each use of a parameter. */
  readonly text: string;
  /** The parameter that each `?` stands for. */
  readonly uses: readonly string[];
  /** Whether one plan serves all calls of a connection, whatever their parameters. */
  readonly plannedOnce: boolean;
  readonly #planName: string | undefined;

  constructor(definition: StatementDefinition<SqlTypes, SqlTypes>) {
    this.params = definition.params ?? {};
    this.row = definition.row ?? {};
    const { text, uses } = bindByPosition(definition.text);
    for (const name of uses) {
      if (!Object.hasOwn(this.params, name)) throw new Error(`:${name} is not declared: ${text}`);
    }
    this.text = text;
    this.uses = uses;
    this.plannedOnce = definition.plan === 'once';
    this.#planName = definition.plan && createHash('sha1').update(text).digest('base64url');
  }

  /** All its rows. */
  async all(sql: Sql, ...given: Given<Params>): Promise<Row[]> {
    return (await this.#execute(sql, given)).rows;
  }

  /** The first of its rows; undefined when there is none. */
  async first(sql: Sql, ...given: Given<Params>): Promise<Row | undefined> {
    return (await this.#execute(sql, given)).rows[0];
  }

  /** The first of its rows. @throws Error when there is none (a bug) */
  async one(sql: Sql, ...given: Given<Params>): Promise<Row> {
    const [row] = (await this.#execute(sql, given)).rows;
    if (row === undefined) throw new Error(`no row from: ${this.text}`);
    return row;
  }

  /** How many rows it returned or changed. */
  async run(sql: Sql, ...given: Given<Params>): Promise<number> {
    return (await this.#execute(sql, given)).rowCount ?? 0;
  }

  /** Sends it without waiting for its result, which nobody needs; resolved once it is on its way. */
  send(pipeline: Pipeline, ...given: Given<Params>): Promise<void> {
    return pipeline.send(this.#execute(pipeline.sql, given));
  }

  /** The same for a statement that changes a row. The transaction fails when there is none (a bug). */
  sendOne(pipeline: Pipeline, ...given: Given<Params>): Promise<void> {
    const check = (rowCount: number) =>
      rowCount === 0 ? new Error(`no row from: ${this.text}`) : undefined;
    return pipeline.send(this.#execute(pipeline.sql, given), check);
  }

  #execute(sql: Sql, given: readonly unknown[]): Knex.Raw<Result<Row>> {
    const params = (given[0] ?? {}) as Record<string, unknown>;
    const values = this.uses.map((name) => {
      const value = params[name];
      const encode = this.params[name]?.encode;
      return encode && value !== null ? encode(value) : value;
    });
    const raw = sql.raw<Result<Row>>(this.text, values as Knex.RawBinding[]);
    return this.#planName === undefined ? raw : raw.options({ name: this.#planName });
  }
}

export interface StatementDefinition<P extends SqlTypes, R extends SqlTypes> {
  /** The parameters, used as `:name`. A variant of a statement need not use all of them. */
  params?: P;
  /** The columns, by the names that the text gives them. */
  row?: R;
  text: string;
  /**
   * Planned once a connection instead of at every call: for the statements of the hot paths. Name the columns in
   * them; `select *` would break on the connections that are open while a migration adds one.
   */
  plan?: 'once';
}

/**
 * A statement; a `*.store.ts` exports each one as a constant, or in a record of its variants.
 * @throws Error when the text names a parameter that is not declared (a bug)
 */
export function defineStatement<
  P extends SqlTypes = Record<never, never>,
  R extends SqlTypes = Record<never, never>,
>(definition: StatementDefinition<P, R>): SqlStatement<ParamsOf<P>, RowOf<R>> {
  return new SqlStatement(definition);
}

/**
 * Builds one statement, or record of statements, for each of these words, so that Postgres plans each variant
 * separately.
 */
export function variantsOf<Key extends string, T>(
  keys: readonly Key[],
  define: (key: Key) => T,
): Readonly<Record<Key, T>> {
  return Object.fromEntries(keys.map((key) => [key, define(key)])) as Record<Key, T>;
}

/**
 * A condition whose meaning the planner does not see, so that it is no reason to read a partial index: while the
 * statistics know of no backlog, all rows of a state seem the least to read, even where a statement names its rows by
 * their ids, or asks for those of one endpoint. An index whose rows are few by intent says it in the same words.
 */
export const opaque = (condition: string): string => `coalesce(${condition}, false)`;

/** Literals, quoted names and comments, in which `:name` means itself; casts; parameters; and operators of `?`. */
const TOKEN = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([a-z]\w*)|\?/gi;

/** `:name` as knex's `?`, and its `?` as `\?`, once for all calls. */
function bindByPosition(named: string): { text: string; uses: string[] } {
  const uses: string[] = [];
  const text = named.replace(TOKEN, (token, name: string | undefined) => {
    if (name === undefined) return token.replaceAll('?', '\\?');
    uses.push(name);
    return '?';
  });
  return { text, uses };
}
