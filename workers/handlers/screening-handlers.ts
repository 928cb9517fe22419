import { rescreen } from '../../shared/operations/screening/rescreen.ts';
import { rescreenJob } from '../../shared/people/screening/screening.jobs.ts';
import { done, handle } from '../runtime/job-handler.ts';

/** Screens open orders, registrants and payees again after one of the lists changed. */
export const rescreenHandler = handle(rescreenJob, async ({ runtime, job, signal, tell }, of) => {
  const found = await rescreen(runtime, job, of, (soFar) => {
    signal.throwIfAborted();
    tell(soFar);
  });
  return done(found);
});
