import { carryOutChange } from '../../shared/domains/domain-registrants/change-registrant.ts';
import {
  changeRegistrantJob,
  followRegistrantJob,
  releaseHoldJob,
} from '../../shared/domains/domain-registrants/domain-registrant.jobs.ts';
import {
  followRegistrant,
  releaseHold,
} from '../../shared/domains/domain-registrants/verify-registrant.ts';
import { RegistrarBusy } from '../../shared/domains/registrar/registrar.ts';
import { orAbort } from '../../shared/platform/concurrency/deadline.ts';
import { ORDER_OF_REGISTRANT } from '../../shared/sales/orders/order-verification.ts';
import { done, handle, type Outcome, snooze } from '../runtime/job-handler.ts';

/** Reminds a registrant to verify the address, and takes the domain out of the DNS and back into it. */
export const followRegistrantHandler = handle(
  followRegistrantJob,
  async ({ runtime, job, signal }, { registrantId }) =>
    untilOver(followRegistrant(runtime, job, registrantId, ORDER_OF_REGISTRANT), signal),
);

/** Returns a domain to the DNS that was out of it for a registrant who was forgotten. */
export const releaseHoldHandler = handle(releaseHoldJob, async ({ runtime, signal }, of) =>
  untilOver(releaseHold(runtime, of), signal),
);

/** Has the registry change the registrant of a domain, or the registrant's data. */
export const changeRegistrantHandler = handle(
  changeRegistrantJob,
  async ({ runtime, job, signal }, { changeId }) =>
    untilOver(carryOutChange(runtime, job, changeId), signal),
);

async function untilOver(
  work: Promise<{ until: Date } | 'over'>,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const left = await orAbort(work, signal);
    return left === 'over' ? done() : snooze(left.until);
  } catch (error) {
    if (error instanceof RegistrarBusy) return snooze(error.until);
    throw error;
  }
}
