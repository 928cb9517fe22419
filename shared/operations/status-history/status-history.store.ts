import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  date,
  integer,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { Component } from './status-rule.ts';

const component = textOf<Component>();

/** Selects whether a minute has been probed by any process. */
export const selectProbed = defineStatement({
  params: { at: timestamptz },
  row: { probed: boolean },
  text: 'select exists (select 1 from status_probes where at = :at) as probed',
});

/**
 * Stores probes of minutes that have none yet, and adds them to the daily counts. Returns the first new minute of each
 * component that has new probes.
 */
export const insertProbes = defineStatement({
  params: { components: arrayOf(component), ats: arrayOf(timestamptz), oks: arrayOf(boolean) },
  row: { component, since: timestamptz },
  text: `with fresh as (
      insert into status_probes (component, at, ok)
      select * from unnest(:components::text[], :ats::timestamptz[], :oks::boolean[])
      on conflict do nothing
      returning component, at, ok),
    counted as (
      insert into status_days as d (component, day, probes, failures)
      select component, (at at time zone 'UTC')::date, count(*), count(*) filter (where not ok)
      from fresh group by 1, 2
      on conflict (component, day) do update
        set probes = d.probes + excluded.probes, failures = d.failures + excluded.failures)
    select component, min(at) as since from fresh group by component`,
});

/** Selects the probes of a component since a minute, and `before` earlier ones, oldest first. */
export const selectProbes = defineStatement({
  params: { component, since: timestamptz, before: bigint },
  row: { at: timestamptz, ok: boolean },
  text: `select at, ok from (
      (select at, ok from status_probes where component = :component and at < :since
        order by at desc limit :before)
      union all
      (select at, ok from status_probes where component = :component and at >= :since)) p
    order by at`,
});

/** Selects when the incident started that was open just before a minute; no row if there was none. */
export const selectOpenBefore = defineStatement({
  params: { component, from: timestamptz },
  row: { startedAt: timestamptz },
  text: `select started_at as "startedAt" from status_incidents
    where component = :component and started_at < :from and (ended_at is null or ended_at >= :from)
    order by started_at desc limit 1`,
});

/** Deletes the incidents that started since a minute, to derive them again. */
export const deleteIncidentsSince = defineStatement({
  params: { component, from: timestamptz },
  text: 'delete from status_incidents where component = :component and started_at >= :from',
});

export const upsertIncident = defineStatement({
  params: { component, startedAt: timestamptz, endedAt: nullable(timestamptz) },
  text: `insert into status_incidents (component, started_at, ended_at)
    values (:component, :startedAt, :endedAt)
    on conflict (component, started_at) do update set ended_at = excluded.ended_at`,
});

/** Selects the daily counts. */
export const selectDays = defineStatement({
  params: { from: date },
  row: { component, day: text, probes: integer, failures: integer },
  text: `select component, day::text as day, probes, failures from status_days where day >= :from
    order by component, day`,
});

/** Selects the incidents that were open at or after an instant, newest first. */
export const selectIncidents = defineStatement({
  params: { since: timestamptz, limit: bigint },
  row: { component, startedAt: timestamptz, endedAt: nullable(timestamptz) },
  text: `select component, started_at as "startedAt", ended_at as "endedAt" from status_incidents
    where ended_at is null or ended_at >= :since order by started_at desc, component limit :limit`,
});
