import type { TimePosition } from '../page.ts';
import { bigint, text, timestamptzText } from './sql-types.ts';

/** The parameters of {@link timePageSql}; none is ever null, so that one plan serves all pages. */
export const TIME_PAGE = {
  from: timestamptzText,
  beforeAt: timestamptzText,
  beforeId: text,
  limit: bigint,
};

/**
 * How a page of a list by time, newest first, ends its statement. The end of the period and the place of the page before
 * are one bound: beside another one Postgres may begin to read at that, and pass over all that lies between.
 */
export function timePageSql(at = 'created_at', id = 'id'): string {
  return `${at} >= :from and (${at}, ${id}) < (:beforeAt, :beforeId) ${timeOrderSql(at, id)}`;
}

/** In which order they come, and how many. */
export function timeOrderSql(at = 'created_at', id = 'id'): string {
  return `order by ${at} desc, ${id} desc limit :limit`;
}

/**
 * What {@link timePageSql} is given for a page of a period, whose end is exclusive, behind the row that the page before
 * ended with.
 */
export function timePage(
  { from, to, before }: { from?: Date | null; to?: Date | null; before: TimePosition | null },
  limit: number,
): { from: string; beforeAt: string; beforeId: string; limit: number } {
  const place = before && (!to || before.createdAt < to) ? before : { createdAt: to, id: '' };
  return {
    from: from?.toISOString() ?? '-infinity',
    beforeAt: place.createdAt?.toISOString() ?? 'infinity',
    // No id comes before it, so that without a place the bound is the time alone.
    beforeId: place.id,
    limit,
  };
}
