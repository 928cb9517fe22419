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

/** What delivers the orders of a partner's sandbox. */
export interface SandboxTransfers {
  /** Under which keys its jobs are, those that may follow included. */
  jobKeys: string[];
  /** By which references the registrar knows its pushes. */
  pushes: string[];
}

/** Beyond this, the orders of the last hours go on in real time. */
const MOST = 2_000;

/** The transfers of a partner's sandbox that are to start or under way. */
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

/** Takes a span of time, in milliseconds, off all that these transfers wait for. */
export async function hastenSandboxTransfers(
  uow: UnitOfWork,
  { jobKeys, pushes }: SandboxTransfers,
  byMs: number,
): Promise<void> {
  await hastenJobs(uow, jobKeys, byMs);
  await hastenSandboxRegistrar(uow, pushes, byMs);
}
