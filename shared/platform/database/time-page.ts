import type { TimePosition } from '../page.ts';
import { bigint, text, timestamptzText } from './sql-types.ts';

/** The parameters of {@link timePageSql}. None is ever null, so that all pages share one plan. */
export const TIME_PAGE = {
  from: timestamptzText,
  beforeAt: timestamptzText,
  beforeId: text,
  limit: bigint,
};

/**
 * Returns the end of a statement for one page of a list, newest first. The end of the period and the end of the
 * previous page are one bound. With two bounds, Postgres may start at the wrong one and scan everything between.
 */
export function timePageSql(at = 'created_at', id = 'id'): string {
  return `${at} >= :from and (${at}, ${id}) < (:beforeAt, :beforeId) ${timeOrderSql(at, id)}`;
}

/** Returns the order and the limit. */
export function timeOrderSql(at = 'created_at', id = 'id'): string {
  return `order by ${at} desc, ${id} desc limit :limit`;
}

/**
 * Returns the parameters of {@link timePageSql} for a page of a period, which starts after the previous page's last
 * row. The end of the period is exclusive.
 */
export function timePage(
  { from, to, before }: { from?: Date | null; to?: Date | null; before: TimePosition | null },
  limit: number,
): { from: string; beforeAt: string; beforeId: string; limit: number } {
  const place = before && (!to || before.createdAt < to) ? before : { createdAt: to, id: '' };
  return {
    from: from?.toISOString() ?? '-infinity',
    beforeAt: place.createdAt?.toISOString() ?? 'infinity',
    // No ID sorts before the empty string, so without a place the bound is just the time.
    beforeId: place.id,
    limit,
  };
}
