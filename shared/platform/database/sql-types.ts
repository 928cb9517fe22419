/**
 * A Postgres type of a parameter or a column, and with it the TypeScript type of its values. The compiler
 * believes it; `test/architecture/sql.test.ts` compares it with what Postgres itself makes of the statement.
 */
export interface SqlType<Row, Param = Row> {
  /** As `format_type()` spells it. */
  readonly postgres: string;
  /** Whether null is among its values. */
  readonly nullable: boolean;
  /** Why a column that a table allows to be null is not null in these rows, see {@link present}. */
  readonly presentBecause?: string;
  /** What a parameter is sent as; itself when there is none. Not called for null. */
  readonly encode?: (value: unknown) => unknown;
  /** For the compiler alone; never set. */
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
/** A `text` that is one of a few words. */
export const textOf = <Word extends string>(): SqlType<Word> => text as SqlType<Word>;
export const boolean = type<boolean>('boolean');
export const smallint = type<number>('smallint');
export const integer = type<number>('integer');
/** Throws when it is read outside of the safe integers. */
export const bigint = type<number>('bigint');
export const numeric = type<number>('numeric');
export const real = type<number>('real');
export const double = type<number>('double precision');
export const timestamptz = type<Date>('timestamp with time zone');
/** The same as text, which may be `infinity`; as a parameter only. */
export const timestamptzText = type<never, string>('timestamp with time zone');
/** `2026-11-21`, as a parameter only: in a row select it `::text`, else the process's time zone shifts it. */
export const date = type<never, string>('date');
export const bytea = type<Buffer>('bytea');
/** Ones and zeros, as text. */
export const bits = type<string>('bit varying');
/** What a function answers that returns nothing; it reads as an empty text. */
export const nothing = type<string>('void');

const encodeJson = (value: unknown) => JSON.stringify(value);
/** A parameter is written as JSON on its way. */
export const jsonb = <T>(): SqlType<T> => ({ ...type<T>('jsonb'), encode: encodeJson });
/** What `json_agg` and `json_build_object` return. */
export const json = <T>(): SqlType<T> => ({ ...type<T>('json'), encode: encodeJson });

/** No element is null. */
export const arrayOf = <Row, Param>(
  element: SqlType<Row, Param>,
): SqlType<Row[], readonly Param[]> => type(`${element.postgres}[]`);

export const nullable = <Row, Param>(
  of: SqlType<Row, Param>,
): SqlType<Row | null, Param | null> => ({
  ...(of as SqlType<Row | null, Param | null>),
  nullable: true,
});

/** For a column that its table allows to be null, in a statement whose rows all have it: say what sees to that. */
export const present = <Row, Param>(
  of: SqlType<Row, Param>,
  because: string,
): SqlType<Row, Param> => ({ ...of, presentBecause: because });

/** The columns of the side of an outer join that may have no row: then they are null, all of them. */
export const outerJoined = <T extends SqlTypes>(columns: T): OuterJoined<T> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, nullable(column)]),
  ) as OuterJoined<T>;

type OuterJoined<T extends SqlTypes> = {
  readonly [K in keyof T]: T[K] extends SqlType<infer Row, infer Param>
    ? SqlType<Row | null, Param | null>
    : never;
};
