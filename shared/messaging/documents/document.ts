import type { Environment } from '../../platform/config/config.ts';
import { type Cents, Money } from '../../platform/money.ts';

/** The owner of a number series: the marketplace, or each partner. */
type SeriesOwner = 'marketplace' | 'partner';

/** All kinds of documents: title, number prefix, and the owner of the number series. */
export const DOCUMENT_KINDS = {
  receipt: { title: 'Receipt', prefix: 'RCP', numberedBy: 'marketplace' },
  invoice: { title: 'Invoice', prefix: 'INV', numberedBy: 'marketplace' },
  credit_note: { title: 'Credit note', prefix: 'CRN', numberedBy: 'marketplace' },
  statement: { title: 'Statement', prefix: 'STM', numberedBy: 'partner' },
  self_billing: { title: 'Self-billing credit note', prefix: 'SBC', numberedBy: 'partner' },
  payout_advice: { title: 'Payout advice', prefix: 'PAY', numberedBy: 'partner' },
} as const satisfies Record<string, { title: string; prefix: string; numberedBy: SeriesOwner }>;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;

/** The issuer or the recipient of a document. */
export interface Party {
  name: string;
  /** Lines below the name. */
  address: readonly string[];
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  email: string | null;
  taxId: string | null;
}

/** A line item, with its amount in minor units of the document's currency. */
export interface DocumentLine {
  text: string;
  /** Small print below the line. */
  detail: string | null;
  amountCents: Cents;
}

/** The tax included in a document's total. */
export interface DocumentTax {
  /** The label of the tax line: `VAT 19%`, `Reverse charge`. */
  label: string;
  rateBps: number;
  netCents: Cents;
  taxCents: Cents;
  /** The legally required note. */
  note: string | null;
}

/** The content of a document, without its number and date. Amounts are minor units of `currency`. */
export interface DocumentContent {
  from: Party;
  to: Party;
  currency: string;
  /** The document's references, by name: `Order`, `Period`. */
  facts: readonly { name: string; value: string }[];
  lines: readonly DocumentLine[];
  /** The number of lines in the total that are not listed; 0 unless there are too many to fit. */
  linesLeftOut: number;
  /** The subtotals between the lines and the total. */
  subtotals: readonly { label: string; amountCents: Cents }[];
  /** The label of the total: `Paid`, `You owe`. */
  totalLabel: string;
  totalCents: Cents;
  /** Null if tax does not apply to this document. */
  tax: DocumentTax | null;
  notes: readonly string[];
}

/** A document to issue; it gets its number when the unit of work is written. */
export interface NewDocument {
  kind: DocumentKind;
  environment: Environment;
  /** Null if no partner is involved. */
  partnerId: string | null;
  /** The id of the order, renewal, statement or payout, which has at most one document of each kind. */
  subject: string;
  content: DocumentContent;
}

/** An issued document. */
export interface IssuedDocument {
  id: string;
  kind: DocumentKind;
  environment: Environment;
  partnerId: string | null;
  subject: string;
  /** The printed number: `INV-2026-000017`. */
  number: string;
  issuedAt: Date;
  content: DocumentContent;
  /** The SHA-256 of the stored content. */
  sha256: string;
}

/** A document in a list. */
export interface DocumentSummary {
  id: string;
  kind: DocumentKind;
  number: string;
  /** The id of the order, renewal, statement or payout. */
  subject: string;
  total: Money;
  issuedAt: Date;
}

/** Returns a document's summary for lists. */
export function documentSummary(document: IssuedDocument): DocumentSummary {
  const { id, kind, number, subject, issuedAt, content } = document;
  const total = new Money(content.totalCents, content.currency);
  return { id, kind, number, subject, total, issuedAt };
}

/** Returns the content of a document that reverses another, to the cent. */
export function reversal(
  original: DocumentContent,
  told: Pick<DocumentContent, 'facts' | 'totalLabel' | 'notes'>,
): DocumentContent {
  const { lines, subtotals, totalCents, tax } = original;
  return {
    ...original,
    ...told,
    lines: lines.map((line) => ({ ...line, amountCents: 0 - line.amountCents })),
    subtotals: subtotals.map((line) => ({ ...line, amountCents: 0 - line.amountCents })),
    totalCents: 0 - totalCents,
    tax: tax && { ...tax, netCents: 0 - tax.netCents, taxCents: 0 - tax.taxCents },
  };
}

/** The issuer of the marketplace's own number series. */
const MARKETPLACE = 'marketplace';

/** Returns the issuer that numbers a document: `marketplace` or a partner's id. */
export function issuerOf({ kind, partnerId }: Pick<NewDocument, 'kind' | 'partnerId'>): string {
  return DOCUMENT_KINDS[kind].numberedBy === 'partner' && partnerId !== null
    ? partnerId
    : MARKETPLACE;
}

/** Formats a document number: `INV-2026-000017`; sandbox numbers begin with `TEST-`. */
export function documentNumber(document: {
  kind: DocumentKind;
  environment: Environment;
  year: number;
  number: number;
}): string {
  const { kind, environment, year, number } = document;
  const test = environment === 'SANDBOX' ? 'TEST-' : '';
  return `${test}${DOCUMENT_KINDS[kind].prefix}-${year}-${String(number).padStart(6, '0')}`;
}

/** Parses a document number. Each issuer may have an `INV-2026-000017`. Undefined if it is not a document number. */
export function parseDocumentNumber(
  text: string,
): { environment: Environment; kind: DocumentKind; year: number; number: number } | undefined {
  const [, test, prefix, year, number] = /^(TEST-)?([A-Z]{3})-(\d{4})-(\d{6,9})$/i.exec(text) ?? [];
  const kinds = Object.keys(DOCUMENT_KINDS) as DocumentKind[];
  const kind = kinds.find((each) => DOCUMENT_KINDS[each].prefix === prefix?.toUpperCase());
  if (!kind) return undefined;
  const environment = test ? 'SANDBOX' : 'LIVE';
  return { environment, kind, year: Number(year), number: Number(number) };
}
