import { pruneSandboxPayments } from '../../shared/payments/prune-payments.ts';
import { HOUR, MINUTE } from '../../shared/platform/clock.ts';
import { pruneSandboxRegistrar } from '../../shared/registrar/prune-sandbox-registrar.ts';
import type { TickRow } from '../runtime/row.ts';
import { inBatches } from './in-batches.ts';

/** Deletes what the sandbox's payment provider and registrar need not remember. */
export const pruneSandboxTick: TickRow = {
  queue: 'maintenance',
  name: 'prune-sandbox',
  everyMs: HOUR,
  deadlineMs: 10 * MINUTE,
  async tick({ runtime, signal }) {
    return {
      payments: await inBatches(signal, (limit) => pruneSandboxPayments(runtime, limit)),
      registrar: await inBatches(signal, (limit) => pruneSandboxRegistrar(runtime, limit)),
    };
  },
};
