import type { ErrorCode } from '../platform/error-catalogue.ts';
import type { BulkAction } from './bulk-action.ts';
import type { BulkJobStatus } from './bulk-job-states.ts';

/** One operation on many domains of one owner. */
export interface BulkJob {
  id: string;
  userId: string;
  action: BulkAction;
  /** Everything is checked and nothing is changed. */
  dryRun: boolean;
  status: BulkJobStatus;
  total: number;
  succeeded: number;
  failed: number;
  /** Domains that a cancellation came before. */
  cancelled: number;
  createdAt: Date;
  /** When the last domain had its result, or would never have one. */
  finishedAt: Date | null;
}

/** `started`: a worker has taken it, and the registrar may know of it. */
export type BulkItemState = 'pending' | 'started' | 'ok' | 'error' | 'cancelled';

/** A domain of a job. */
export interface BulkItem {
  /** From 0, in the order of the request. */
  position: number;
  /** A-labels; what was sent, where that is no domain. */
  domain: string;
  state: BulkItemState;
  /** Of an item without a result: why it can't have a good one. */
  code: ErrorCode | null;
  message: string | null;
}

/** What became of a domain. */
export interface ItemResult {
  position: number;
  state: 'ok' | 'error';
  code: ErrorCode | null;
  message: string | null;
}

/** The share of the domains that have a result, 0 to 1. */
export function progressOf(job: BulkJob): number {
  return (job.succeeded + job.failed) / job.total;
}

export function okResult(position: number, message: string | null = null): ItemResult {
  return { position, state: 'ok', code: null, message };
}

export function errorResult(position: number, refusal: Refusal): ItemResult {
  return { position, state: 'error', ...refusal };
}

/** Why a domain can't be worked on, as its owner is told. */
export interface Refusal {
  code: ErrorCode;
  message: string;
}
