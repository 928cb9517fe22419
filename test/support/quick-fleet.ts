/** The waits of the product, shortened alike: what takes a minute in production takes two or three seconds. */
export const QUICK = {
  jobLockMs: 1_000,
  outboxLeaseMs: 2_500,
  WEBHOOK_TIMEOUT_MS: '1500',
  reconcileMs: 300,
  TRANSFER_START_DELAY_MS: '50',
  TRANSFER_CONFIRM_DELAY_MS: '50',
  transferPollMs: 50,
  sandboxRegistrarDelayMs: 50,
  WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400,6400,6400,6400',
};
