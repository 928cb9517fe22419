import type { Environment } from '../../platform/config/config.ts';
import { type Cents, Money } from '../../platform/money.ts';

/** Whose series of numbers a kind belongs to: the marketplace's, or the one that each partner has. */
type SeriesOwner = 'marketplace' | 'partner';

/** Every kind of document: its title, how its numbers begin, and who numbers it. */
export const DOCUMENT_KINDS = {
  receipt: { title: 'Receipt', prefix: 'RCP', numberedBy: 'marketplace' },
  invoice: { title: 'Invoice', prefix: 'INV', numberedBy: 'marketplace' },
  credit_note: { title: 'Credit note', prefix: 'CRN', numberedBy: 'marketplace' },
  statement: { title: 'Statement', prefix: 'STM', numberedBy: 'partner' },
  self_billing: { title: 'Self-billing credit note', prefix: 'SBC', numberedBy: 'partner' },
  payout_advice: { title: 'Payout advice', prefix: 'PAY', numberedBy: 'partner' },
} as const satisfies Record<string, { title: string; prefix: string; numberedBy: SeriesOwner }>;

export type DocumentKind = keyof typeof DOCUMENT_KINDS;

/** Who issues a document, or gets it. */
export interface Party {
  name: string;
  /** Lines below the name. */
  address: readonly string[];
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  email: string | null;
  taxId: string | null;
}

/** An amount with what it is for, in minor units of the document's currency. */
export interface DocumentLine {
  text: string;
  /** In small print below. */
  detail: string | null;
  amountCents: Cents;
}

/** The tax within the total of a document. */
export interface DocumentTax {
  /** What the line is called: `VAT 19%`, `Reverse charge`. */
  label: string;
  rateBps: number;
  netCents: Cents;
  taxCents: Cents;
  /** What the law wants said. */
  note: string | null;
}

/** All that a document says, but for its number and date. Amounts are minor units of `currency`. */
export interface DocumentContent {
  from: Party;
  to: Party;
  currency: string;
  /** What it is about, each with its name: `Order`, `Period`. */
  facts: readonly { name: string; value: string }[];
  lines: readonly DocumentLine[];
  /** How many further lines are in the total; 0 unless there are more than fit. */
  linesLeftOut: number;
  /** What leads from the lines to the total. */
  subtotals: readonly { label: string; amountCents: Cents }[];
  /** What the total is called: `Paid`, `You owe`. */
  totalLabel: string;
  totalCents: Cents;
  /** Null where tax is no matter of this document. */
  tax: DocumentTax | null;
  notes: readonly string[];
}

/** A document to be issued: it gets its number when the unit of work is written. */
export interface NewDocument {
  kind: DocumentKind;
  environment: Environment;
  /** Null where no partner has a part in it. */
  partnerId: string | null;
  /** The id of the order, renewal, statement or payout; it has one document of each kind at most. */
  subject: string;
  content: DocumentContent;
}

/** A document that was issued. */
export interface IssuedDocument {
  id: string;
  kind: DocumentKind;
  environment: Environment;
  partnerId: string | null;
  subject: string;
  /** As it is printed: `INV-2026-000017`. */
  number: string;
  issuedAt: Date;
  content: DocumentContent;
  /** The SHA-256 of the stored content. */
  sha256: string;
}

/** One line of a list of documents. */
export interface DocumentSummary {
  id: string;
  kind: DocumentKind;
  number: string;
  /** The id of the order, renewal, statement or payout. */
  subject: string;
  total: Money;
  issuedAt: Date;
}

/** A document as lists show it. */
export function documentSummary(document: IssuedDocument): DocumentSummary {
  const { id, kind, number, subject, issuedAt, content } = document;
  const total = new Money(content.totalCents, content.currency);
  return { id, kind, number, subject, total, issuedAt };
}

/** A document that takes another one back, to the cent. */
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

/** What numbers the documents of the marketplace itself. */
const MARKETPLACE = 'marketplace';

/** Who numbers a document: `marketplace` or the id of a partner. */
export function issuerOf({ kind, partnerId }: Pick<NewDocument, 'kind' | 'partnerId'>): string {
  return DOCUMENT_KINDS[kind].numberedBy === 'partner' && partnerId !== null
    ? partnerId
    : MARKETPLACE;
}

/** `INV-2026-000017`; numbers of the sandbox begin with `TEST-`. */
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

/** What a number names: `INV-2026-000017` is one of each issuer. Undefined for what is no number of a document. */
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
