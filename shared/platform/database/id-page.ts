import { type IdKind, idRangeAt } from '../ids.ts';
import type { ListPage, ListSort } from '../page.ts';
import { bigint, nullable, text } from './sql-types.ts';

/** The parameters of {@link idPageSql}. */
export const ID_PAGE = {
  idFrom: nullable(text),
  idTo: nullable(text),
  after: nullable(text),
  limit: bigint,
};

/** Returns the end of a statement for a page by id. Ids sort by time, so a period is a range of the primary key. */
export function idPageSql(id: string, sort: ListSort): string {
  return `${idBoundsSql(id, sort)} ${idOrderSql(id, sort)} limit :limit`;
}

/** Returns the condition for the ids of a page. */
export function idBoundsSql(id: string, sort: ListSort): string {
  return `(:idFrom::text is null or ${id} >= :idFrom) and (:idTo::text is null or ${id} < :idTo)
    and (:after::text is null or ${id} ${sort === 'newest' ? '<' : '>'} :after)`;
}

/** Returns the ORDER BY of a page. */
export function idOrderSql(id: string, sort: ListSort): string {
  return `order by ${id} ${sort === 'newest' ? 'desc' : 'asc'}`;
}

/** Returns the parameters of {@link idPageSql} for a page. */
export function idPage(
  kind: IdKind,
  { from, to, after }: ListPage,
  limit: number,
): { idFrom: string | null; idTo: string | null; after: string | null; limit: number } {
  return {
    idFrom: from && idRangeAt(kind, from).first,
    idTo: to && idRangeAt(kind, to).first,
    after,
    limit,
  };
}
