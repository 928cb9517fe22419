import type { Config } from '../../platform/config/config.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Queues } from '../jobs/job-queues.ts';

/** How often a process with delivery jobs checks whether the queue is paused. */
const PAUSED_MS = 500;

/** Wakes the job of an endpoint: the endpoint was changed, or a delivery was scheduled. */
export type WakeJob = (news: { isChanged: boolean }) => void;

/** The topic that wakes an endpoint's job after its partner changed the endpoint. */
export function changedTopic(endpointId: string): string {
  return `changed:${endpointId}`;
}

interface Services {
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

  /** Returns how many more requests a job with `own` open requests may start; each job has a share. */
  room(own: number): number {
    const { webhookConcurrency: all } = this.#services.config;
    const share = Math.max(1, Math.floor(all / Math.max(1, this.#jobs.size)));
    return Math.max(0, Math.min(share - own, all - this.#underWay));
  }

  /**
   * Whether a doubtful request may start: a retry, or any to a failing endpoint. These get only a few slots, so that many
   * dead endpoints cannot crowd out the others.
   */
  get hasDoubtfulRoom(): boolean {
    const { webhookConcurrency: all, webhookRetrySharePercent } = this.#services.config;
    return this.#doubtful < Math.max(1, Math.floor((all * webhookRetrySharePercent) / 100));
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
