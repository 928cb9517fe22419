import { addMs, type Clock, DAY, MINUTE } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { idRangeAt } from '../../platform/ids.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Queues } from '../jobs/job-queues.ts';
import type { Database } from '../unit-of-work/database.ts';
import { selectPendingBefore } from './delivery-work.store.ts';

/** Deliveries older than RECENT_MS are read only while one is pending, which is checked every ASK_AGAIN_MS. */
const [RECENT_MS, ASK_AGAIN_MS] = [8 * DAY, MINUTE];
/** How far the clocks of processes may differ. */
const SKEW_MS = DAY;

/** How often a process with delivery jobs checks whether the queue is paused. */
const PAUSED_MS = 500;

/** Wakes the job of an endpoint: the endpoint was changed, or a delivery was scheduled. */
export type WakeJob = (news: { isChanged: boolean }) => void;

/** The topic that wakes an endpoint's job after its partner changed the endpoint. */
export function changedTopic(endpointId: string): string {
  return `changed:${endpointId}`;
}

interface Services {
  db: Database;
  clock: Clock;
  config: Config;
  log: Logger;
  queues: Queues;
}

/** The state that the delivery jobs of one process share: request slots and wake-ups. */
export class DeliveryPool {
  /** Whether an operator has paused the queue; nothing is sent while it is paused. */
  isPaused = false;
  readonly #services: Services;
  /** The endpoint of each job, by the function that wakes it. */
  readonly #jobs = new Map<WakeJob, string>();
  /** Jobs waiting for a slot for doubtful requests, first come, first served. */
  readonly #queue = new Set<WakeJob>();
  #watch: NodeJS.Timeout | undefined;
  /** The lowest id that a pending delivery can have, and when it was last checked. */
  #lowest: { id: string; askedAt: number } | undefined;
  #underWay = 0;
  #doubtful = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Registers an endpoint's job and its `wake` function; the returned function unregisters it. */
  enter(endpointId: string, wake: WakeJob): () => void {
    if (this.#jobs.size === 0) this.isPaused = false;
    this.#jobs.set(wake, endpointId);
    this.#watch ??= setInterval(() => void this.#lookForPause(), PAUSED_MS).unref();
    return () => {
      this.#jobs.delete(wake);
      this.#queue.delete(wake);
      if (this.#jobs.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    };
  }

  /** Wakes the jobs for these topics: endpoint ids, or {@link changedTopic}. */
  wake(topics: readonly string[]): void {
    const all = new Set(topics);
    for (const [wake, endpointId] of this.#jobs) {
      const isChanged = all.has(changedTopic(endpointId));
      if (isChanged || all.has(endpointId)) wake({ isChanged });
    }
  }

  /** Whether more than half of the process's job slots are taken; idle jobs then end at once. */
  get isCrowded(): boolean {
    return this.#jobs.size * 2 > this.#services.config.webhookConcurrency;
  }

  /**
   * Returns how many more requests a job with `own` open requests may start; each job has a share. Doubtful requests
   * (retries, and all requests to a failing endpoint) get only a few slots, so that many dead endpoints cannot crowd
   * out the others.
   */
  room(own: number): { any: number; doubtful: number } {
    const { webhookConcurrency: all, webhookRetrySharePercent } = this.#services.config;
    const share = Math.max(1, Math.floor(all / Math.max(1, this.#jobs.size)));
    const any = Math.max(0, Math.min(share - own, all - this.#underWay));
    const few = Math.max(1, Math.floor((all * webhookRetrySharePercent) / 100));
    return { any, doubtful: Math.max(0, few - this.#doubtful) };
  }

  /** Takes a slot for a request; the returned function frees it. */
  take(isDoubtful: boolean): () => void {
    const doubtful = Number(isDoubtful);
    this.#underWay += 1;
    this.#doubtful += doubtful;
    return () => {
      this.#underWay -= 1;
      this.#doubtful -= doubtful;
      const [first] = this.#queue;
      if (!isDoubtful || !first) return;
      this.#queue.delete(first);
      first({ isChanged: false });
    };
  }

  /** Calls `wake` when a slot for doubtful requests becomes free; jobs are served in the order of their calls. */
  queueForPlace(wake: WakeJob): void {
    this.#queue.add(wake);
  }

  /**
   * Returns the id range of all due deliveries. A delivery written meanwhile by a process whose clock is days behind is
   * included at most a minute later.
   */
  async dueRange(): Promise<{ from: string; to: string }> {
    const { db, clock } = this.#services;
    const now = clock.now();
    if (!this.#lowest || Math.abs(Number(now) - this.#lowest.askedAt) > ASK_AGAIN_MS) {
      const { first: id } = idRangeAt('webhookDelivery', addMs(now, -RECENT_MS));
      const { found } = await selectPendingBefore.one(db.indexed, { id });
      this.#lowest = { id: found ? '' : id, askedAt: Number(now) };
    }
    return { from: this.#lowest.id, to: idRangeAt('webhookDelivery', addMs(now, SKEW_MS)).last };
  }

  async #lookForPause(): Promise<void> {
    try {
      this.isPaused = await this.#services.queues.get('webhooks').isPaused();
      if (this.isPaused) for (const wake of this.#jobs.keys()) wake({ isChanged: false });
    } catch (err) {
      // The connection itself logs that Redis is unavailable.
      this.#services.log.debug({ err }, 'deliveries: paused?');
    }
  }
}
