import { createHash } from 'node:crypto';
import type { Pipeline } from './pipeline.ts';
import type { Sql, Tx } from './postgres.ts';
import type { Connections, Result } from './run-transaction.ts';
import type { ParamsOf, RowOf, SqlTypes } from './sql-types.ts';

/** The arguments of a call: none for a statement without parameters. */
type Given<Params> = [keyof Params] extends [never] ? [] : [params: Params];

/**
 * A SQL statement with the types of its parameters and rows. `test/architecture/sql.test.ts` prepares every one that a
 * store exports and compares these types with those that Postgres finds.
 */
export class SqlStatement<Params, Row> {
  /** The declared types of the parameters, by name. */
  readonly params: SqlTypes;
  /** The declared types of the columns, by name. */
  readonly row: SqlTypes;
  /** The text with `$1`, `$2` and so on for each use of a parameter. */
  readonly text: string;
  /** The parameter name for each of `$1`, `$2` and so on. */
  readonly uses: readonly string[];
  /** Whether a connection plans the statement once for all calls, whatever their parameters. */
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

  /** Returns all rows. */
  async all(sql: Sql, ...given: Given<Params>): Promise<Row[]> {
    return (await this.#execute(sql, given)).rows;
  }

  /** Returns the first row; undefined if there is none. */
  async first(sql: Sql, ...given: Given<Params>): Promise<Row | undefined> {
    return (await this.#execute(sql, given)).rows[0];
  }

  /** Returns the first row. @throws Error if there is none (a bug) */
  async one(sql: Sql, ...given: Given<Params>): Promise<Row> {
    const [row] = (await this.#execute(sql, given)).rows;
    if (row === undefined) throw new Error(`no row from: ${this.text}`);
    return row;
  }

  /** Returns the number of rows returned or changed. */
  async run(sql: Sql, ...given: Given<Params>): Promise<number> {
    return (await this.#execute(sql, given)).rowCount ?? 0;
  }

  /** Sends the statement without waiting for its result. Resolves once it is sent. */
  async send(pipeline: Pipeline, ...given: Given<Params>): Promise<void> {
    const { answer } = await this.#start(pipeline.sql, given);
    pipeline.add(answer);
  }

  /** Like {@link send}, for a statement that changes a row. Fails the transaction if no row matches (a bug). */
  async sendOne(pipeline: Pipeline, ...given: Given<Params>): Promise<void> {
    const { answer } = await this.#start(pipeline.sql, given);
    pipeline.addDecision(
      answer.then(({ rowCount }) => {
        if (rowCount === 0) throw new Error(`no row from: ${this.text}`);
      }),
    );
  }

  /**
   * Sends the statement without waiting for its rows. `use` gets them before the transaction returns. It must not throw,
   * because the COMMIT is already sent.
   */
  async sendFor(
    pipeline: Pipeline,
    use: (rows: Row[]) => void,
    ...given: Given<Params>
  ): Promise<void> {
    const { answer } = await this.#start(pipeline.sql, given);
    pipeline.add(answer.then(({ rows }) => use(rows)));
  }

  async #execute(sql: Sql, given: readonly unknown[]): Promise<Result<Row>> {
    const { answer } = await this.#start(sql, given);
    return answer;
  }

  /**
   * Passes the statement directly to the driver, since Knex would parse the text at every call. Statements of a
   * transaction are sent in the order of the calls.
   */
  async #start(sql: Sql, given: readonly unknown[]): Promise<{ answer: Promise<Result<Row>> }> {
    const values = this.#valuesOf((given[0] ?? {}) as Record<string, unknown>);
    const connections: Connections = sql.client;
    const connection = await connections.acquireConnection();
    if (sql.isTransaction && (sql as Tx).isCompleted()) {
      throw new Error(`the transaction was over before: ${this.text}`);
    }
    connections.emit('query', { sql: this.text, bindings: values });
    const name = this.#planName;
    const statement = { text: this.text, values, ...(name !== undefined && { name }) };
    const answer = new Promise<Result<Row>>((resolve, reject) => {
      connection.query<Row>(statement, (error, result) => {
        connections.releaseConnection(connection);
        if (!error) return resolve(result);
        error.message = `${this.text} - ${error.message}`;
        reject(error);
      });
    });
    return { answer };
  }

  #valuesOf(params: Record<string, unknown>): unknown[] {
    return this.uses.map((name) => {
      const value = params[name];
      if (value === undefined) throw new Error(`:${name} is missing for: ${this.text}`);
      const encode = this.params[name]?.encode;
      return encode && value !== null ? encode(value) : value;
    });
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

/** Literals, quoted names and comments, in which `:name` means itself; casts; and parameters. */
const TOKEN = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([a-z]\w*)/gi;

/** Each `:name` as `$1`, `$2` and so on, once for all calls. */
function bindByPosition(named: string): { text: string; uses: string[] } {
  const uses: string[] = [];
  const text = named.replace(TOKEN, (token, name: string | undefined) =>
    name === undefined ? token : `$${uses.push(name)}`,
  );
  return { text, uses };
}
