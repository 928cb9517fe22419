import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { ReplayState } from './replay.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

const WINDOW = { from: timestamptz, to: timestamptz, eventTypes: nullable(arrayOf(text)) };

/** Inserts a replay. */
export const insertReplay = defineStatement({
  params: { ...OWNER, ...WINDOW, id: text, endpointId: text, now: timestamptz },
  text: `insert into webhook_replays
      (id, endpoint_id, partner_id, environment, from_at, to_at, event_types, created_at)
    values (:id, :endpointId, :partnerId, :environment, :from, :to, :eventTypes::text[], :now)`,
});

const REPLAY = {
  id: text,
  endpointId: text,
  ...OWNER,
  ...WINDOW,
  state: textOf<ReplayState>(),
  total: nullable(integer),
  scheduled: integer,
  afterPosition: nullable(bigint),
  untilPosition: nullable(bigint),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
  /** Whether the replay's endpoint is active. */
  active: boolean,
};
/** A replay as it is stored. */
export type ReplayRow = RowOf<typeof REPLAY>;

const COLUMNS = `r.id, r.endpoint_id as "endpointId", r.partner_id as "partnerId", r.environment,
  r.from_at as "from", r.to_at as "to", r.event_types as "eventTypes", r.state, r.total, r.scheduled,
  r.after_position as "afterPosition", r.until_position as "untilPosition", r.created_at as "createdAt",
  r.finished_at as "finishedAt", w.active`;

/** The number of deliveries of a replay by status. */
const COUNTS = { delivered: integer, failed: integer, open: integer };
const COUNT = `select count(*) filter (where state = 'delivered')::int as delivered,
      count(*) filter (where state in ('exhausted', 'cancelled'))::int as failed,
      count(*) filter (where state = 'pending')::int as open
    from webhook_deliveries`;

const COUNTED = { ...REPLAY, ...COUNTS };
/** A replay with the number of its deliveries by status. */
export type CountedReplay = RowOf<typeof COUNTED>;

const SELECT_COUNTED = `select ${COLUMNS}, counts.delivered, counts.failed, counts.open
    from webhook_replays r join webhook_endpoints w on w.id = r.endpoint_id
    cross join lateral (${COUNT} where replay_id = r.id) counts
    where r.partner_id = :partnerId and r.environment = :environment`;

/** Selects one of the owner's replays. */
export const selectReplay = defineStatement({
  params: { ...OWNER, id: text },
  row: COUNTED,
  text: `${SELECT_COUNTED} and r.id = :id`,
});

/** Selects the latest replays to one endpoint, newest first. */
export const selectReplays = defineStatement({
  params: { ...OWNER, endpointId: text, limit: bigint },
  row: COUNTED,
  text: `${SELECT_COUNTED} and r.endpoint_id = :endpointId order by r.id desc limit :limit`,
});

/** Selects a replay, and locks it until the transaction ends. */
export const selectReplayForUpdate = defineStatement({
  params: { id: text },
  row: REPLAY,
  text: `select ${COLUMNS} from webhook_replays r join webhook_endpoints w on w.id = r.endpoint_id
    where r.id = :id for no key update of r`,
});

/** Counts the deliveries of a replay by status. */
export const countReplayed = defineStatement({
  params: { id: text },
  row: COUNTS,
  text: `${COUNT} where replay_id = :id`,
});

/** Selects the time of the first event at or after a position of a history; no row after the last event. */
export const selectEventAt = defineStatement({
  params: { ...OWNER, position: bigint },
  row: { createdAt: timestamptz },
  text: `select created_at as "createdAt" from events
    where partner_id = :partnerId and environment = :environment and position >= :position
    order by position limit 1`,
});

/** Selects the last position of a history; no row if it has no events yet. */
export const selectHead = defineStatement({
  params: OWNER,
  row: { head: present(bigint, 'those without one are left out') },
  text: `select position as head from events
    where partner_id = :partnerId and environment = :environment and position is not null
    order by position desc limit 1`,
});

/** The events `e` in a window between two positions that match its types and that endpoint `w` accepts. */
const IN_WINDOW = `e.partner_id = w.partner_id and e.environment = w.environment
      and e.position > :afterPosition and e.position < :untilPosition
      and e.created_at >= :from and e.created_at < :to and e.id >= :firstId and e.id < :lastId
      and (w.event_types is null or w.event_types && array[e.type, split_part(e.type, '.', 1) || '.*'])
      and (:eventTypes::text[] is null or :eventTypes && array[e.type, split_part(e.type, '.', 1) || '.*'])`;
const PLACE = {
  ...WINDOW,
  endpointId: text,
  afterPosition: bigint,
  untilPosition: bigint,
  /** The id range of the window, so that Postgres reads only its months. */
  firstId: text,
  lastId: text,
};

/** Counts the events of a replay. */
export const countWindow = defineStatement({
  params: PLACE,
  row: { total: integer },
  text: `select count(*)::int as total from webhook_endpoints w, events e where w.id = :endpointId and ${IN_WINDOW}`,
});

/** Selects the next events of a replay, oldest first. */
export const selectWindow = defineStatement({
  params: { ...PLACE, limit: bigint },
  row: { id: text, position: present(bigint, 'it is compared') },
  text: `select e.id, e.position from webhook_endpoints w, events e where w.id = :endpointId and ${IN_WINDOW}
    order by e.position limit :limit`,
});

/** Stores the progress of a replay. */
export const updateProgress = defineStatement({
  params: {
    id: text,
    state: textOf<ReplayState>(),
    total: integer,
    scheduled: integer,
    afterPosition: bigint,
    untilPosition: bigint,
    finishedAt: nullable(timestamptz),
  },
  text: `update webhook_replays set state = :state, total = :total, scheduled = :scheduled,
      after_position = :afterPosition, until_position = :untilPosition, finished_at = :finishedAt
    where id = :id`,
});

/** Cancels a replay that has not ended. */
export const updateReplayCancelled = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update webhook_replays set state = 'cancelled', finished_at = :now
    where id = :id and state in ('queued', 'running')`,
});

/** Cancels the pending deliveries of a replay. */
export const updateReplayedCancelled = defineStatement({
  params: { id: text, now: timestamptz },
  text: `update webhook_deliveries set state = 'cancelled', finished_at = :now
    where replay_id = :id and state = 'pending'`,
});
