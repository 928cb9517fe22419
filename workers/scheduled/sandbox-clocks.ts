import { listMovedClocks } from '../../shared/messaging/unit-of-work/sandbox-clock.ts';
import { runSandbox } from '../../shared/operations/sandbox-clock/advance-clock.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import type { ScheduledTask } from '../runtime/job-handler.ts';

const PARTNERS_AT_ONCE = 100;

/** Runs due work in sandboxes whose clocks are ahead; the other sweeps use real time. */
export const runMovedSandboxesTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'run-moved-sandboxes',
  everyMs: MINUTE,
  deadlineMs: 5 * MINUTE,
  async run({ runtime, signal }) {
    let after = '';
    let partners: string[];
    do {
      partners = await listMovedClocks(runtime.db.knex, after, PARTNERS_AT_ONCE);
      for (const partnerId of partners) {
        signal.throwIfAborted();
        await runSandbox(runtime, partnerId);
      }
      after = partners.at(-1) ?? after;
    } while (partners.length === PARTNERS_AT_ONCE);
  },
};
