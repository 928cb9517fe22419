import type { QueueName } from '../../shared/platform/queues.ts';
import type { JobRow, RawRow, Registry, TickRow } from './row.ts';

/** The registry by queue and name. */
export interface Lookup {
  job(queue: QueueName, name: string): JobRow | undefined;
  tick(queue: QueueName, name: string): TickRow | undefined;
  raw(queue: QueueName): RawRow | undefined;
  ticks: readonly TickRow[];
}

/** @throws Error when two rows claim the same work */
export function indexRegistry(registry: Registry): Lookup {
  const jobs = new Map<string, JobRow>();
  const ticks = new Map<string, TickRow>();
  const raws = new Map<string, RawRow>();
  const claimed = new Set<string>();
  for (const row of registry) {
    const key = 'raw' in row ? row.queue : `${row.queue}/${row.name}`;
    if (claimed.has(key)) throw new Error(`two rows of the job registry claim ${key}`);
    claimed.add(key);
    if ('raw' in row) raws.set(key, row);
    else if ('tick' in row) ticks.set(key, row);
    else jobs.set(key, row);
  }
  return {
    job: (queue, name) => jobs.get(`${queue}/${name}`),
    tick: (queue, name) => ticks.get(`${queue}/${name}`),
    raw: (queue) => raws.get(queue),
    ticks: [...ticks.values()],
  };
}
