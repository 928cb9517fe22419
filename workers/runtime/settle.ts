import type { JobReference } from '../../shared/outbox/job.ts';
import type { JobLifecycle } from '../../shared/outbox/job-lifecycle.ts';
import type { Outcome } from './outcome.ts';

/** What a job's log line and metric say became of it. */
export type JobResult = 'done' | 'retry' | 'dead' | 'snoozed' | 'stale' | 'given_back';

/** What came of an attempt; one that is given back, for others or for later, does not count. */
export type RunOutcome = Outcome | { kind: 'given_back'; afterMs: number };

/** Writes an outcome into the job's row; every write is conditional, so a stale one changes nothing. */
export async function recordJobOutcome(
  { lifecycle }: { lifecycle: JobLifecycle },
  started: { ticket: JobReference; attempt: number; retryMs: readonly number[] },
  outcome: RunOutcome,
): Promise<JobResult> {
  const { ticket, attempt, retryMs } = started;
  switch (outcome.kind) {
    case 'done':
      await lifecycle.finishAlone(ticket.outboxId);
      return 'done';
    case 'given_back':
      await lifecycle.giveBack(ticket, outcome.afterMs);
      return 'given_back';
    case 'snooze':
      await lifecycle.snooze(ticket, outcome.until);
      return 'snoozed';
    case 'give_up':
      await lifecycle.giveUp(ticket, outcome.reason);
      return 'dead';
    case 'retry': {
      const wait = retryMs[attempt - 1];
      if (wait === undefined) {
        await lifecycle.giveUp(ticket, outcome.reason);
        return 'dead';
      }
      await lifecycle.retry(ticket, outcome.afterMs ?? wait, outcome.reason);
      return 'retry';
    }
  }
}
