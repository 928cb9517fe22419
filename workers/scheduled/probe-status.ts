import { createStatusProber } from '../../shared/operations/status-history/status-prober.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { createHttpClient } from '../../shared/platform/outbound/http-client.ts';
import type { WorkerServices } from '../compose-workers.ts';
import { startLoop } from '../runtime/poll-loop.ts';

/**
 * Probes the components of the service every minute. Not a queue task: tasks stop when Redis is unavailable, which is
 * one of the faults to detect.
 */
export function startStatusProbes(runtime: WorkerServices): { stop(): Promise<void> } {
  // From here, our own address may be private.
  const http = createHttpClient({ allowPrivate: true });
  const probe = createStatusProber({ ...runtime, http });
  const loop = startLoop({
    name: 'status probes',
    everyMs: MINUTE,
    log: runtime.log,
    async pass() {
      await probe();
      return false;
    },
  });
  return {
    async stop() {
      await http.close();
      await loop.stop();
    },
  };
}
