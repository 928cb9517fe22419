import type { QueueName } from '../../shared/platform/queues.ts';
import type { JobHandler, QueueHandler, Registry, ScheduledTask } from './row.ts';

/** The registry by queue and name. */
export interface HandlerIndex {
  job(queue: QueueName, name: string): JobHandler | undefined;
  tick(queue: QueueName, name: string): ScheduledTask | undefined;
  raw(queue: QueueName): QueueHandler | undefined;
  ticks: readonly ScheduledTask[];
}

/** @throws Error when two rows claim the same work */
export function indexRegistry(registry: Registry): HandlerIndex {
  const jobs = new Map<string, JobHandler>();
  const ticks = new Map<string, ScheduledTask>();
  const raws = new Map<string, QueueHandler>();
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
