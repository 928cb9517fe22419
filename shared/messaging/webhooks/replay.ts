import { addMs, type Clock, MINUTE, SECOND } from '../../platform/clock.ts';
import { conflict, type FieldError, fail, invalid } from '../../platform/errors.ts';
import { idRangeAt, newId } from '../../platform/ids.ts';
import type { JobReference } from '../jobs/job.ts';
import type { Database } from '../unit-of-work/database.ts';
import { insertReplayed } from './delivery.store.ts';
import { changedTopic } from './delivery-pool.ts';
import type { EndpointOwner } from './endpoint.ts';
import { typeFaults } from './endpoint-settings.ts';
import { type NamedEndpoint, type ReadRuntime, readEndpoint } from './manage-endpoint.ts';
import {
  type CountedReplay,
  countReplayed,
  countWindow,
  insertReplay,
  type ReplayRow,
  selectEventAt,
  selectHead,
  selectReplay,
  selectReplayForUpdate,
  selectReplays,
  selectWindow,
  updateProgress,
  updateReplayCancelled,
  updateReplayedCancelled,
} from './replay.store.ts';
import { noActiveEndpoint } from './requested-deliveries.ts';
import { scheduleInStream } from './schedule-deliveries.ts';
import { replayEventsJob } from './webhook.jobs.ts';

/** The state of a replay; `completed` means that all of its deliveries have been scheduled. */
export type ReplayState = 'queued' | 'running' | 'completed' | 'cancelled';

/** A replay: the events of a time window, sent to an endpoint again. */
export interface Replay extends Omit<ReplayRow, 'afterPosition' | 'untilPosition' | 'active'> {
  /** The number of deliveries that succeeded, that were exhausted or canceled, and that have not ended. */
  delivered: number;
  failed: number;
  /** The share of deliveries that have ended, from 0 to 1. */
  progress: number;
}

/** A request for a replay: the events from `from` (inclusive) to `to` (exclusive). */
export interface ReplayInput {
  from: Date;
  to: Date;
  eventTypes: readonly string[] | null;
}

interface ReplayRuntime {
  db: Database;
  clock: Clock;
}

/**
 * Requests a replay: the events of a time window that the endpoint accepts are sent to it again.
 * @throws not_found, validation_error, conflict (endpoint_disabled)
 */
export async function startReplay(
  runtime: ReadRuntime,
  { partnerId, environment }: EndpointOwner,
  endpointId: string,
  { from, to, eventTypes }: ReplayInput,
): Promise<Replay> {
  const owner = { partnerId, environment };
  const endpoint: NamedEndpoint = await readEndpoint(runtime, owner, endpointId);
  const faults: FieldError[] = typeFaults(eventTypes);
  if (from >= to) faults.push({ path: '/from', message: 'must be before to' });
  if (faults.length > 0) throw invalid(faults);
  if (!endpoint.active) throw noActiveEndpoint();
  const id = newId('webhookReplay', runtime.clock.now());
  await runtime.db.transactFor(partnerId, async (uow) => {
    const row = { ...owner, id, endpointId: endpoint.id, from, to, eventTypes, now: uow.now };
    await insertReplay.send(uow.pipeline, row);
    uow.jobs.add(replayEventsJob, { replayId: id });
  });
  return readReplay(runtime, owner, id);
}

/** Builds the error for a replay that does not exist. */
export function replayNotFound() {
  return fail('not_found', { message: 'There is no replay with this ID.' });
}

/** Returns a replay and its progress. @throws not_found */
export async function readReplay(
  { db }: Pick<ReplayRuntime, 'db'>,
  { partnerId, environment }: EndpointOwner,
  id: string,
): Promise<Replay> {
  const found = await selectReplay.first(db.knex, { partnerId, environment, id });
  if (!found) throw replayNotFound();
  return withProgress(found);
}

/** Returns the latest replays to an endpoint and their progress, newest first. */
export async function listReplays(
  { db }: Pick<ReplayRuntime, 'db'>,
  { partnerId, environment }: EndpointOwner,
  { endpointId, limit }: { endpointId: string; limit: number },
): Promise<Replay[]> {
  const wanted = { partnerId, environment, endpointId, limit };
  return (await selectReplays.all(db.knex, wanted)).map(withProgress);
}

function withProgress(row: CountedReplay): Replay {
  const { afterPosition, untilPosition, active, open, ...replay } = row;
  const total = replay.total ?? 0;
  const over = replay.state === 'completed' && open === 0;
  const progress = over ? 1 : total === 0 ? 0 : Math.max(0, replay.scheduled - open) / total;
  // For the partner, a replay is running until its last delivery has ended.
  const state = replay.state === 'completed' && !over ? 'running' : replay.state;
  return { ...replay, state, progress: Math.min(1, progress) };
}

/** Stops a replay and cancels its pending deliveries. @throws not_found, conflict (invalid_state) */
export async function cancelReplay(
  runtime: ReplayRuntime,
  owner: EndpointOwner,
  id: string,
): Promise<Replay> {
  const { state, endpointId } = await readReplay(runtime, owner, id);
  if (state === 'completed' || state === 'cancelled') {
    throw conflict('invalid_state', `A replay that is ${state} cannot be canceled.`);
  }
  await runtime.db.transactFor(owner.partnerId, async (uow) => {
    // Lock and cancel the replay first, so that its job schedules nothing more.
    await selectReplayForUpdate.first(uow.sql, { id });
    await updateReplayCancelled.send(uow.pipeline, { id, now: uow.now });
    await updateReplayedCancelled.send(uow.pipeline, { id, now: uow.now });
    uow.wake([changedTopic(endpointId)]);
  });
  return readReplay(runtime, owner, id);
}

/** The maximum number of events that one transaction schedules. */
const BATCH = 500;
/** The maximum number of open deliveries per replay, so that a long one never fills the table. */
const MAX_OPEN = 5_000;
const PAUSE_MS = 2 * SECOND;
/** The maximum gap between the start of an event's transaction, which dates it, and its end, which orders it. */
const DISORDER_MS = 10 * MINUTE;

/** Schedules the next events of a replay. If `more`, the job goes on at `until` (null: at once); else it is done. */
export async function continueReplay(
  { db }: Pick<ReplayRuntime, 'db'>,
  replayId: string,
  job: JobReference,
): Promise<{ until: Date | null; more: boolean }> {
  const bounds = await findBounds(db, replayId);
  const { open } = await countReplayed.one(db.knex, { id: replayId });
  return db.transact(async (uow) => {
    const ended = { until: null, more: false };
    const replay = await selectReplayForUpdate.first(uow.sql, { id: replayId });
    if (!replay || !bounds || (replay.state !== 'queued' && replay.state !== 'running')) {
      uow.jobs.finish(job);
      return ended;
    }
    if (!replay.active) {
      await updateReplayCancelled.send(uow.pipeline, { id: replayId, now: uow.now });
      uow.jobs.finish(job);
      return ended;
    }
    const { endpointId, from, to, eventTypes } = replay;
    const afterPosition = replay.afterPosition ?? bounds.after;
    const untilPosition = replay.untilPosition ?? bounds.until;
    const place = {
      endpointId,
      from,
      to,
      eventTypes,
      afterPosition,
      untilPosition,
      firstId: idRangeAt('event', from).first,
      lastId: idRangeAt('event', to).first,
    };
    const total = replay.total ?? (await countWindow.one(uow.sql, place)).total;
    const room = Math.min(BATCH, MAX_OPEN - open);
    const events = room > 0 ? await selectWindow.all(uow.sql, { ...place, limit: room }) : [];
    const over = room > 0 && events.length < room;
    const rows = {
      endpointId,
      replayId,
      ids: events.map(() => newId('webhookDelivery', uow.now)),
      eventIds: events.map((event) => event.id),
      now: uow.now,
    };
    await scheduleInStream(uow, replay, (traceParent) =>
      insertReplayed.all(uow.sql, { ...rows, traceParent }),
    );
    await updateProgress.send(uow.pipeline, {
      id: replayId,
      state: over ? 'completed' : 'running',
      total,
      scheduled: replay.scheduled + events.length,
      afterPosition: events.at(-1)?.position ?? afterPosition,
      untilPosition,
      finishedAt: over ? uow.now : null,
    });
    if (over) uow.jobs.finish(job);
    if (over) return ended;
    return room > 0 ? { until: null, more: true } : { until: addMs(uow.now, PAUSE_MS), more: true };
  });
}

/** Finds the positions around a replay's window by binary search; undefined if there is no such replay. */
async function findBounds(
  { knex }: Database,
  replayId: string,
): Promise<{ after: number; until: number } | undefined> {
  const replay = await selectReplayForUpdate.first(knex, { id: replayId });
  if (!replay) return undefined;
  const { partnerId, environment, from, to } = replay;
  if (replay.afterPosition !== null && replay.untilPosition !== null) {
    return { after: replay.afterPosition, until: replay.untilPosition };
  }
  const head = (await selectHead.first(knex, { partnerId, environment }))?.head ?? 0;
  /** Returns the first position whose event is at or after `at`. */
  const firstSince = async (at: Date) => {
    let [low, high] = [1, head + 1];
    while (low < high) {
      const position = Math.floor((low + high) / 2);
      const event = await selectEventAt.first(knex, { partnerId, environment, position });
      if (event && event.createdAt < at) low = position + 1;
      else high = position;
    }
    return low;
  };
  return {
    after: (await firstSince(addMs(from, -DISORDER_MS))) - 1,
    until: await firstSince(addMs(to, DISORDER_MS)),
  };
}
