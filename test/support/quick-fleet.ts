/** The waits of the product, shortened alike: what takes a minute in production takes two or three seconds. */
export const QUICK = {
  JOB_LOCK_MS: '1000',
  OUTBOX_LEASE_MS: '2500',
  WEBHOOK_TIMEOUT_MS: '1500',
  RECONCILE_MS: '300',
  TRANSFER_START_DELAY_MS: '50',
  TRANSFER_CONFIRM_DELAY_MS: '50',
  TRANSFER_POLL_MS: '50',
  SANDBOX_REGISTRAR_DELAY_MS: '50',
  WEBHOOK_SCHEDULE_MS: '200,400,800,1600,3200,6400,6400,6400,6400',
};
