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

/** How a page of a list by id ends its statement. Ids sort by time, so a stretch of time is one of the primary key. */
export function idPageSql(id: string, sort: ListSort): string {
  return `${idBoundsSql(id, sort)} ${idOrderSql(id, sort)} limit :limit`;
}

/** Which ids a page may have. */
export function idBoundsSql(id: string, sort: ListSort): string {
  return `(:idFrom::text is null or ${id} >= :idFrom) and (:idTo::text is null or ${id} < :idTo)
    and (:after::text is null or ${id} ${sort === 'newest' ? '<' : '>'} :after)`;
}

/** In which order they come. */
export function idOrderSql(id: string, sort: ListSort): string {
  return `order by ${id} ${sort === 'newest' ? 'desc' : 'asc'}`;
}

/** What {@link idPageSql} is given for a page of objects of a kind. */
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
