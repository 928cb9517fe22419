import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { SignedTokens } from '../../shared/platform/crypto/signed-tokens.ts';
import { fail, invalid } from '../../shared/platform/errors.ts';
import { dateOrInstant } from './common-schemas.ts';

/** `limit` and `cursor` of every partner list. */
export const PageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows a page.' }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
};

/** `from` (inclusive) and `to` (exclusive): a date or a date-time. */
export const PeriodQuery = {
  from: Type.Optional(dateOrInstant('Inclusive.')),
  to: Type.Optional(dateOrInstant('Exclusive.')),
};

/** The two ends of a period as instants; a date means its midnight UTC. @throws validation_error */
export function parsePeriod(query: { from?: string; to?: string }): {
  from: Date | null;
  to: Date | null;
} {
  const from = query.from === undefined ? null : new Date(query.from);
  const to = query.to === undefined ? null : new Date(query.to);
  if (from && to && from > to) throw invalid([{ path: '/from', message: 'must not be after to' }]);
  return { from, to };
}

/** Where a list goes on: opaque to the caller, signed, and good only for the filters it was made with. */
export interface Cursors {
  write(position: CursorPosition, filters: unknown): Promise<string>;
  /** @throws invalid_cursor */
  read(cursor: string | undefined, filters: unknown): Promise<CursorPosition | null>;
}

export type CursorPosition = Static<typeof Position>;
const Position = Type.Array(Type.Union([Type.String(), Type.Number()]));

export function createCursors(tokens: SignedTokens): Cursors {
  return {
    write: (position, filters) => tokens.sign('cursor', { p: position, f: digest(filters) }),
    async read(cursor, filters) {
      if (cursor === undefined) return null;
      const claims = await tokens.verify('cursor', cursor);
      if (claims === 'invalid' || claims === 'expired' || claims.f !== digest(filters)) {
        throw fail('invalid_cursor');
      }
      return claims.p as CursorPosition;
    },
  };
}

/**
 * The page out of the `limit + 1` rows that were read, and the cursor of the one after it: null when
 * there is no row more.
 */
export async function cutPage<Row>(
  cursors: Cursors,
  rows: readonly Row[],
  { limit, filters }: { limit: number; filters: unknown },
  positionOf: (row: Row) => CursorPosition,
): Promise<{ page: Row[]; nextCursor: string | null }> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { page, nextCursor: more ? await cursors.write(positionOf(last), filters) : null };
}

/** Where a list of rows by time, newest first, stands after this row. */
export function timeCursor(row: { createdAt: Date; id: string }): CursorPosition {
  return [row.createdAt.getTime(), row.id];
}

/** The same read back. */
export function parseTimeCursor(
  position: CursorPosition | null,
): { createdAt: Date; id: string } | null {
  return position && { createdAt: new Date(Number(position[0])), id: String(position[1]) };
}

function digest(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 22);
}
