/**
 * The Postgres type of a parameter or column, with the TypeScript type of its values. The compiler trusts it;
 * `test/architecture/sql.test.ts` checks it against the types that Postgres reports for the statement.
 */
export interface SqlType<Row, Param = Row> {
  /** As returned by `format_type()`. */
  readonly postgres: string;
  /** Whether it can be null. */
  readonly nullable: boolean;
  /** Why a nullable column is never null in these rows, see {@link present}. */
  readonly presentBecause?: string;
  /** Converts a parameter before it is sent. Not called for null. */
  readonly encode?: (value: unknown) => unknown;
  /** Only for the compiler; never set. */
  readonly values?: { row: Row; param: Param };
}

/** The types of parameters, or of columns, by name. */
export type SqlTypes = Readonly<Record<string, SqlType<unknown>>>;

/** A row with these columns. */
export type RowOf<T extends SqlTypes> = {
  [K in keyof T]: T[K] extends SqlType<infer Row, unknown> ? Row : never;
};

/** Values for these parameters. */
export type ParamsOf<T extends SqlTypes> = {
  readonly [K in keyof T]: T[K] extends SqlType<unknown, infer Param> ? Param : never;
};

const type = <Row, Param = Row>(postgres: string): SqlType<Row, Param> => ({
  postgres,
  nullable: false,
});

export const text = type<string>('text');
/** A `text` with one of a few fixed values. */
export const textOf = <Word extends string>(): SqlType<Word> => text as SqlType<Word>;
export const boolean = type<boolean>('boolean');
export const smallint = type<number>('smallint');
export const integer = type<number>('integer');
/** Throws if a value read is not a safe integer. */
export const bigint = type<number>('bigint');
export const numeric = type<number>('numeric');
export const real = type<number>('real');
export const double = type<number>('double precision');
export const timestamptz = type<Date>('timestamp with time zone');
/** As text, which may be `infinity`. Only for parameters. */
export const timestamptzText = type<never, string>('timestamp with time zone');
/** `2026-11-21`. Only for parameters: select columns as `::text`, or the process's time zone shifts them. */
export const date = type<never, string>('date');
export const bytea = type<Buffer>('bytea');
/** Ones and zeros, as text. */
export const bits = type<string>('bit varying');
/** The result of a function that returns nothing; read as an empty string. */
export const nothing = type<string>('void');

const encodeJson = (value: unknown) => JSON.stringify(value);
/** Parameters are converted to JSON. */
export const jsonb = <T>(): SqlType<T> => ({ ...type<T>('jsonb'), encode: encodeJson });
/** The result of `json_agg` and `json_build_object`. */
export const json = <T>(): SqlType<T> => ({ ...type<T>('json'), encode: encodeJson });

/** An array without nulls. */
export const arrayOf = <Row, Param>(
  element: SqlType<Row, Param>,
): SqlType<Row[], readonly Param[]> => type(`${element.postgres}[]`);

export const nullable = <Row, Param>(
  of: SqlType<Row, Param>,
): SqlType<Row | null, Param | null> => ({
  ...(of as SqlType<Row | null, Param | null>),
  nullable: true,
});

/** For a nullable column in a statement that never returns null for it; say why. */
export const present = <Row, Param>(
  of: SqlType<Row, Param>,
  because: string,
): SqlType<Row, Param> => ({ ...of, presentBecause: because });

/** The columns of the optional side of an outer join. They are all null if there is no row. */
export const outerJoined = <T extends SqlTypes>(columns: T): OuterJoined<T> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, nullable(column)]),
  ) as OuterJoined<T>;

type OuterJoined<T extends SqlTypes> = {
  readonly [K in keyof T]: T[K] extends SqlType<infer Row, infer Param>
    ? SqlType<Row | null, Param | null>
    : never;
};
