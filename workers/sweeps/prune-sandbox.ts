import { pruneSandboxPayments } from '../../shared/payments/prune-payments.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneSandboxRegistrar } from '../../shared/registrar/prune-sandbox-registrar.ts';
import type { ScheduledTask } from '../runtime/row.ts';
import { runInBatches } from './in-batches.ts';

/** Deletes what the sandbox's payment provider and registrar need not remember. */
export const pruneSandboxTask: ScheduledTask = {
  queue: 'maintenance',
  name: 'prune-sandbox',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async tick({ runtime, signal }) {
    return {
      payments: await runInBatches(signal, (limit) => pruneSandboxPayments(runtime, limit)),
      registrar: await runInBatches(signal, (limit) => pruneSandboxRegistrar(runtime, limit)),
    };
  },
};
