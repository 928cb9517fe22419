import { followRegistrantJob } from '../../shared/domains/domain-registrants/domain-registrant.jobs.ts';
import { followRegistrant } from '../../shared/domains/domain-registrants/verify-registrant.ts';
import { RegistrarBusy } from '../../shared/domains/registrar/registrar.ts';
import { orAbort } from '../../shared/platform/concurrency/deadline.ts';
import { ORDER_OF_REGISTRANT } from '../../shared/sales/orders/order-verification.ts';
import { done, handle, snooze } from '../runtime/job-handler.ts';

/** Reminds a registrant whose address is to be verified, and takes the domain out of the DNS and back into it. */
export const followRegistrantHandler = handle(
  followRegistrantJob,
  async ({ runtime, job, signal }, { registrantId }) => {
    const work = followRegistrant(runtime, job, registrantId, ORDER_OF_REGISTRANT);
    try {
      const followed = await orAbort(work, signal);
      return followed === 'over' ? done() : snooze(followed.until);
    } catch (error) {
      if (error instanceof RegistrarBusy) return snooze(error.until);
      throw error;
    }
  },
);
