import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { LegalHoldKind } from './legal-hold.ts';

const COLUMNS = `h.id, h.domain, h.kind, h.case_reference as "caseReference", h.placed_at as "placedAt",
  h.placed_by as "placedBy", h.lifted_at as "liftedAt", h.lifted_by as "liftedBy"`;
const LEGAL_HOLD = {
  id: text,
  domain: text,
  kind: textOf<LegalHoldKind>(),
  caseReference: text,
  placedAt: timestamptz,
  placedBy: text,
  liftedAt: nullable(timestamptz),
  liftedBy: nullable(text),
};

/** Waits for pending changes of holds and blocks new ones until the transaction ends. */
export const lockAgainstChanges = defineStatement({ text: 'lock table legal_holds in share mode' });

/** Like {@link lockAgainstChanges}, for changing holds: also waits for transactions that rely on them. */
export const lockForChange = defineStatement({
  text: 'lock table legal_holds in share row exclusive mode',
});

/** Those of `domains` with an active hold. */
export const selectHeld = defineStatement({
  params: { domains: arrayOf(text) },
  row: { domain: text },
  text: `select distinct domain from legal_holds
    where domain = any(:domains) and lifted_at is null`,
  plan: 'once',
});

export const selectHold = defineStatement({
  params: { id: text },
  row: LEGAL_HOLD,
  text: `select ${COLUMNS} from legal_holds h where h.id = :id`,
});

/** The active hold of a case on a domain. */
export const selectStanding = defineStatement({
  params: { domain: text, caseReference: text },
  row: { id: text },
  text: `select id from legal_holds
    where domain = :domain and case_reference = :caseReference and lifted_at is null`,
});

/** Places a hold; returns no row if it already exists. */
export const insertHold = defineStatement({
  params: {
    id: text,
    domain: text,
    kind: textOf<LegalHoldKind>(),
    caseReference: text,
    actor: text,
    now: timestamptz,
  },
  row: LEGAL_HOLD,
  text: `insert into legal_holds as h (id, domain, kind, case_reference, placed_at, placed_by)
    values (:id, :domain, :kind, :caseReference, :now, :actor)
    on conflict (domain, case_reference) where lifted_at is null do nothing returning ${COLUMNS}`,
});

/** Lifts an active hold. */
export const updateLifted = defineStatement({
  params: { id: text, actor: text, now: timestamptz },
  row: LEGAL_HOLD,
  text: `update legal_holds h set lifted_at = :now, lifted_by = :actor
    where h.id = :id and h.lifted_at is null returning ${COLUMNS}`,
});

/** A page of holds, filtered by domain prefix; active ones or all. */
export const selectHolds = variantsOf(LIST_SORTS, (sort) => {
  const direction = sort === 'newest' ? 'desc' : 'asc';
  return defineStatement({
    params: {
      beginning: text,
      standing: boolean,
      from: nullable(timestamptz),
      to: nullable(timestamptz),
      after: nullable(text),
      limit: bigint,
    },
    row: LEGAL_HOLD,
    text: `select ${COLUMNS} from legal_holds h
      where h.domain like :beginning and (not :standing or h.lifted_at is null)
        and (:from::timestamptz is null or h.placed_at >= :from)
        and (:to::timestamptz is null or h.placed_at < :to)
        and (:after::text is null or h.id ${sort === 'newest' ? '<' : '>'} :after)
      order by h.id ${direction} limit :limit`,
  });
});
