import type { Level, LoggerOptions } from 'pino';
import { SECOND } from '../clock.ts';

/** Pino's hook between a call of the logger and its line. */
type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** Pino's numbers of the levels whose lines are limited. */
const LIMITED: Readonly<Record<number, Level>> = { 40: 'warn', 50: 'error' };
const WINDOW_MS = 10 * SECOND;
/** Lines of one kind that are written in a window. */
const MOST = 5;
/**
 * Fields that tell kinds apart. A line about a payment, an order, a domain or a message of the registry may be all that
 * staff learn of it, so each has its own lines.
 */
const TOPICS = [
  ...['queue', 'job', 'outcome', 'reason', 'route', 'role'],
  ...['payment_id', 'order_id', 'session_id', 'domain', 'message', 'event', 'event_id'],
];
/** How many characters of an error's message tell kinds apart: the rest often names ids. */
const TOLD_APART = 40;
/** Kinds that are counted at a time, to bound memory; all lines of any others are written. */
const MOST_KINDS = 1_000;

/**
 * Returns a hook that writes only the first five warnings or errors of a kind in ten seconds, then one line that says
 * how often it was `repeated` since. While Redis or Postgres is away, every request and job fails for the same reason,
 * and their lines would fill the disk. A kind is a level, a message, what it is about and an error.
 * `afterWindow` runs a function in ten seconds.
 */
export function limitRepeatedLines(
  afterWindow: (end: () => void) => void = (end) => void setTimeout(end, WINDOW_MS).unref(),
): LogMethod {
  const kinds = new Map<string, { written: number; repeated: number }>();
  return function (args, method, levelNumber) {
    const level = LIMITED[levelNumber];
    if (!level) return method.apply(this, args);
    const { message, facts } = kindOf(args);
    const name = JSON.stringify([level, message, facts]);
    let kind = kinds.get(name);
    if (!kind && kinds.size < MOST_KINDS) {
      const counted = { written: 0, repeated: 0 };
      kind = counted;
      kinds.set(name, counted);
      afterWindow(() => {
        kinds.delete(name);
        const { repeated } = counted;
        if (repeated > 0) this[level]({ ...facts, repeated }, message);
      });
    }
    if (kind && kind.written >= MOST) {
      kind.repeated += 1;
      return;
    }
    if (kind) kind.written += 1;
    method.apply(this, args);
  };
}

/** Returns the message of a line, what it is about, and the start of its error: of `err`, or of the text `detail`. */
function kindOf([first, second]: readonly unknown[]): { message: string; facts: object } {
  if (typeof first === 'string') return { message: first, facts: {} };
  const given = Object(first) as Record<string, unknown>;
  const about = TOPICS.filter((topic) => given[topic] !== undefined);
  const error = (given.err as Error | undefined)?.message ?? given.detail;
  const facts = {
    ...Object.fromEntries(about.map((topic) => [topic, given[topic]])),
    ...(typeof error === 'string' && { error: error.slice(0, TOLD_APART) }),
  };
  return { message: String(second ?? ''), facts };
}
