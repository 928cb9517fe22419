import type { Environment } from '../platform/config.ts';

/** One request to close periods, for all partners of an environment or for one. */
export interface SettlementRun {
  id: string;
  environment: Environment;
  /** A month (`2026-11`), `ended` for what the schedule finds, or null when an instant was given. */
  period: string | null;
  /** Up to when it closes; fixed when it is asked for. */
  until: Date;
  partnerId: string | null;
  requestedBy: string;
  status: 'queued' | 'running' | 'completed';
  createdAt: Date;
  finishedAt: Date | null;
}
