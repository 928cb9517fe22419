import { conflict } from '../../platform/errors.ts';

/** By what order a domain stays where it is. */
export const LEGAL_HOLD_KINDS = [
  'court_order',
  'udrp',
  'urs',
  'law_enforcement',
  'sanctions',
  'other',
] as const;

export type LegalHoldKind = (typeof LEGAL_HOLD_KINDS)[number];

/** An order that keeps a LIVE domain where it is, and as it is. */
export interface LegalHold {
  id: string;
  /** A-labels. */
  domain: string;
  kind: LegalHoldKind;
  /** What the court or provider calls the case; of a hold that screening placed, the id of the registrant. */
  caseReference: string;
  placedAt: Date;
  /** A user's id, `cli:<account>`, or `worker`. */
  placedBy: string;
  /** Null while it stands. */
  liftedAt: Date | null;
  liftedBy: string | null;
}

/** The refusal of whatever would sell, move or change a domain on legal hold. It tells nothing of the case. */
export function onLegalHold(domain: string) {
  return conflict(
    'legal_hold',
    `${domain} is on legal hold: it cannot be sold, moved or changed. Contact support if it is yours.`,
  );
}
