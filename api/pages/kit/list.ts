import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { type ListPage, type Page, readAllPages } from '../../../shared/platform/page.ts';
import { type CsvCell, csvOf } from '../../http/csv.ts';
import { filterForm, inputField, selectField } from './form.ts';
import { pathWith } from './format.ts';
import type { CsvFile } from './page-group.ts';
import { type Column, pager, table } from './table.ts';

/** The number of rows on one page of a list. */
export const PAGE_SIZE = 50;

const DayField = Type.Optional(Type.String({ format: 'date' }));

/** A column of a list. Sortable columns name their sort orders. */
export interface ListColumn<Row, Sort, Context> extends Column {
  cell(row: Row, context: Context): unknown;
  sorts?: { ascending: Sort; descending: Sort };
}

/** The URL's filters that select the rows of the list; null means any. */
type Filters<F extends TProperties> = Static<TObject<F>>;

/** A list: its filters, its columns, and how to read a page of it. */
export interface List<F extends TProperties, Row, Sort extends string, Position, Context> {
  title: string | ((filters: Filters<F>) => string);
  filters: F;
  /** The first sort order is the default. */
  sorts: readonly [Sort, ...Sort[]];
  /** Returns the form's fields; hidden ones are sent along. */
  form(
    filters: Filters<F>,
    context: Context,
  ): { fields: readonly Markup[]; hidden?: Record<string, string | null> };
  /** The label of the date filter; no date filter if left out. */
  dates?: string;
  caption: string | ((filters: Filters<F>) => string);
  columns(
    filters: Filters<F>,
    /** The current URL of the list, for links back to it. */
    here: string,
    context: Context,
  ): readonly ListColumn<Row, Sort, Context>[];
  empty: string | ((filters: Filters<F>, context: Context) => string);
  /** The text of an empty page that is followed by another one. */
  emptySoFar?: string;
  /** The link to the next page. */
  more: string;
  /** Shown before the form. */
  above?(filters: Filters<F>, context: Context): Markup | Promise<Markup>;
  /** Wraps the table, for example in the form that selects its rows. `here` is the current URL of the list. */
  around?(table: Markup, here: string, context: Context): Markup;
  /** Shown between form and table. */
  intro?(filters: Filters<F>): Markup | string | false;
  read(
    context: Context,
    filters: Filters<F>,
    page: ListPage<Sort, Position>,
  ): Promise<Page<Row, Position>>;
  /** How a position is written in the URL; as plain text by default. */
  cursor?: { read(text: string): Position; write(position: Position): string };
  /** Returns the context for each row's cells, if rows are in the time of different owners. */
  contextsOf?(context: Context, rows: readonly Row[]): Promise<(row: Row) => Context>;
  /** The columns of the CSV file. */
  csv: CsvColumns<Row>;
}

/** The position format of a list whose rows are numbered. @throws validation_error */
export const NUMBER_CURSOR = {
  read(text: string) {
    if (!/^[1-9]\d{0,15}$/.test(text))
      throw invalid([{ path: '/cursor', message: 'is malformed' }]);
    return Number(text);
  },
  write: String,
};

/** The query parameters of every list. Days are in UTC; `to` is the last day. */
interface ListAddress {
  from?: string;
  to?: string;
  sort: string;
  cursor?: string;
  format?: 'csv';
}

/** The names of the sort orders. */
const SORT_NAMES: Readonly<Record<string, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  soonest: 'Expires first',
  a_to_z: 'A to Z',
  z_to_a: 'Z to A',
};

/** The maximum number of rows in a CSV file: longer lists are exported one date range at a time. */
const MAX_CSV_ROWS = 50_000;
const CSV_PAGE = 500;

/** Returns the schema of a list's query parameters. */
export function listInput<F extends TProperties>(list: {
  filters: F;
  sorts: readonly [string, ...string[]];
}): TObject {
  return Type.Object({
    ...list.filters,
    from: DayField,
    to: DayField,
    sort: Type.Enum([...list.sorts], { default: list.sorts[0] }),
    cursor: Type.Optional(Type.String({ maxLength: 300 })),
    format: CSV_FORMAT,
  }) as TObject;
}

/**
 * Shows a list at its `path`: filters, a date range, sorting by its columns, keyset pagination, and the whole list as a
 * CSV file under `format=csv`.
 */
export async function showList<F extends TProperties, Row, Sort extends string, Position, Context>(
  list: List<F, Row, Sort, Position, Context>,
  context: Context,
  given: unknown,
  { path, file }: { path: string; file: string },
): Promise<{ title: string; content: Markup } | CsvFile> {
  const { from, to, sort, cursor, format, ...filters } = given as ListAddress & object;
  const asked = filters as Filters<F>;
  const page = { ...stretchOf(from, to), sort: sort as Sort };
  if (format === 'csv') {
    return csvFile(file, list.csv, (after: Position | null, limit) =>
      list.read(context, asked, { ...page, after, limit }),
    );
  }
  const after = cursor === undefined ? null : readCursor(list, cursor);
  const { rows, next } = await list.read(context, asked, { ...page, after, limit: PAGE_SIZE });
  const days = { from: from ?? null, to: to ?? null };
  const order = page.sort === list.sorts[0] ? null : page.sort;
  const { fields, hidden = {} } = list.form(asked, context);
  const query = { ...filters, ...days, sort: order };
  const said = (words: string | ((filters: Filters<F>, context: Context) => string)) =>
    typeof words === 'function' ? words(asked, context) : words;
  const here = pathWith(path, query);
  const columns = list.columns(asked, here, context);
  const contextOf = (await list.contextsOf?.(context, rows)) ?? (() => context);
  const intro = list.intro?.(asked);
  const shown = table(
    said(list.caption),
    columns.map((column) =>
      headOf(column, page.sort, (sort) => pathWith(path, { ...query, sort })),
    ),
    rows.map((row) => columns.map(({ cell }) => cell(row, contextOf(row)))),
    next !== null && list.emptySoFar ? list.emptySoFar : said(list.empty),
  );
  const controls = [
    ...fields,
    ...(list.dates ? dayFields(list.dates, days) : []),
    ...(list.sorts.length > 1 ? [sortField(list.sorts, page.sort)] : []),
  ];
  return {
    title: said(list.title),
    content: html`${await list.above?.(asked, context)}
${intro && html`<p class="intro">${intro}</p>`}
${controls.length > 0 && filterForm(path, controls, hidden)}
${rows.length > 0 && list.around ? list.around(shown, here, context) : shown}
${pager(path, { ...query, cursor: next && writeCursor(list, next) }, list.more, cursor === undefined)}
${rows.length > 0 && csvLink(pathWith(path, { ...query, format: 'csv' }))}`,
  };
}

function sortField(sorts: readonly string[], chosen: string): Markup {
  return selectField({
    id: 'filter-sort',
    name: 'sort',
    label: 'Order',
    choices: sorts.map((value) => ({ value, text: SORT_NAMES[value] ?? value })),
    chosen,
  });
}

/** Parses days in UTC; `to` is the last day. @throws validation_error */
export function stretchOf(from?: string, to?: string): { from: Date | null; to: Date | null } {
  const stretch = {
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : addMs(new Date(to), DAY),
  };
  if (stretch.from && stretch.to && stretch.from >= stretch.to) {
    throw invalid([{ path: '/from', message: 'must not be after to' }]);
  }
  return stretch;
}

function dayFields(of: string, days: { from: string | null; to: string | null }): Markup[] {
  return [
    inputField({
      id: 'filter-from',
      name: 'from',
      label: `${of} from`,
      type: 'date',
      value: days.from,
    }),
    inputField({ id: 'filter-to', name: 'to', label: 'To', type: 'date', value: days.to }),
  ];
}

function headOf<Row, Sort extends string, Context>(
  { cell: _cell, sorts, ...column }: ListColumn<Row, Sort, Context>,
  sort: Sort,
  pathOf: (sort: Sort) => string,
): Column {
  if (!sorts) return column;
  const now =
    sort === sorts.ascending ? 'ascending' : sort === sorts.descending ? 'descending' : undefined;
  const next = now === 'descending' ? sorts.ascending : sorts.descending;
  return { ...column, sort: { href: pathOf(next), now } };
}

/** The columns of a CSV file. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/** The query parameter of a page that is also available as a CSV file. */
export const CSV_FORMAT = Type.Optional(Type.Literal('csv'));

/** Returns the start of a list as a CSV file, read page by page while it is sent. */
export function csvFile<Row, Position>(
  file: string,
  columns: CsvColumns<Row>,
  read: (after: Position | null, limit: number) => Promise<Page<Row, Position>>,
): CsvFile {
  const names = Object.keys(columns);
  const cells = (row: Row) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.(row) ?? null]));
  const pages = readAllPages((after: Position | null) => read(after, CSV_PAGE));
  return { csv: `${file}.csv`, chunks: csvOf(firstRows(pages), names, cells) };
}

/** Returns the link to a list's CSV file. */
export function csvLink(href: string): Markup {
  return html`<p class="hint"><a href="${href}" download>Download as CSV</a> (up to ${MAX_CSV_ROWS.toLocaleString('en-US')} rows)</p>`;
}

async function* firstRows<Row>(
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let left = MAX_CSV_ROWS;
  for await (const rows of pages) {
    yield rows.slice(0, left);
    left -= rows.length;
    if (left <= 0) return;
  }
}

function readCursor<F extends TProperties, Row, Sort extends string, Position, Context>(
  { cursor }: List<F, Row, Sort, Position, Context>,
  text: string,
): Position {
  return cursor ? cursor.read(text) : (text as Position);
}

function writeCursor<F extends TProperties, Row, Sort extends string, Position, Context>(
  { cursor }: List<F, Row, Sort, Position, Context>,
  position: Position,
): string {
  return cursor ? cursor.write(position) : String(position);
}
