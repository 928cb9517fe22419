import { formatDay } from '../../../platform/clock.ts';
import { formatMoney, Money } from '../../../platform/money.ts';
import {
  DOCUMENT_KINDS,
  type DocumentContent,
  type IssuedDocument,
  type Party,
} from '../document.ts';
import { FONT_FAMILIES } from './paper-fonts.ts';
import { paperText } from './paper-text.ts';

/** The input of `document.typ`: every text as printed. */
export interface PaperView {
  fonts: readonly string[];
  /** The name in the letterhead. */
  brand: string;
  title: string;
  number: string;
  /** The day of issue, in UTC. */
  issued: { year: number; month: number; day: number };
  test: boolean;
  from: PaperParty;
  to: PaperParty;
  currency: string;
  facts: readonly NamedText[];
  lines: readonly { text: string; detail: string | null; amount: string }[];
  more: string | null;
  subtotals: readonly NamedText[];
  total: NamedText;
  tax: readonly NamedText[];
  notes: readonly string[];
}

type NamedText = readonly [name: string, text: string];

interface PaperParty {
  name: string;
  lines: readonly string[];
}

/** Returns a document's print view, from stored data alone, so that it never changes. */
export function paperView(document: IssuedDocument): PaperView {
  const { kind, number, issuedAt, environment, content } = document;
  const money = (cents: number) => formatMoney(new Money(cents, content.currency));
  return {
    fonts: FONT_FAMILIES,
    // By law, a self-billing credit note is the partner's document, although we issue it.
    brand: paperText((kind === 'self_billing' ? content.to : content.from).name),
    title: DOCUMENT_KINDS[kind].title,
    number,
    issued: {
      year: issuedAt.getUTCFullYear(),
      month: issuedAt.getUTCMonth() + 1,
      day: issuedAt.getUTCDate(),
    },
    test: environment === 'SANDBOX',
    from: paperParty(content.from),
    to: paperParty(content.to),
    currency: content.currency,
    facts: [['Issued on', formatDay(issuedAt)], ...content.facts.map(factOnPaper)],
    lines: content.lines.map(({ text, detail, amountCents }) => ({
      text: paperText(text),
      detail: detail && paperText(detail),
      amount: money(amountCents),
    })),
    more: furtherLines(content),
    subtotals: content.subtotals.map(({ label, amountCents }) => [label, money(amountCents)]),
    total: [content.totalLabel, money(content.totalCents)],
    tax: taxLines(content, money),
    notes: [...(content.tax?.note ? [content.tax.note] : []), ...content.notes].map((note) =>
      paperText(note),
    ),
  };
}

/** Ids stay whole, so that they can be copied. */
const LONGEST_ID = 32;

function factOnPaper({ name, value }: DocumentContent['facts'][number]): NamedText {
  return [name, paperText(value, LONGEST_ID)];
}

function furtherLines({ linesLeftOut }: DocumentContent): string | null {
  if (linesLeftOut === 0) return null;
  const count = linesLeftOut.toLocaleString('en-US');
  return `${count} more ${linesLeftOut === 1 ? 'line is' : 'lines are'} in the totals. The CSV of the statement has all of them.`;
}

function taxLines({ tax }: DocumentContent, money: (cents: number) => string): NamedText[] {
  if (!tax) return [];
  if (tax.taxCents === 0) return [[tax.label, money(0)]];
  return [
    ['Net', money(tax.netCents)],
    [tax.label, money(tax.taxCents)],
  ];
}

const countries = new Intl.DisplayNames('en', { type: 'region' });

function paperParty({ name, address, country, email, taxId }: Party): PaperParty {
  const lines = [
    ...address,
    ...(country === null ? [] : [countries.of(country) ?? country]),
    ...(email === null || email === name ? [] : [email]),
    ...(taxId === null ? [] : [`Tax ID ${taxId}`]),
  ];
  return { name: paperText(name), lines: lines.map((line) => paperText(line)) };
}
