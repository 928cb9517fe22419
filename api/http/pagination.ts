import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import type { Caller } from '../../shared/people/partners/credential.ts';
import type { SignedTokens } from '../../shared/platform/crypto/signed-tokens.ts';
import { fail, invalid } from '../../shared/platform/errors.ts';
import type { TimePosition } from '../../shared/platform/page.ts';
import { dateOrInstant } from './common-schemas.ts';

/** `limit` and `cursor` of every partner list. */
export const PageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Rows per page.' }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the previous page.' })),
};

/** `from` (inclusive) and `to` (exclusive): a date or a date-time. */
export const PeriodQuery = {
  from: Type.Optional(dateOrInstant('Inclusive.')),
  to: Type.Optional(dateOrInstant('Exclusive.')),
};

/** Parses both ends of a period; a date means its midnight UTC. @throws validation_error */
export function parsePeriod(query: { from?: string; to?: string }): {
  from: Date | null;
  to: Date | null;
} {
  const from = query.from === undefined ? null : new Date(query.from);
  const to = query.to === undefined ? null : new Date(query.to);
  if (from && to && from > to) throw invalid([{ path: '/from', message: 'must not be after to' }]);
  return { from, to };
}

export interface Cursors {
  /** Returns the cursors of one list; each cursor is valid only for the list and filters it was created with. */
  of<Position>(filters: unknown, format: PositionFormat<Position>): ListCursors<Position>;
  /**
   * Like `of`, for a partner's list: the cursors are valid only for that partner and environment. Continuing another
   * partner's list would look like the end of one's own.
   */
  ofPartner<Position>(
    caller: Pick<Caller, 'partnerId' | 'environment'>,
    filters: unknown,
    format: PositionFormat<Position>,
  ): ListCursors<Position>;
}

/** Reads and writes the cursors of one list, which are signed and opaque to the caller. */
interface ListCursors<Position> {
  /** Returns the position after which the page begins; null without a cursor. @throws invalid_cursor */
  read(cursor: string | undefined): Promise<Position | null>;
  /** Returns the cursor of the page after this position; null after the last page. */
  write(next: Position | null): Promise<string | null>;
}

/** How a row's position in its list is encoded in a cursor. Callers store cursors, so the format must not change. */
export interface PositionFormat<Position> {
  write(position: Position): CursorValues;
  read(values: CursorValues): Position;
}

type CursorValues = (string | number)[];

/** The position format of a list ordered by id. */
export const BY_ID: PositionFormat<string> = {
  write: (id) => [id],
  read: ([id]) => String(id),
};

/** The position format of a list ordered by a serial number. */
export const BY_NUMBER: PositionFormat<number> = {
  write: (number) => [number],
  read: ([number]) => Number(number),
};

/** The position format of a list ordered by time. */
export const BY_TIME: PositionFormat<TimePosition> = {
  write: ({ createdAt, id }) => [createdAt.getTime(), id],
  read: ([createdAt, id]) => ({ createdAt: new Date(Number(createdAt)), id: String(id) }),
};

export function createCursors(tokens: SignedTokens): Cursors {
  const of: Cursors['of'] = (filters, format) => ({
    async read(cursor) {
      if (cursor === undefined) return null;
      const claims = await tokens.verify('cursor', cursor);
      if (claims === 'invalid' || claims === 'expired' || claims.f !== digest(filters)) {
        throw fail('invalid_cursor');
      }
      return format.read(claims.p as CursorValues);
    },
    async write(next) {
      if (next === null) return null;
      return tokens.sign('cursor', { p: format.write(next), f: digest(filters) });
    },
  });
  return {
    of,
    ofPartner: ({ partnerId, environment }, filters, format) =>
      of([partnerId, environment, filters], format),
  };
}

function digest(filters: unknown): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 22);
}
