/**
 * What became of a job. `retry` waits as the job's retry list says and is the end after the list;
 * `snooze` only waits: the run went well, so the next one has all attempts of the list again.
 */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'retry'; reason: string; afterMs?: number }
  | { kind: 'give_up'; reason: string }
  | { kind: 'snooze'; until: Date };

/** The work is done, or there was nothing left to do. */
export function done(): Outcome {
  return { kind: 'done' };
}

/** Try again: after `afterMs` milliseconds, or after the next wait of the job's retry list. */
export function retry(reason: string, afterMs?: number): Outcome {
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
}

/** Trying again can't help: the job is dead until somebody retries it by hand. */
export function giveUp(reason: string): Outcome {
  return { kind: 'give_up', reason };
}

/** Not yet: ask again at `until`. */
export function snooze(until: Date): Outcome {
  return { kind: 'snooze', until };
}
