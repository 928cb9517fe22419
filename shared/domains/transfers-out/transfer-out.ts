/**
 * Where a domain stands that its owner takes to another registrar. `code_requested`: the registry may have the code,
 * nobody has seen it. `stopping`: its owner wants to keep it after all, and the registry may not know yet.
 */
export const TRANSFER_OUT_STATUSES = [
  'code_requested',
  'code_issued',
  'pending_transfer',
  'stopping',
  'left',
  'expired',
  'stopped',
] as const;

export type TransferOutStatus = (typeof TRANSFER_OUT_STATUSES)[number];

/** A domain that its owner takes to another registrar, from the first authorization code to its end. */
export interface TransferOut {
  id: string;
  /** A-labels. */
  domain: string;
  userId: string;
  status: TransferOutStatus;
  /** Since when it has this status. */
  since: Date;
  /** When the code ends; null where none is out. */
  expiresAt: Date | null;
  /** Codes made so far; the number of the present one. */
  issue: number;
  /** When that was asked for; the registry may not have it yet. */
  issuedAt: Date;
  /** The registrar, by its id at the registry, that asked for the domain. */
  requestedBy: string | null;
  createdAt: Date;
}

/** Every move of a transfer out after it began as `code_requested`. */
export const TRANSFER_OUT_MOVES = {
  issue_code: { from: ['code_requested', 'code_issued'], to: 'code_issued' },
  approve: { from: ['code_issued'], to: 'pending_transfer' },
  leave: { from: ['code_requested', 'code_issued', 'pending_transfer', 'stopping'], to: 'left' },
  expire: { from: ['code_requested', 'code_issued', 'pending_transfer'], to: 'expired' },
  stop: { from: ['code_requested', 'code_issued', 'pending_transfer'], to: 'stopping' },
  keep: { from: ['code_requested', 'code_issued', 'pending_transfer', 'stopping'], to: 'stopped' },
} as const satisfies Record<string, { from: readonly TransferOutStatus[]; to: TransferOutStatus }>;

export type TransferOutMoveName = keyof typeof TRANSFER_OUT_MOVES;

/** Whether the domain may be fetched with the code. */
export function isCodeOut({ status }: Pick<TransferOut, 'status'>): boolean {
  return status === 'code_issued' || status === 'pending_transfer';
}

/** Whether it has not ended. */
export function isUnderWay({ status }: Pick<TransferOut, 'status'>): boolean {
  return isCodeOut({ status }) || status === 'code_requested' || status === 'stopping';
}

/** The references at the registry of all codes made so far, the present one first. */
export function codeReferencesOf({
  id,
  issue,
}: Pick<TransferOut, 'id' | 'issue'>): [string, ...string[]] {
  const before = Array.from({ length: issue - 1 }, (_, at) => `${id}-${issue - 1 - at}`);
  return [`${id}-${issue}`, ...before];
}
