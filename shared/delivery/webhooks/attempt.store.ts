import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  type ParamsOf,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { BACKLOG_ENDS, type BacklogEnd, pickBacklogEnd } from './backlog-end.ts';
import type { ClaimedDelivery, DeliveryState } from './delivery.ts';

const ATTEMPT_ROW = {
  id: text,
  epoch: integer,
  attempts: integer,
  /** When its event was. */
  createdAt: timestamptz,
  /** Whether its last attempt failed, or its breaker has not closed. */
  failing: boolean,
  /** Whether nothing failed lately, so that a success says nothing new. */
  calm: boolean,
  /** W3C traceparent of what made the event. */
  traceParent: nullable(text),
  endpointId: text,
  active: boolean,
  url: text,
  environment: textOf<Environment>(),
  secret: bytea,
  previousSecret: nullable(bytea),
  eventId: text,
  eventType: text,
  body: text,
};
/** Everything that one attempt needs, as it stands now. */
export type AttemptRow = RowOf<typeof ATTEMPT_ROW>;

const NO_RECENT_FAILURES = `(w.failing_since is null and w.open_until is null
  and coalesce((w.breaker->>'failures')::int, 0) = 0)`;

const ATTEMPT = `d.id, d.epoch, d.attempts, d.created_at as "createdAt",
  (w.failing_since is not null or w.open_until is not null) as failing, ${NO_RECENT_FAILURES} as calm,
  d.trace_parent as "traceParent", d.endpoint_id as "endpointId", w.active, w.url, w.environment,
  w.secret_ciphertext as secret,
  case when w.previous_secret_until > :now then w.previous_secret_ciphertext end as "previousSecret",
  d.event_id as "eventId", e.type as "eventType", e.body`;

/** The rows of those claims that are still the present ones. */
export const selectAttempts = defineStatement({
  params: { now: timestamptz, ids: arrayOf(text), epochs: arrayOf(integer) },
  row: ATTEMPT_ROW,
  text: `select ${ATTEMPT}
    from unnest(:ids::text[], :epochs::integer[]) as c (id, epoch)
    join webhook_deliveries d on d.id = c.id and d.epoch = c.epoch and d.state = 'dispatched'
    join webhook_endpoints w on w.id = d.endpoint_id
    join events e on e.id = d.event_id`,
});

/** One attempt as it goes into the log, and where it leaves its delivery. */
export interface AttemptRecord extends ClaimedDelivery {
  endpointId: string;
  attempt: number;
  state: DeliveryState;
  startedAt: Date;
  endedAt: Date;
  elapsedMs: number;
  status: number | null;
  outcome: string;
  detail: string | null;
  responseExcerpt: string | null;
  /** Null when the delivery is at its end. */
  nextAttemptAt: Date | null;
}

const RECORDS = {
  ids: arrayOf(text),
  epochs: arrayOf(integer),
  endpointIds: arrayOf(text),
  numbers: arrayOf(integer),
  states: arrayOf(textOf<DeliveryState>()),
  startedAts: arrayOf(timestamptz),
  endedAts: arrayOf(timestamptz),
  elapsed: arrayOf(integer),
  statuses: arrayOf(nullable(integer)),
  outcomes: arrayOf(text),
  details: arrayOf(nullable(text)),
  excerpts: arrayOf(nullable(text)),
  nexts: arrayOf(nullable(timestamptz)),
};

// An attempt is recorded once, by whoever was claimed last: a delivery that was taken back meanwhile
// (`pending`) but not claimed anew still takes its outcome.
const RECORD = (onlyCalm: boolean) => `with ended as (
    select * from unnest(:ids::text[], :epochs::integer[], :endpointIds::text[], :numbers::integer[],
      :states::text[], :startedAts::timestamptz[], :endedAts::timestamptz[], :elapsed::integer[],
      :statuses::integer[], :outcomes::text[], :details::text[], :excerpts::text[], :nexts::timestamptz[])
    with ordinality
    as a (id, epoch, endpoint_id, attempt, state, started_at, ended_at, elapsed_ms,
      status, outcome, detail, response_excerpt, next_attempt_at, nth)),
  moved as (
    update webhook_deliveries d set
      state = ended.state, attempts = ended.attempt, lease_until = null,
      next_attempt_at = coalesce(ended.next_attempt_at, d.next_attempt_at),
      finished_at = case when ended.state = 'pending' then null else ended.ended_at end
    from ended ${onlyCalm ? 'join webhook_endpoints w on w.id = ended.endpoint_id' : ''}
    where d.id = ended.id and d.epoch = ended.epoch and d.attempts = ended.attempt - 1
      and d.state in ('dispatched', 'pending')
      ${onlyCalm ? `and ${NO_RECENT_FAILURES}` : ''}
    returning d.id),
  logged as (
    insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, detail,
      response_excerpt, next_attempt_at)
    select id, attempt, started_at, elapsed_ms, status, outcome, detail, response_excerpt, next_attempt_at
    from ended join moved using (id)
    returning delivery_id as id)`;

/** Records attempts that {@link selectPresentForUpdate} holds. */
export const insertAttempts = defineStatement({
  params: RECORDS,
  row: { id: text },
  text: `${RECORD(false)} select id from logged`,
});

/** What is due: first attempts in lane 0, retries in lane 1. */
const DUE = (lane: 0 | 1, endpointId: string) => `state = 'pending' and least(attempts, 1) = ${lane}
  and endpoint_id = ${endpointId} and next_attempt_at <= :now`;

/** In which order deliveries are taken. */
const ORDER: Record<BacklogEnd, string> = {
  oldest: 'next_attempt_at',
  newest: 'next_attempt_at desc',
};

/** The columns of {@link ATTEMPT_ROW} out of {@link TAKEN}. */
const FOLLOWING = Object.keys(ATTEMPT_ROW)
  .map((column) => `following."${column}"`)
  .join(', ');

/** The claim of picked deliveries by a worker that sends them itself, and what it needs for it. */
const TAKEN = `
  taken as (
    update webhook_deliveries d
    set state = 'dispatched', epoch = d.epoch + 1, lease_until = :leaseUntil, without_job = true
    from picked where d.id = picked.id and d.state = 'pending'
    returning d.*),
  following as (
    select ${ATTEMPT}, row_number() over (partition by d.endpoint_id) as nth
    from taken d join webhook_endpoints w on w.id = d.endpoint_id join events e on e.id = d.event_id)`;

/**
 * Records successes of endpoints whose health they don't change, for nothing failed lately. The first `goingOn` of
 * them say what takes their place: the next delivery to the same endpoint, claimed until `leaseUntil`.
 */
export const insertRoutineSuccesses = variantsOf(BACKLOG_ENDS, (from) =>
  defineStatement({
    params: {
      ...RECORDS,
      now: timestamptz,
      notedSince: timestamptz,
      goingOn: integer,
      leaseUntil: timestamptz,
    },
    // Of a record that nothing follows all columns but its own are null.
    row: { ...ATTEMPT_ROW, recordedId: text, id: nullable(text) },
    // A success is noted with the endpoint now and then, by whoever gets its lock without waiting for it.
    //
    // The place of each recorded attempt that may go on is filled with its endpoint's next first attempt, in the
    // one statement, so that no count of what is under way ever sees one place too many. While retries are due,
    // the place is left to the fair claim, which lets both take turns.
    text: `${RECORD(true)},
  place as (
    select ended.id, ended.endpoint_id,
      ended.nth <= :goingOn::int and w.active as goes_on,
      row_number() over (partition by ended.endpoint_id order by ended.nth) as nth
    from ended join logged on logged.id = ended.id join webhook_endpoints w on w.id = ended.endpoint_id),
  unnoted as (
    select w.id from webhook_endpoints w
    where w.id in (select endpoint_id from place)
      and (w.last_success_at is null or w.last_success_at < :notedSince) and ${NO_RECENT_FAILURES}
    for no key update skip locked),
  noted as (
    update webhook_endpoints w set last_success_at = :now from unnoted where w.id = unnoted.id),
  picked as (
    select due.id from (select endpoint_id, count(*) as places from place where goes_on group by endpoint_id) freed
    cross join lateral (
      select id from webhook_deliveries where ${DUE(0, 'freed.endpoint_id')} and id <> all(:ids::text[])
      order by ${ORDER[from]} limit freed.places for no key update skip locked) due
    where not exists (select 1 from webhook_deliveries where ${DUE(1, 'freed.endpoint_id')})),
  ${TAKEN}
  select place.id as "recordedId", ${FOLLOWING}
  from place left join following on following."endpointId" = place.endpoint_id and following.nth = place.nth`,
  }),
);

// The statements on deliveries are planned anew each time: a plan kept from when the table was small would read
// the whole of it until Postgres has counted it again. Planning takes less than half a millisecond.

/** The claims whose attempts are still the present ones; held until the transaction ends. */
export const selectPresentForUpdate = defineStatement({
  params: { ids: arrayOf(text), epochs: arrayOf(integer), numbers: arrayOf(integer) },
  row: { id: text, epoch: integer },
  text: `select d.id, d.epoch
    from unnest(:ids::text[], :epochs::integer[], :numbers::integer[]) as a (id, epoch, attempt)
    join webhook_deliveries d on d.id = a.id and d.epoch = a.epoch and d.attempts = a.attempt - 1
    where d.state in ('dispatched', 'pending')
    order by d.id for no key update of d`,
});

/**
 * Claims as many first attempts at an endpoint as places are free, none while retries are due. The endpoint
 * must be locked, and the places must have been freed in this transaction.
 */
export const updateNextClaimed = variantsOf(BACKLOG_ENDS, (from) =>
  defineStatement({
    params: { endpointId: text, places: bigint, now: timestamptz, leaseUntil: timestamptz },
    row: ATTEMPT_ROW,
    text: `with picked as (
      select id from webhook_deliveries where ${DUE(0, ':endpointId')}
        and not exists (select 1 from webhook_deliveries where ${DUE(1, ':endpointId')})
      order by ${ORDER[from]} limit :places for no key update skip locked),
    ${TAKEN}
    select ${FOLLOWING} from following`,
  }),
);

/** The rows of those claims that are still the present ones. */
export function readAttempts(
  sql: Sql,
  claims: readonly ClaimedDelivery[],
  now: Date,
): Promise<AttemptRow[]> {
  const ids = claims.map((claim) => claim.id);
  return selectAttempts.all(sql, { now, ids, epochs: claims.map((claim) => claim.epoch) });
}

/** The claims whose attempts are still the present ones, see {@link claimOf}; held until the transaction ends. */
export async function lockPresent(
  tx: Tx,
  attempts: readonly (ClaimedDelivery & { attempt: number })[],
): Promise<Set<string>> {
  const present = await selectPresentForUpdate.all(tx, {
    ids: attempts.map(({ id }) => id),
    epochs: attempts.map(({ epoch }) => epoch),
    numbers: attempts.map(({ attempt }) => attempt),
  });
  return new Set(present.map(claimOf));
}

/** A claim in one word. */
export const claimOf = ({ id, epoch }: ClaimedDelivery) => `${id}:${epoch}`;

/** Records attempts that {@link lockPresent} holds. */
export async function writeAttempts(tx: Tx, records: readonly AttemptRecord[]): Promise<void> {
  await insertAttempts.run(tx, columns(records));
}

/**
 * Claims as many first attempts at an endpoint as places are free, none while retries are due. The endpoint
 * must be locked, and the places must have been freed in this transaction.
 */
export function claimNext(
  tx: Tx,
  next: { endpointId: string; places: number; now: Date; leaseUntil: Date },
): Promise<AttemptRow[]> {
  return updateNextClaimed[pickBacklogEnd()].all(tx, next);
}

/**
 * Records successes of endpoints whose health they don't change, for nothing failed lately; that there was one
 * is noted with the endpoint where the last note is from before `notedSince`. The others need
 * {@link writeAttempts} and a look at the endpoint. Returns the ids recorded, and for the first `goingOn`
 * records what takes their place: the next delivery to the same endpoint, claimed until `leaseUntil`, if one
 * is due.
 */
export async function recordRoutineSuccesses(
  sql: Sql,
  records: readonly AttemptRecord[],
  options: { now: Date; notedSince: Date; goingOn: number; leaseUntil: Date },
): Promise<Map<string, AttemptRow | undefined>> {
  const recorded = await insertRoutineSuccesses[pickBacklogEnd()].all(sql, {
    ...options,
    ...columns(records),
  });
  return new Map(
    recorded.map(({ recordedId, id, ...next }) => [
      recordedId,
      id === null ? undefined : { id, ...next },
    ]),
  );
}

function columns(records: readonly AttemptRecord[]): ParamsOf<typeof RECORDS> {
  const column = <K extends keyof AttemptRecord>(key: K) => records.map((record) => record[key]);
  return {
    ids: column('id'),
    epochs: column('epoch'),
    endpointIds: column('endpointId'),
    numbers: column('attempt'),
    states: column('state'),
    startedAts: column('startedAt'),
    endedAts: column('endedAt'),
    elapsed: column('elapsedMs'),
    statuses: column('status'),
    outcomes: column('outcome'),
    details: column('detail'),
    excerpts: column('responseExcerpt'),
    nexts: column('nextAttemptAt'),
  };
}
