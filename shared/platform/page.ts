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
 * Reads a page of up to `limit` rows. `read` is asked for one row more, which tells whether another page
 * follows.
 */
export async function readPage<Row, Position>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => Position,
): Promise<Page<Row, Position>> {
  return cutPage(await read(limit + 1), limit, positionOf);
}

/** The page of up to `limit` rows out of the `limit + 1` that were asked for. */
export function cutPage<Row, Position>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row, Position> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? positionOf(last) : null };
}

/** So many rows are looked through for a page of those that may be few among them. */
export const LOOK_THROUGH = 20_000;

/**
 * The page out of what was found by a statement that looks through {@link LOOK_THROUGH} rows at most, and gives the last
 * of them, as no match, where they held less than the `limit + 1` that were asked for. So the page may be short, or
 * empty, and still have a next one.
 */
export function cutPageSoFar<Row extends { matches: boolean }, Position>(
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => Position,
): Page<Row, Position> {
  const matching = found.filter(({ matches }) => matches);
  const lastSeen = found.find(({ matches }) => !matches);
  // A full page ends with its last row: Postgres does not promise to read a union in order, so more may have been left off.
  const end = matching.length >= limit ? matching[limit - 1] : lastSeen;
  const hasMore = matching.length > limit || lastSeen !== undefined;
  return { rows: matching.slice(0, limit), next: hasMore && end ? positionOf(end) : null };
}

/** All rows of a list, a page in memory at a time. */
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
