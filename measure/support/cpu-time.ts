import { readdirSync, readFileSync } from 'node:fs';
import type { TestRuntime } from '../../test/support/runtime.ts';
import type { Child } from './child.ts';

/** The kernel counts a process's time in hundredths of a second. */
const MICROS_PER_TICK = 10_000;

/**
 * Processor time in microseconds that a benchmark's programs have used since they began: the given processes, Postgres
 * with all its own, and Redis. Postgres only on Linux.
 */
export async function cpuMicros(
  runtime: TestRuntime,
  children: readonly Pick<Child, 'usage'>[],
): Promise<number> {
  const usages = await Promise.all(children.map((child) => child.usage()));
  const { postgres, redis } = await storeMicros(runtime);
  return usages.reduce((sum, usage) => sum + usage.cpuMicros, postgres + redis);
}

/** Processor time in microseconds that Postgres, with all its processes, and Redis have used since they began. */
export async function storeMicros({
  db,
  redis,
}: TestRuntime): Promise<{ postgres: number; redis: number }> {
  const { rows } = await db.knex.raw('select pg_backend_pid() as pid');
  return {
    postgres: serverMicros(rows[0].pid),
    redis: redisMicros(await redis.info('cpu')),
  };
}

/** Of a process and of all that it started, in microseconds since they began. Only on Linux. */
export function treeMicros(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ...statOf(Number(name)) }));
  const ofTree = (pid: number): number =>
    all
      .filter((each) => each.parent === pid)
      .reduce((sum, each) => sum + ofTree(each.pid), (statOf(pid)?.ticks ?? 0) * MICROS_PER_TICK);
  return ofTree(root);
}

/** Of the server that a process belongs to: its processes, and those that have ended. */
function serverMicros(backend: number): number {
  const parent = statOf(backend)?.parent;
  if (parent === undefined) return 0;
  const own = statOf(parent);
  let ticks = own ? own.ticks + own.ticksOfEnded : 0;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat?.parent === parent) ticks += stat.ticks;
  }
  return ticks * MICROS_PER_TICK;
}

function statOf(pid: number): { parent: number; ticks: number; ticksOfEnded: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold blanks.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index]);
    return { parent: at(1), ticks: at(11) + at(12), ticksOfEnded: at(13) + at(14) };
  } catch {
    return undefined;
  }
}

function redisMicros(info: string): number {
  const seconds = ['used_cpu_user', 'used_cpu_sys'].map((name) =>
    Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1] ?? 0),
  );
  return seconds.reduce((sum, each) => sum + each, 0) * 1_000_000;
}
