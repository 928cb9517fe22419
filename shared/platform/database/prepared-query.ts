import pg from 'pg';

/** A statement that a connection prepares under its name and plans once. */
interface NamedStatement {
  name: string;
  text: string;
  values: unknown[];
}

/** How the driver reads the rows of a statement: fields, parsers, and an empty row to copy. */
interface Columns {
  fields: unknown[];
  _parsers: unknown[] | undefined;
  _prebuiltEmptyResultObject: object | null;
}

/** What a query calls on its connection. */
interface Wire {
  describe(portal: object): void;
}

/** The parts of the driver's query that its types lack. */
declare class DriverQuery {
  constructor(statement: NamedStatement);
  readonly name: string;
  readonly _result: Columns;
  _accumulateRows: boolean;
  prepare(wire: Wire): void;
  hasBeenParsed(wire: Wire): boolean;
  handleCommandComplete(message: object, wire: Wire): void;
}
const Query = pg.Query as unknown as typeof DriverQuery;

/**
 * A query that asks for its columns only once a connection. The driver asks each time and then prepares to read them
 * anew, which took a third of its work for a row of thirty columns. The columns of a prepared statement cannot change:
 * if a migration changes a type, Postgres refuses the statement on the connections that had prepared it.
 */
class PreparedQuery extends Query {
  readonly #known: Map<string, Columns>;

  constructor(statement: NamedStatement, known: Map<string, Columns>) {
    super(statement);
    this.#known = known;
  }

  override prepare(wire: Wire): void {
    const columns = this.hasBeenParsed(wire) ? this.#known.get(this.name) : undefined;
    if (columns) {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
    }
    super.prepare(columns ? Object.create(wire, { describe: { value: () => {} } }) : wire);
  }

  override handleCommandComplete(message: object, wire: Wire): void {
    super.handleCommandComplete(message, wire);
    if (this.#known.has(this.name)) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

type Send = (statement: { name?: string } | string, ...more: unknown[]) => unknown;

/** Makes a connection ask for the columns of each named statement only once. */
export function rememberColumns(connection: pg.Client): void {
  const send = connection.query.bind(connection) as unknown as Send;
  const known = new Map<string, Columns>();
  const query: Send = (statement, ...more) =>
    typeof statement === 'object' && statement.name !== undefined
      ? send(new PreparedQuery(statement as NamedStatement, known), ...more)
      : send(statement, ...more);
  connection.query = query as unknown as pg.Client['query'];
}
