import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bytea, integer, timestamptz } from '../../platform/database/sql-types.ts';

/**
 * Counts an attempt before its outcome is known, so that concurrent attempts count, too. Restarts the count if the last
 * attempt was before `forgottenBefore`. Returns no row while the subject has to wait. From `free` attempts in a row on,
 * each attempt doubles the wait after it, from `firstSeconds` to `mostSeconds`.
 */
export const upsertAttempt = defineStatement({
  params: {
    subject: bytea,
    now: timestamptz,
    forgottenBefore: timestamptz,
    free: integer,
    firstSeconds: integer,
    mostSeconds: integer,
  },
  row: { failures: integer },
  text: `insert into sign_in_attempts as a (subject_digest, failures, last_at, blocked_until)
    values (:subject, 1, :now, :now)
    on conflict (subject_digest) do update set
      failures = case when a.last_at < :forgottenBefore then 1 else a.failures + 1 end,
      last_at = excluded.last_at,
      blocked_until = case when a.last_at < :forgottenBefore or a.failures + 1 < :free then excluded.last_at
        else excluded.last_at + make_interval(secs =>
          least(:mostSeconds::integer, :firstSeconds::integer * 2 ^ least(a.failures + 1 - :free, 20))) end
    where a.blocked_until <= excluded.last_at
    returning failures`,
});

/** Selects when a subject's wait ends. */
export const selectBlocked = defineStatement({
  params: { subject: bytea },
  row: { until: timestamptz },
  text: 'select blocked_until as until from sign_in_attempts where subject_digest = :subject',
});

/** Deletes the attempts of a subject. */
export const deleteAttempts = defineStatement({
  params: { subject: bytea },
  text: 'delete from sign_in_attempts where subject_digest = :subject',
});
