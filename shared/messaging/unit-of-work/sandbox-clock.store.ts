import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  nullable,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const CLOCK = {
  aheadMs: bigint,
  /** The target of the clock's latest move, in the partner's time. */
  target: nullable(timestamptz),
  advancing: boolean,
  movedAt: timestamptz,
};
const COLUMNS = 'ahead_ms as "aheadMs", target, advancing, moved_at as "movedAt"';

/** Selects a partner's sandbox clock; no row if it was never moved. */
export const selectClock = defineStatement({
  params: { partnerId: text },
  row: CLOCK,
  text: `select ${COLUMNS} from sandbox_clocks where partner_id = :partnerId`,
  plan: 'once',
});

/** Selects how far the sandbox clocks of these partners are ahead; no row for a clock that was never moved. */
export const selectAheads = defineStatement({
  params: { partnerIds: arrayOf(text) },
  row: { partnerId: text, aheadMs: bigint },
  text: `select partner_id as "partnerId", ahead_ms as "aheadMs" from sandbox_clocks
    where partner_id = any(:partnerIds)`,
});

/** Selects a partner's sandbox clock, and locks it until the transaction ends. */
export const selectClockForUpdate = defineStatement({
  params: { partnerId: text },
  row: CLOCK,
  text: `select ${COLUMNS} from sandbox_clocks where partner_id = :partnerId for update`,
});

/** Creates a clock that shows real time, unless there is one. */
export const insertClock = defineStatement({
  params: { partnerId: text, now: timestamptz },
  text: `insert into sandbox_clocks (partner_id, moved_at) values (:partnerId, :now)
    on conflict (partner_id) do nothing`,
});

/** Begins a move. */
export const updateTarget = defineStatement({
  params: { partnerId: text, target: timestamptz, now: timestamptz },
  text: `update sandbox_clocks set target = :target, advancing = true, moved_at = :now
    where partner_id = :partnerId`,
});

/** Moves a clock ahead; the database rejects moving it back. */
export const updateAhead = defineStatement({
  params: { partnerId: text, aheadMs: bigint, now: timestamptz },
  text: `update sandbox_clocks set ahead_ms = :aheadMs, moved_at = :now where partner_id = :partnerId`,
});

/** Ends a move. */
export const updateArrived = defineStatement({
  params: { partnerId: text, now: timestamptz },
  text: `update sandbox_clocks set advancing = false, moved_at = :now where partner_id = :partnerId`,
});

/** Selects up to `limit` partners after `after` whose clock is ahead and not being moved. */
export const selectMoved = defineStatement({
  params: { after: text, limit: bigint },
  row: { partnerId: text },
  text: `select partner_id as "partnerId" from sandbox_clocks
    where partner_id > :after and ahead_ms > 0 and not advancing order by partner_id limit :limit`,
});
