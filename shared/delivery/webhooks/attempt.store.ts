import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { type BacklogEnd, pickBacklogEnd } from './backlog-end.ts';
import type { ClaimedDelivery, DeliveryState } from './delivery.ts';

/** Everything that one attempt needs, as it stands now. */
export interface AttemptRow extends ClaimedDelivery {
  attempts: number;
  /** When its event was. */
  createdAt: Date;
  /** Whether its last attempt failed, or its breaker has not closed. */
  failing: boolean;
  /** Whether nothing failed lately, so that a success says nothing new. */
  calm: boolean;
  /** W3C traceparent of what made the event. */
  traceParent: string | null;
  endpointId: string;
  active: boolean;
  url: string;
  environment: Environment;
  secret: Buffer;
  previousSecret: Buffer | null;
  eventId: string;
  eventType: string;
  body: string;
}

const NO_RECENT_FAILURES = `(w.failing_since is null and w.open_until is null
  and coalesce((w.breaker->>'failures')::int, 0) = 0)`;

const ATTEMPT = `d.id, d.epoch, d.attempts, d.created_at as "createdAt",
  (w.failing_since is not null or w.open_until is not null) as failing, ${NO_RECENT_FAILURES} as calm,
  d.trace_parent as "traceParent", d.endpoint_id as "endpointId", w.active, w.url, w.environment,
  w.secret_ciphertext as secret,
  case when w.previous_secret_until > :now then w.previous_secret_ciphertext end as "previousSecret",
  d.event_id as "eventId", e.type as "eventType", e.body`;

/** The rows of those claims that are still the present ones. */
export async function readAttempts(
  sql: Sql,
  claims: readonly ClaimedDelivery[],
  now: Date,
): Promise<AttemptRow[]> {
  const { rows } = await sql.raw(
    `select ${ATTEMPT}
     from unnest(:ids::text[], :epochs::integer[]) as c (id, epoch)
     join webhook_deliveries d on d.id = c.id and d.epoch = c.epoch and d.state = 'dispatched'
     join webhook_endpoints w on w.id = d.endpoint_id
     join events e on e.id = d.event_id`,
    { now, ids: claims.map((claim) => claim.id), epochs: claims.map((claim) => claim.epoch) },
  );
  return rows;
}

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

// An attempt is recorded once, by whoever was claimed last: a delivery that was taken back meanwhile
// (`pending`) but not claimed anew still takes its outcome.
const RECORD = (onlyCalm: boolean) => `
  with ended as (
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

const WRITE = `${RECORD(false)} select id from logged`;

/** What is due: first attempts in lane 0, retries in lane 1. */
const DUE = (lane: 0 | 1, endpointId: string) => `state = 'pending' and least(attempts, 1) = ${lane}
  and endpoint_id = ${endpointId} and next_attempt_at <= :now`;

/** In which order deliveries are taken. */
const ORDER = { oldest: 'next_attempt_at', newest: 'next_attempt_at desc' } as const;

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

// A success is noted with the endpoint now and then, by whoever gets its lock without waiting for it.
//
// The place of each recorded attempt that may go on is filled with its endpoint's next first attempt, in the
// one statement, so that no count of what is under way ever sees one place too many. While retries are due,
// the place is left to the fair claim, which lets both take turns.
const recordAndClaimNext = (from: BacklogEnd) => `${RECORD(true)},
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
  select place.id as "recordedId", following.*
  from place left join following on following."endpointId" = place.endpoint_id and following.nth = place.nth`;

// The statements on deliveries are planned anew each time: a plan kept from when the table was small would read
// the whole of it until Postgres has counted it again. Planning takes less than half a millisecond.

/** The claims whose attempts are still the present ones, see {@link claimOf}; held until the transaction ends. */
export async function lockPresent(
  tx: Tx,
  attempts: readonly (ClaimedDelivery & { attempt: number })[],
): Promise<Set<string>> {
  const { rows } = await tx.raw(
    `select d.id, d.epoch
     from unnest(:ids::text[], :epochs::integer[], :numbers::integer[]) as a (id, epoch, attempt)
     join webhook_deliveries d on d.id = a.id and d.epoch = a.epoch and d.attempts = a.attempt - 1
     where d.state in ('dispatched', 'pending')
     order by d.id for no key update of d`,
    {
      ids: attempts.map(({ id }) => id),
      epochs: attempts.map(({ epoch }) => epoch),
      numbers: attempts.map(({ attempt }) => attempt),
    },
  );
  return new Set((rows as ClaimedDelivery[]).map(claimOf));
}

/** A claim in one word. */
export const claimOf = ({ id, epoch }: ClaimedDelivery) => `${id}:${epoch}`;

/** Records attempts that {@link lockPresent} holds. */
export async function writeAttempts(tx: Tx, records: readonly AttemptRecord[]): Promise<void> {
  await tx.raw(WRITE, columns(records));
}

const takeNextFrom = (from: BacklogEnd) => `
  with picked as (
    select id from webhook_deliveries where ${DUE(0, ':endpointId')}
      and not exists (select 1 from webhook_deliveries where ${DUE(1, ':endpointId')})
    order by ${ORDER[from]} limit :places for no key update skip locked),
  ${TAKEN}
  select * from following`;

/**
 * Claims as many first attempts at an endpoint as places are free, none while retries are due. The endpoint
 * must be locked, and the places must have been freed in this transaction.
 */
export async function claimNext(
  tx: Tx,
  next: { endpointId: string; places: number; now: Date; leaseUntil: Date },
): Promise<AttemptRow[]> {
  const { rows } = await tx.raw(takeNextFrom(pickBacklogEnd()), next);
  return rows;
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
  const { rows } = await sql.raw(recordAndClaimNext(pickBacklogEnd()), {
    ...columns(records),
    ...options,
  });
  return new Map(
    rows.map(({ recordedId, ...next }: AttemptRow & { recordedId: string }) => [
      recordedId,
      next.id === null ? undefined : next,
    ]),
  );
}

function columns(records: readonly AttemptRecord[]) {
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
