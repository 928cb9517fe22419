import { conflict } from '../../platform/errors.ts';

/** The legal reasons for a hold. */
export const LEGAL_HOLD_KINDS = [
  'court_order',
  'udrp',
  'urs',
  'law_enforcement',
  'sanctions',
  'other',
] as const;

export type LegalHoldKind = (typeof LEGAL_HOLD_KINDS)[number];

/** An order that keeps a LIVE domain from being sold, moved or changed. */
export interface LegalHold {
  id: string;
  /** A-labels. */
  domain: string;
  kind: LegalHoldKind;
  /** The court's or provider's case number. For a hold placed by screening, the registrant's id. */
  caseReference: string;
  placedAt: Date;
  /** A user's id, `cli:<account>`, or `worker`. */
  placedBy: string;
  /** Null while the hold is active. */
  liftedAt: Date | null;
  liftedBy: string | null;
}

/** Returns the error for selling, moving or changing a domain on legal hold. It reveals nothing about the case. */
export function onLegalHold(domain: string) {
  return conflict(
    'legal_hold',
    `${domain} is on legal hold: it cannot be sold, moved or changed. Contact support if it is yours.`,
  );
}
