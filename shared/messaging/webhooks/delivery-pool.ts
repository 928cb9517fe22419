import type { Config } from '../../platform/config/config.ts';
import { createOpener, type OpenSealed, type SecretBox } from '../../platform/crypto/secrets.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Queues } from '../jobs/job-queues.ts';
import type { Database } from '../unit-of-work/database.ts';
import { createRecorder, type RecordAttempt } from './record-attempts.ts';

/** How often a process with delivery jobs looks whether their queue was paused. */
const PAUSED_MS = 500;

/** Wakes the job of an endpoint: its partner may have changed the endpoint, or scheduled something. */
export type WakeJob = (news: { isChanged: boolean }) => void;

/** What the job of an endpoint is woken by when its partner has changed the endpoint. */
export function changedTopic(endpointId: string): string {
  return `changed:${endpointId}`;
}

interface Services {
  db: Database;
  config: Config;
  log: Logger;
  secrets: SecretBox;
  queues: Queues;
}

/** What the delivery jobs of one process share: places for requests, the recording, and what wakes them. */
export class DeliveryPool {
  readonly record: RecordAttempt;
  readonly open: OpenSealed;
  /** Whether ops paused the queue: then nothing more is sent. */
  isPaused = false;
  readonly #services: Services;
  /** Endpoints by what wakes their jobs. */
  readonly #jobs = new Map<WakeJob, string>();
  /** Wake those that found no doubtful place, the first one first. */
  readonly #queue = new Set<WakeJob>();
  #watch: NodeJS.Timeout | undefined;
  #underWay = 0;
  #doubtful = 0;

  constructor(services: Services) {
    this.#services = services;
    this.record = createRecorder(services);
    this.open = createOpener(services.secrets);
  }

  /** Lets the job of an endpoint in, to be woken by `wake`, until the function that it returns is called. */
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

  /** Wakes the jobs that these topics are about: ids of endpoints, or {@link changedTopic}. */
  wake(topics: readonly string[]): void {
    const all = new Set(topics);
    for (const [wake, endpointId] of this.#jobs) {
      const isChanged = all.has(changedTopic(endpointId));
      if (isChanged || all.has(endpointId)) wake({ isChanged });
    }
  }

  /** Whether jobs take most of the places that the process has for them: then none stays without need. */
  get isCrowded(): boolean {
    return this.#jobs.size * 2 > this.#services.config.webhookConcurrency;
  }

  /**
   * Requests that a job may begin which has `own` under way: none has more than its share. Few of all are for what may
   * well fail again, retries and all that goes to a failing endpoint, so that no number of dead endpoints takes the
   * others' room.
   */
  room(own: number): { any: number; doubtful: number } {
    const { webhookConcurrency: all, webhookRetrySharePercent } = this.#services.config;
    const share = Math.max(1, Math.floor(all / Math.max(1, this.#jobs.size)));
    const any = Math.max(0, Math.min(share - own, all - this.#underWay));
    const few = Math.max(1, Math.floor((all * webhookRetrySharePercent) / 100));
    return { any, doubtful: Math.max(0, few - this.#doubtful) };
  }

  /** Takes a place for a request, until the function that it returns is called. */
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

  /** Calls `wake` when a place for what may well fail again is free, after those who asked before. */
  queueForPlace(wake: WakeJob): void {
    this.#queue.add(wake);
  }

  async #lookForPause(): Promise<void> {
    try {
      this.isPaused = await this.#services.queues.get('webhooks').isPaused();
      if (this.isPaused) for (const wake of this.#jobs.keys()) wake({ isChanged: false });
    } catch (err) {
      // Redis tells of its own absence.
      this.#services.log.debug({ err }, 'deliveries: paused?');
    }
  }
}
