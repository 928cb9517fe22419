import { createStatusProber } from '../../shared/operations/status-history/status-prober.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { createHttpClient } from '../../shared/platform/outbound/http-client.ts';
import type { WorkerServices } from '../compose-workers.ts';
import { startLoop } from '../runtime/poll-loop.ts';

/**
 * Probes the components of the service every minute. It is no task of a queue: those stop when Redis is away, which
 * is one of the things to be found.
 */
export function startStatusProbes(runtime: WorkerServices): { stop(): Promise<void> } {
  // Our own address may be private, as seen from here.
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
