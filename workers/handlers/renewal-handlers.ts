import { RegistrarBusy } from '../../shared/domains/registrar/registrar.ts';
import { carryOutRenewal } from '../../shared/sales/renewals/carry-out-renewal.ts';
import { renewDomainJob } from '../../shared/sales/renewals/renewal.jobs.ts';
import { done, handle, snooze } from '../runtime/job-handler.ts';

/** Has the registry perform a paid renewal or restore exactly once, whatever fails on the way. */
export const renewDomainHandler = handle(
  renewDomainJob,
  async ({ runtime, job, signal }, { renewalId }) => {
    try {
      await carryOutRenewal(runtime, renewalId, job, signal);
    } catch (error) {
      if (error instanceof RegistrarBusy) return snooze(error.until);
      throw error;
    }
    return done();
  },
);
