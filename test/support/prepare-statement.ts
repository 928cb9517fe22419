import type pg from 'pg';

/** A statement that Postgres has parsed but not run. */
export interface PreparedStatement {
  /** The types (oids) of `$1`, `$2`, ... */
  parameters: number[];
  /** Empty for a statement that returns no rows. */
  columns: PreparedColumn[];
  /** The relations (oids) that it names, except inside functions, with the modes of the locks it needs on them. */
  locks: { relation: number; mode: string }[];
}

interface PreparedColumn {
  name: string;
  type: number;
  /** The relation and column number of this column; zeros for an expression. */
  table: number;
  number: number;
}

/**
 * Parses and describes `text` without running it (https://www.postgresql.org/docs/current/protocol-flow.html).
 * @param temporaryTables the statements that create the temporary tables it may name; these are run
 * @throws DatabaseError for a statement that does not parse
 */
export async function prepareStatement(
  client: pg.Client,
  text: string,
  temporaryTables: readonly string[],
): Promise<PreparedStatement> {
  await client.query('begin');
  try {
    for (const table of temporaryTables) await client.query(table);
    const described = await client.query(new Description(text)).done;
    // Locks taken by parsing are held until the transaction ends.
    const { rows: locks } = await client.query<{ relation: number; mode: string }>(
      `select relation, mode from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`,
    );
    return { ...described, locks };
  } finally {
    await client.query('rollback');
  }
}

type Described = Pick<PreparedStatement, 'parameters' | 'columns'>;

/** A pg query that stops where others would bind and execute. */
class Description implements pg.Submittable {
  readonly done: Promise<Described>;
  readonly #text: string;
  readonly #found: Described = { parameters: [], columns: [] };
  #resolve: (found: Described) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(text: string) {
    this.#text = text;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
      this.#found.parameters = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.#text, types: [] }, false);
    connection.describe({ type: 'S', name: '' }, false);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#found.columns = fields.map(({ name, dataTypeID, tableID, columnID }) => ({
      name,
      type: dataTypeID,
      table: tableID,
      number: columnID,
    }));
  }

  handleParseComplete(): void {}

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#found);
  }
}
