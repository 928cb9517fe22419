import type { JobRequest } from '../../delivery/jobs/job.ts';
import { addMs } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';

/** How transfers of an environment are started and confirmed. */
export function transferPolicy(config: Config, environment: Environment): 'manual' | 'automatic' {
  return environment === 'LIVE' ? config.transferPolicyLive : config.transferPolicySandbox;
}

/** Under the automatic policy: start the transfer of a paid order after a short wait. Under the manual one: nothing. */
export function startTransferJobs(
  config: Config,
  order: { id: string; environment: Environment },
  now: Date,
): JobRequest[] {
  if (transferPolicy(config, order.environment) === 'manual') return [];
  return [
    {
      queue: 'transfers',
      name: 'start-transfer',
      payload: { orderId: order.id },
      runAt: addMs(now, config.transferStartDelayMs),
      dedupeKey: `start-transfer:${order.id}`,
    },
  ];
}
