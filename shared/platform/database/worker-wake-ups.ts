import type { Knex } from 'knex';
import pg from 'pg';
import type { Logger } from '../observability/logger.ts';
import { KEEP_ALIVE_MS } from './connection-pool.ts';
import { notifyWorkers, WAKE_CHANNEL } from './wake-up.store.ts';

/**
 * The first wake-up goes out at once, and those of the next milliseconds as one: Postgres lets commits with a NOTIFY
 * through one at a time.
 */
const WAKE_PAUSE_MS = 10;
/** The most topics of one NOTIFY, whose payload Postgres limits to 8,000 bytes. */
const WAKE_TOPICS = 200;

/** Sends wake-ups to workers, joining those of commits within a few milliseconds. */
export class WakeUps {
  readonly #knex: Knex;
  #topics = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(knex: Knex) {
    this.#knex = knex;
  }

  add(topics: Iterable<string>): void {
    for (const topic of topics) this.#topics.add(topic);
    if (this.#timer || this.#closed || this.#topics.size === 0) return;
    const waitMs = Math.max(0, this.#sentAt + WAKE_PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#send(), waitMs).unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #send(): void {
    this.#timer = undefined;
    this.#sentAt = performance.now();
    const topics = [...this.#topics];
    this.#topics.clear();
    for (let at = 0; at < topics.length; at += WAKE_TOPICS) {
      const some = topics.slice(at, at + WAKE_TOPICS).join(' ');
      // A lost wake-up costs one poll interval and nothing else.
      notifyWorkers.run(this.#knex, { topics: some }).catch(() => {});
    }
  }
}

/**
 * Calls `onWake` with the topics of every wake-up; reconnects by itself until `stop()`. Wake-ups can be lost, so
 * callers must also poll.
 */
export function listenForWake(
  url: string,
  log: Logger,
  onWake: (topics: readonly string[]) => void,
): { stop(): Promise<void> } {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'wake-listener',
    });
    client = next;
    next.on('notification', ({ payload = '' }) => onWake(payload.split(' ')));
    const lost = (error?: Error) => {
      if (client !== next || stopped) return;
      client = undefined;
      log.debug({ err: error }, 'wake listener lost, polling meanwhile');
      next.end().catch(() => {});
      retry = setTimeout(() => void connect(), 1_000);
    };
    next.on('error', lost);
    next.on('end', () => lost());
    try {
      await next.connect();
      await next.query(`listen ${WAKE_CHANNEL}`);
    } catch (error) {
      lost(error as Error);
    }
  };
  void connect();

  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };
}
