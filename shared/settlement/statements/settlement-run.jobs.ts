import { type Static, Type } from 'typebox';
import type { JobRequest } from '../../delivery/jobs/job.ts';

export const StartRunPayload = Type.Object({ runId: Type.String() });
export const ClosePartnerPayload = Type.Object({ runId: Type.String(), partnerId: Type.String() });

/** Finds the partners that a run has work for, and starts a job for each. */
export function startRunJob(payload: Static<typeof StartRunPayload>, runAt: Date): JobRequest {
  return {
    queue: 'settlements',
    name: 'start-run',
    payload,
    runAt,
    dedupeKey: `settlement-run:${payload.runId}`,
  };
}

/** Closes what a run covers for one partner. */
export function closePartnerJob(
  payload: Static<typeof ClosePartnerPayload>,
  runAt: Date,
): JobRequest {
  return {
    queue: 'settlements',
    name: 'close-partner',
    payload,
    runAt,
    dedupeKey: `settlement-run:${payload.runId}:${payload.partnerId}`,
  };
}
