import { sandboxRegistrantJobs } from '../../domains/domain-registrants/registered-for.ts';
import { hastenSandboxRegistrar } from '../../domains/registrar/sandbox-registrar.ts';
import { hastenJobs } from '../../messaging/jobs/hasten-jobs.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { REMINDER_WAITS_MS, remindRegistrantJob, startTransferJob } from '../orders/order.jobs.ts';
import { expireDeliveryJob, watchDeliveryJob } from './domain-delivery.jobs.ts';
import { codeReference } from './domain-delivery.ts';
import { confirmDeliveryJob, pollTransferJob, pushTransferJob } from './transfer.jobs.ts';
import { selectUndelivered } from './transfer.store.ts';
import { pushReference } from './transfer.ts';

/** The jobs and pushes that deliver the orders of a partner's sandbox. */
export interface SandboxTransfers {
  /** The dedupe keys of the jobs, including jobs that may follow. */
  jobKeys: string[];
  /** The references of the pushes at the registrar. */
  pushes: string[];
}

/** The maximum number of orders to speed up. Any further orders, the latest ones, continue in real time. */
const MOST = 2_000;

/** Returns the transfers of a partner's sandbox that have not started or are in progress. */
export async function readSandboxTransfers(sql: Sql, partnerId: string): Promise<SandboxTransfers> {
  const orders = await selectUndelivered.all(sql, { partnerId, limit: MOST });
  const found: SandboxTransfers = {
    jobKeys: await sandboxRegistrantJobs(sql, partnerId),
    pushes: [],
  };
  for (const { orderId, transferId, attempts, issue } of orders) {
    const keys = [
      ...REMINDER_WAITS_MS.map((_wait, at) =>
        remindRegistrantJob.dedupeKey?.({ orderId, reminder: at + 1 }),
      ),
      startTransferJob.dedupeKey?.({ orderId }),
      confirmDeliveryJob.dedupeKey?.({ orderId }),
    ];
    for (const attempt of [attempts ?? 0, (attempts ?? 0) + 1]) {
      keys.push(pushTransferJob.dedupeKey?.({ orderId, attempt }));
      keys.push(pollTransferJob.dedupeKey?.({ orderId, attempt }));
    }
    if (issue !== null) {
      const delivery = { orderId, issue };
      keys.push(expireDeliveryJob.dedupeKey?.(delivery), watchDeliveryJob.dedupeKey?.(delivery));
    }
    found.jobKeys.push(...keys.filter((key) => key !== undefined));
    if (transferId === null) continue;
    found.pushes.push(pushReference(transferId, attempts ?? 0));
    if (issue !== null) found.pushes.push(codeReference(transferId, issue));
  }
  return found;
}

/** Shortens every wait of these transfers by `byMs` milliseconds. */
export async function hastenSandboxTransfers(
  uow: UnitOfWork,
  { jobKeys, pushes }: SandboxTransfers,
  byMs: number,
): Promise<void> {
  await hastenJobs(uow, jobKeys, byMs);
  await hastenSandboxRegistrar(uow, pushes, byMs);
}
