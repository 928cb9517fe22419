/** The waits of the product, shortened alike: what takes minutes in production takes a second. */
export const PROMPT = {
  reconcileMs: 300,
  TRANSFER_START_DELAY_MS: '50',
  TRANSFER_CONFIRM_DELAY_MS: '50',
  transferPollMs: 50,
  sandboxRegistrarDelayMs: 50,
  WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400,6400,6400,6400',
};

/**
 * The same where processes die, whose jobs are taken over in two or three seconds. A process that the machine holds up
 * for so long counts as dead, too: not where it matters that something is done by the first attempt.
 */
export const QUICK = {
  ...PROMPT,
  jobLockMs: 1_000,
  outboxLeaseMs: 2_500,
  WEBHOOK_TIMEOUT_MS: '1500',
};
