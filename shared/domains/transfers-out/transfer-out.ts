/**
 * The statuses of a transfer to another registrar. `code_requested`: the registry may have the code, but
 * nobody has seen it. `stopping`: its owner decided to keep the domain, and the registry may not know yet.
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

/** A transfer of an owner's domain to another registrar, from the first authorization code to its end. */
export interface TransferOut {
  id: string;
  /** A-labels. */
  domain: string;
  userId: string;
  status: TransferOutStatus;
  /** When it got this status. */
  since: Date;
  /** When the code expires; null if none is out. */
  expiresAt: Date | null;
  /** The number of codes issued so far, which is also the number of the current one. */
  issue: number;
  /** When the current code was requested; the registry may not have it yet. */
  issuedAt: Date;
  /** The registrar that requested the domain, by its ID at the registry. */
  requestedBy: string | null;
  createdAt: Date;
}

/** Every status change of a transfer out after its start as `code_requested`. */
export const TRANSFER_OUT_MOVES = {
  issue_code: { from: ['code_requested', 'code_issued'], to: 'code_issued' },
  approve: { from: ['code_issued'], to: 'pending_transfer' },
  leave: { from: ['code_requested', 'code_issued', 'pending_transfer', 'stopping'], to: 'left' },
  expire: { from: ['code_requested', 'code_issued', 'pending_transfer'], to: 'expired' },
  stop: { from: ['code_requested', 'code_issued', 'pending_transfer'], to: 'stopping' },
  keep: { from: ['code_requested', 'code_issued', 'pending_transfer', 'stopping'], to: 'stopped' },
} as const satisfies Record<string, { from: readonly TransferOutStatus[]; to: TransferOutStatus }>;

export type TransferOutMoveName = keyof typeof TRANSFER_OUT_MOVES;

/** Returns whether another registrar may use the code. */
export function isCodeOut({ status }: Pick<TransferOut, 'status'>): boolean {
  return status === 'code_issued' || status === 'pending_transfer';
}

/** Returns whether the transfer has not ended. */
export function isUnderWay({ status }: Pick<TransferOut, 'status'>): boolean {
  return isCodeOut({ status }) || status === 'code_requested' || status === 'stopping';
}

/** Returns the registry references of all codes issued so far, the current one first. */
export function codeReferencesOf({
  id,
  issue,
}: Pick<TransferOut, 'id' | 'issue'>): [string, ...string[]] {
  const before = Array.from({ length: issue - 1 }, (_, at) => `${id}-${issue - 1 - at}`);
  return [`${id}-${issue}`, ...before];
}
