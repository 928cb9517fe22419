/** The product's wait times, shortened: what takes minutes in production takes a second. */
export const PROMPT = {
  reconcileMs: 300,
  TRANSFER_START_DELAY_MS: '50',
  TRANSFER_CONFIRM_DELAY_MS: '50',
  transferPollMs: 50,
  sandboxRegistrarDelayMs: 50,
  WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400,6400,6400,6400',
};

/**
 * Like {@link PROMPT}, for tests that kill processes: their jobs are taken over in two or three seconds. A process
 * stalled by the machine for that long also counts as dead, so don't use it where the first attempt must succeed.
 */
export const QUICK = {
  ...PROMPT,
  jobLockMs: 1_000,
  outboxLeaseMs: 2_500,
  WEBHOOK_TIMEOUT_MS: '1500',
};
