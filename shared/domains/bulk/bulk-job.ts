import type { ErrorCode } from '../../platform/errors.ts';
import type { BulkAction } from './bulk-operations.ts';

/** One operation on many domains of one owner. */
export interface BulkJob {
  id: string;
  userId: string;
  action: BulkAction;
  /** Runs all checks but changes nothing. */
  dryRun: boolean;
  status: BulkJobStatus;
  total: number;
  succeeded: number;
  failed: number;
  /** How many domains were canceled. */
  cancelled: number;
  createdAt: Date;
  /** When the last domain got its result or was canceled. */
  finishedAt: Date | null;
}

/** `started`: a worker has picked it up, and the registrar may already have received the change. */
export type BulkItemState = 'pending' | 'started' | 'ok' | 'error' | 'cancelled';

/** One domain of a job. */
export interface BulkItem {
  /** Zero-based, in the order of the request. */
  position: number;
  /** A-labels; the text as sent if it is not a domain. */
  domain: string;
  state: BulkItemState;
  /** The error code; null without an error. */
  code: ErrorCode | null;
  message: string | null;
}

/** The result for one domain. */
export interface ItemResult {
  position: number;
  state: 'ok' | 'error';
  code: ErrorCode | null;
  message: string | null;
}

/** Returns the fraction of the domains that have a result, 0 to 1. */
export function progressOf(job: BulkJob): number {
  return (job.succeeded + job.failed) / job.total;
}

export function okResult(position: number, message: string | null = null): ItemResult {
  return { position, state: 'ok', code: null, message };
}

export function errorResult(position: number, refusal: Refusal): ItemResult {
  return { position, state: 'error', ...refusal };
}

/** Why a domain cannot be changed, worded for its owner. */
export interface Refusal {
  code: ErrorCode;
  message: string;
}

export const BULK_JOB_STATUSES = [
  'queued',
  'running',
  'completed',
  'completed_with_errors',
  'cancelled',
] as const;

export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

export interface BulkJobMove {
  from: readonly BulkJobStatus[];
  to: BulkJobStatus;
  /** Bulk jobs record no events. */
  event: null;
}

/** Every state transition of a bulk job. Diagrammed in docs/states.md. */
export const BULK_JOB_MOVES = {
  start: { from: ['queued'], to: 'running', event: null },
  complete: { from: ['running'], to: 'completed', event: null },
  complete_with_errors: { from: ['running'], to: 'completed_with_errors', event: null },
  cancel: { from: ['queued', 'running'], to: 'cancelled', event: null },
} as const satisfies Record<string, BulkJobMove>;

export type BulkJobMoveName = keyof typeof BULK_JOB_MOVES;
