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

/** Rows of a list on one page. */
export const PAGE_SIZE = 50;

const DayField = Type.Optional(Type.String({ format: 'date' }));

/** A column of a list. Those that sort name the orders in which they do. */
export interface ListColumn<Row, Sort, Context> extends Column {
  cell(row: Row, context: Context): unknown;
  sorts?: { ascending: Sort; descending: Sort };
}

/** Fields of the address that say which rows are in the list; null is any. */
type Filters<F extends TProperties> = Static<TObject<F>>;

/** A list: its filters, its columns, and how a page of it is read with a context. */
export interface List<F extends TProperties, Row, Sort extends string, Position, Context> {
  title: string | ((filters: Filters<F>) => string);
  filters: F;
  /** The first one is how the list begins. */
  sorts: readonly [Sort, ...Sort[]];
  /** Fields of the form; those that are hidden are sent along. */
  form(
    filters: Filters<F>,
    context: Context,
  ): { fields: readonly Markup[]; hidden?: Record<string, string | null> };
  /** What the dates are of; no dates where it is left out. */
  dates?: string;
  caption: string | ((filters: Filters<F>) => string);
  columns(
    filters: Filters<F>,
    /** The list as it is shown, for links that lead back to it. */
    here: string,
    context: Context,
  ): readonly ListColumn<Row, Sort, Context>[];
  empty: string | ((filters: Filters<F>) => string);
  /** What an empty page says that another one follows. */
  emptySoFar?: string;
  /** The link to the next page. */
  more: string;
  /** Before the form. */
  above?(filters: Filters<F>, context: Context): Markup | Promise<Markup>;
  /** What encloses the table, such as the form that its rows are chosen in. `here` is the list as it is shown. */
  around?(table: Markup, here: string, context: Context): Markup;
  /** Between form and table. */
  intro?(filters: Filters<F>): Markup | string | false;
  read(
    context: Context,
    filters: Filters<F>,
    page: ListPage<Sort, Position>,
  ): Promise<Page<Row, Position>>;
  /** How a place is written in the address; as text where it is left out. */
  cursor?: { read(text: string): Position; write(position: Position): string };
  /** The context that the cells of each row get, where rows are in the time of different owners. */
  contextsOf?(context: Context, rows: readonly Row[]): Promise<(row: Row) => Context>;
  /** The columns of the file. */
  csv: CsvColumns<Row>;
}

/** The place in a list whose rows are numbered. @throws validation_error */
export const NUMBER_CURSOR = {
  read(text: string) {
    if (!/^[1-9]\d{0,15}$/.test(text))
      throw invalid([{ path: '/cursor', message: 'is malformed' }]);
    return Number(text);
  },
  write: String,
};

/** What the address of every list may say. Days are of UTC; `to` is the last one. */
interface ListAddress {
  from?: string;
  to?: string;
  sort: string;
  cursor?: string;
  format?: 'csv';
}

/** The orders of lists, as people call them. */
const SORT_NAMES: Readonly<Record<string, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  soonest: 'Expires first',
  a_to_z: 'A to Z',
  z_to_a: 'Z to A',
};

/** Rows of a file at most: longer lists are taken in stretches of time. */
const MAX_CSV_ROWS = 50_000;
const CSV_PAGE = 500;

/** What the address of a list may say. */
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
 * A list at its `path`: filters, a stretch of days, sorting by its columns, pages by keyset, and the whole of it as a
 * file of CSV under `format=csv`.
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
  const said = <T>(words: T | ((filters: Filters<F>) => T)) =>
    typeof words === 'function' ? (words as (filters: Filters<F>) => T)(asked) : words;
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
${controls.length > 0 && filterForm(path, controls, hidden)}
${intro && html`<p class="intro">${intro}</p>`}
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

/** Days of UTC; `to` is the last one. @throws validation_error */
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

/** The columns of a file. */
export type CsvColumns<Row> = Readonly<Record<string, (row: Row) => CsvCell>>;

/** What the address of a page says that is a file, too. */
export const CSV_FORMAT = Type.Optional(Type.Literal('csv'));

/** The beginning of a list as a file of CSV, read a page at a time while it is sent. */
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

/** The link to the file of a list. */
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
