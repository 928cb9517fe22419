import type { JobReference } from '../../shared/messaging/jobs/job.ts';
import type { JobLifecycle } from '../../shared/messaging/jobs/job-lifecycle.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';

/** The leases of the jobs that run in this process. */
export interface Leases {
  /** Keeps the lease of a started job until the returned function is called. */
  keep(ticket: JobReference): () => void;
}

/** Extends all leases together, with one statement every `everyMs` while anything runs. */
export function createLeases(
  lifecycle: Pick<JobLifecycle, 'extend'>,
  { everyMs, log }: { everyMs: number; log: Logger },
): Leases {
  const running = new Set<JobReference>();
  let timer: NodeJS.Timeout | undefined;
  const extend = () => {
    if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    lifecycle.extend([...running]).catch((err) => log.debug({ err }, 'job leases'));
  };
  return {
    keep(ticket) {
      running.add(ticket);
      // The timer alone must not keep the process running.
      timer ??= setInterval(extend, everyMs).unref();
      return () => running.delete(ticket);
    },
  };
}
