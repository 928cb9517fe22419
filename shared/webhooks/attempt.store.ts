import type { Environment } from '../platform/config.ts';
import type { Sql, Tx } from '../platform/db.ts';
import type { ClaimedDelivery, DeliveryState } from './delivery.ts';

/** Everything that one attempt needs, as it stands now. */
export interface AttemptRow extends ClaimedDelivery {
  attempts: number;
  /** When its event was. */
  createdAt: Date;
  /** Whether its last attempt failed, or its breaker has not closed. */
  failing: boolean;
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

/** The rows of those claims that are still the present ones. */
export async function readAttempts(
  sql: Sql,
  claims: readonly ClaimedDelivery[],
  now: Date,
): Promise<AttemptRow[]> {
  const { rows } = await sql.raw(
    `select d.id, d.epoch, d.attempts, d.created_at as "createdAt",
       (w.failing_since is not null or w.open_until is not null) as failing,
       d.trace_parent as "traceParent", d.endpoint_id as "endpointId", w.active, w.url, w.environment,
       w.secret_ciphertext as secret,
       case when w.previous_secret_until > :now then w.previous_secret_ciphertext end as "previousSecret",
       d.event_id as "eventId", e.type as "eventType", e.body
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
const WRITE_ATTEMPTS = (onlyHealthy: boolean) => `
  with ended as (
    select * from unnest(:ids::text[], :epochs::integer[], :endpointIds::text[], :numbers::integer[],
      :states::text[], :startedAts::timestamptz[], :endedAts::timestamptz[], :elapsed::integer[],
      :statuses::integer[], :outcomes::text[], :details::text[], :excerpts::text[], :nexts::timestamptz[])
    as a (id, epoch, endpoint_id, attempt, state, started_at, ended_at, elapsed_ms,
      status, outcome, detail, response_excerpt, next_attempt_at)),
  moved as (
    update webhook_deliveries d set
      state = ended.state, attempts = ended.attempt, lease_until = null,
      next_attempt_at = coalesce(ended.next_attempt_at, d.next_attempt_at),
      finished_at = case when ended.state = 'pending' then null else ended.ended_at end
    from ended ${onlyHealthy ? 'join webhook_endpoints w on w.id = ended.endpoint_id' : ''}
    where d.id = ended.id and d.epoch = ended.epoch and d.attempts = ended.attempt - 1
      and d.state in ('dispatched', 'pending')
      ${onlyHealthy ? HEALTHY : ''}
    returning d.id)
  insert into webhook_attempts (delivery_id, attempt, started_at, elapsed_ms, status, outcome, detail,
    response_excerpt, next_attempt_at)
  select id, attempt, started_at, elapsed_ms, status, outcome, detail, response_excerpt, next_attempt_at
  from ended join moved using (id)
  returning delivery_id as id`;

const HEALTHY = `and w.failing_since is null and w.open_until is null
  and coalesce((w.breaker->>'failures')::int, 0) = 0 and w.last_success_at > :freshSince`;

/** Records an attempt; false when it was not the present one, and then nothing changed. */
export async function writeAttempt(tx: Tx, record: AttemptRecord): Promise<boolean> {
  const { rows } = await tx.raw(WRITE_ATTEMPTS(false), columns([record]));
  return rows.length === 1;
}

/**
 * Records successes of endpoints whose health they don't change (nothing failed lately, and a success
 * since `freshSince` is noted already), without touching the endpoints. Returns the ids recorded; the
 * others need {@link writeAttempt} and a look at the endpoint.
 */
export async function writeUneventful(
  sql: Sql,
  records: readonly AttemptRecord[],
  freshSince: Date,
): Promise<Set<string>> {
  const { rows } = await sql.raw(WRITE_ATTEMPTS(true), { ...columns(records), freshSince });
  return new Set(rows.map((row: { id: string }) => row.id));
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
