import { advanceClock } from '../../shared/operations/sandbox-clock/advance-clock.ts';
import { advanceClockJob } from '../../shared/operations/sandbox-clock/sandbox-clock.jobs.ts';
import { addMs } from '../../shared/platform/clock.ts';
import { done, handle, snooze } from '../runtime/job-handler.ts';

/** How long to wait before checking the transfers' progress again. */
const LOOK_MS = 100;

/** Advances a partner's sandbox clock; between steps it waits for the transfer workers. */
export const advanceClockHandler = handle(
  advanceClockJob,
  async ({ runtime, signal }, { partnerId, target }) => {
    const betweenSteps = () => signal.throwIfAborted();
    const progress = await advanceClock(runtime, partnerId, new Date(target), betweenSteps);
    if (progress === 'arrived') return done();
    return snooze(addMs(runtime.clock.now(), progress === 'waits' ? LOOK_MS : 0));
  },
);
