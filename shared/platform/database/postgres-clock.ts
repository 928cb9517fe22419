import { performance } from 'node:perf_hooks';
import { type Clock, SECOND } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';

/** The time of Postgres, which all processes share, whatever the clocks of their machines say. */
export interface PostgresClock extends Clock {
  /** Reads the time of Postgres now and then every few seconds. Keeps its offset while Postgres does not answer. */
  follow(): Promise<void>;
  stop(): void;
}

const EVERY_MS = 5 * SECOND;
/** The smallest difference that is corrected, in milliseconds; slower answers are too imprecise for less. */
const TOLERANCE_MS = 100;
/** A machine's clock that is off by more is logged. */
const WRONG_MS = 2 * SECOND;

/**
 * A clock that goes by Postgres. Between two looks it counts on, so that no process jumps with its machine: a job that
 * one put off for a minute would be due in hours for the others. Before the first look it is the machine's.
 * @param readTime the time of Postgres, in milliseconds since 1970
 */
export function createPostgresClock(readTime: () => Promise<number>, log: Logger): PostgresClock {
  /** The time of Postgres at a moment of the process; undefined before the first reading. */
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
