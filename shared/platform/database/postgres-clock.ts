import { performance } from 'node:perf_hooks';
import { type Clock, SECOND } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';

/** The time of Postgres, which all processes share, whatever their machines' clocks say. */
export interface PostgresClock extends Clock {
  /** Reads the time of Postgres now and every few seconds. Keeps the last offset while Postgres is unreachable. */
  follow(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 5 * SECOND;
/** The smallest difference to correct, in milliseconds. Readings are not precise enough for less. */
const TOLERANCE_MS = 100;
/** A machine clock that is off by more than this is logged. */
const WRONG_MS = 2 * SECOND;

/**
 * Creates a clock that follows Postgres. Between readings it uses a monotonic timer, so that it does not jump with the
 * machine's clock: a job delayed by one process for a minute could be due hours later for the others. Before the first
 * reading it shows the machine's time.
 * @param readTime returns the time of Postgres, in milliseconds since 1970
 */
export function createPostgresClock(readTime: () => Promise<number>, log: Logger): PostgresClock {
  /** The time of Postgres at a reading of the monotonic timer; undefined before the first reading. */
  let anchor: { at: number; time: number } | undefined;
  let wrong = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const timeAt = (at: number) => (anchor ? anchor.time + at - anchor.at : Date.now());
  const look = async () => {
    const asked = performance.now();
    const time = await readTime();
    const answered = performance.now();
    const at = (asked + answered) / 2;
    const off = Math.abs(time - timeAt(at));
    if (!anchor || off > Math.max(TOLERANCE_MS, answered - asked)) anchor = { at, time };
    tell(Math.round(Date.now() - timeAt(answered)));
  };
  const tell = (machineAheadMs: number) => {
    const isWrong = Math.abs(machineAheadMs) > WRONG_MS;
    if (isWrong && !wrong) log.warn({ machineAheadMs }, 'clock: the machine has another time');
    if (!isWrong && wrong) log.info('clock: the machine has the time again');
    wrong = isWrong;
  };
  const follow = async () => {
    await look().catch(() => {});
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(follow, EVERY_MS).unref();
  };
  return {
    now: () => new Date(timeAt(performance.now())),
    follow,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
