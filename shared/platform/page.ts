/** The rows of a page, and the position after which the next page begins: null on the last page. */
export interface Page<Row, Position = string> {
  rows: Row[];
  next: Position | null;
}

/** The position of a row in a list by time. */
export interface TimePosition {
  createdAt: Date;
  id: string;
}

/**
 * Reads a page of up to `limit` rows. Reads one more row, which shows whether another page follows.
 */
export async function readPage<Row, Position>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Page<Row, Position>> {
  return cutPage(await read(limit + 1), limit, positionOf);
}

/** Returns the page of up to `limit` rows from up to `limit + 1` rows that were read. */
export function cutPage<Row, Position>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row, Position> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? positionOf(last) : null };
}

/** The maximum number of rows that a page of a rarely matching filter looks through. */
export const LOOK_THROUGH = 20_000;

/**
 * Returns the page from a statement that looks through at most {@link LOOK_THROUGH} rows. If they have fewer than
 * `limit + 1` matches, the statement also returns the last row, marked as no match. So a page may be short or empty and
 * still have a next one.
 */
export function cutPageSoFar<Row extends { matches: boolean }, Position>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row, Position> {
  const matching = found.filter(({ matches }) => matches);
  const lastSeen = found.find(({ matches }) => !matches);
  // A full page ends with its last row: Postgres may read a union in any order, so there may be more matches.
  const end = matching.length >= limit ? matching[limit - 1] : lastSeen;
  const hasMore = matching.length > limit || lastSeen !== undefined;
  return { rows: matching.slice(0, limit), next: hasMore && end ? positionOf(end) : null };
}

/** Iterates over all rows of a list, with one page in memory at a time. */
export async function* readAllPages<Row, Position>(
  read: (after: Position | null) => Promise<Page<Row, Position>>,
): AsyncGenerator<Row[]> {
  let next: Position | null = null;
  do {
    const page: Page<Row, Position> = await read(next);
    yield page.rows;
    next = page.next;
  } while (next !== null);
}

/** Returns the position of a row in a list sorted by id. */
export function idOf<Id>({ id }: { id: Id }): Id {
  return id;
}

/** Returns the position of a row in a list by time. */
export function timeOf({ createdAt, id }: TimePosition): TimePosition {
  return { createdAt, id };
}

export const LIST_SORTS = ['newest', 'oldest'] as const;
export type ListSort = (typeof LIST_SORTS)[number];
export const NAME_SORTS = ['a_to_z', 'z_to_a'] as const;
export type NameSort = (typeof NAME_SORTS)[number];

/** Returns a LIKE pattern for values that begin with this text. */
export function beginningWith(text: string | null): string {
  return `${(text ?? '').toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}

/** The beginning of a list, of any time. */
export function firstPage<Sort>(sort: Sort, limit: number): ListPage<Sort, never> {
  return { from: null, to: null, sort, after: null, limit };
}

/** A part of a long list: within a period whose end is exclusive (null is open), after a position. */
export interface ListPage<Sort = ListSort, Position = string> {
  from: Date | null;
  to: Date | null;
  sort: Sort;
  /** The position of the last row of the page before; null for the first page. */
  after: Position | null;
  limit: number;
}
