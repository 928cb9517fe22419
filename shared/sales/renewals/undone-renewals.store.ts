import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import { renewDomainJob } from './renewal.jobs.ts';
import type { RenewalKind } from './renewal.ts';

const UNDONE = {
  id: text,
  userId: text,
  email: text,
  domain: text,
  kind: textOf<RenewalKind>(),
  years: integer,
  renewsFrom: timestamptz,
  amountCents: bigint,
  currency: text,
  paidAt: timestamptz,
  state: textOf<'trying' | 'given_up' | 'waiting'>(),
  attempts: integer,
  reason: nullable(text),
  nextTryAt: nullable(timestamptz),
};
/** A renewal that is paid and not done. */
export type UndoneRow = RowOf<typeof UNDONE>;

const COLUMNS = `r.id, r.user_id as "userId", u.email, r.domain, r.kind, r.years, r.renews_from as "renewsFrom",
  r.amount_cents as "amountCents", r.currency, r.updated_at as "paidAt",
  case when o.state in ('pending', 'dispatched') then 'trying' when o.state = 'dead' then 'given_up'
    else 'waiting' end as state,
  coalesce(o.attempts, 0) as attempts, o.last_error as reason,
  case when o.state = 'pending' then o.run_at end as "nextTryAt"`;

/** The renewals with their users and, if it still exists, the job that makes the registry renew. */
const FROM = `renewals r join users u on u.id = r.user_id
  left join job_keys k on k.dedupe_key = '${renewDomainJob.name}:' || r.id
  left join outbox o on o.id = k.job_id`;

/** Selects a page of renewals that are paid and not done. */
export const selectUndone = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: ID_PAGE,
    row: UNDONE,
    text: `select ${COLUMNS} from ${FROM} where r.status = 'paid' and ${idPageSql('r.id', sort)}`,
  }),
);

/** Selects one renewal that is paid and not done. */
export const selectUndoneRenewal = defineStatement({
  params: { id: text },
  row: UNDONE,
  text: `select ${COLUMNS} from ${FROM} where r.status = 'paid' and r.id = :id`,
});
