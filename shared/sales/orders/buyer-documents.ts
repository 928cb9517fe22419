import {
  type DocumentContent,
  type DocumentLine,
  type IssuedDocument,
  reversal,
} from '../../messaging/documents/document.ts';
import { type DocumentOwner, findDocument } from '../../messaging/documents/read-documents.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { marketplaceParty, marketplaceTax, taxIn } from '../../money/tax/tax.ts';
import { formatDay } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Money } from '../../platform/money.ts';
import type { Order } from './order.ts';

/** The kinds of documents for buyers. */
export const BUYER_DOCUMENTS = ['receipt', 'invoice', 'credit_note'] as const;

/** Returns a buyer's document of an order; undefined if it was not issued or its kind is not for buyers. */
export async function findBuyerDocument(
  { db }: { db: Database },
  { orderId, ...owner }: DocumentOwner & { orderId: string | null },
  kind: string,
): Promise<IssuedDocument | undefined> {
  const known = BUYER_DOCUMENTS.find((each) => each === kind);
  if (orderId === null || known === undefined) return undefined;
  return findDocument(db.knex, owner, { kind: known, subject: orderId });
}

/**
 * Issues the buyer's receipt and invoice for a sale that we collected, and returns their ids. For other sales the
 * partner is the seller and issues its own documents.
 */
export function issueSaleDocuments(uow: UnitOfWork, config: Config, order: Order): string[] {
  if (order.paymentModel === 'merchant_of_record') return [];
  const { partnerId, environment, id: subject, price } = order;
  const { buyerName, buyerEmail: email, buyerCountry: country } = order;
  return issuePurchaseDocuments(uow, config, {
    partnerId,
    environment,
    subject,
    buyer: { name: buyerName ?? email, email, country },
    price,
    line: { text: `Domain name ${order.domain}`, detail: null },
    facts: orderFacts(order, 'Paid on'),
  });
}

/** A paid purchase. */
interface Purchase extends DocumentOwner {
  /** The id of what was bought. */
  subject: string;
  buyer: { name: string; email: string; country: string | null };
  price: Money;
  line: Omit<DocumentLine, 'amountCents'>;
  facts: DocumentContent['facts'];
}

/** Issues the receipt and the invoice of a purchase that we collected, and returns their ids. */
export function issuePurchaseDocuments(
  uow: UnitOfWork,
  config: Config,
  { partnerId, environment, subject, price, line, facts, ...purchase }: Purchase,
): string[] {
  const buyer = { ...purchase.buyer, address: [], taxId: null };
  const tax = taxIn(marketplaceTax(config), buyer, price);
  const sale: DocumentContent = {
    from: marketplaceParty(config),
    to: buyer,
    currency: price.currency,
    facts,
    lines: [{ ...line, amountCents: price.amount }],
    linesLeftOut: 0,
    subtotals: [],
    totalLabel: 'Total',
    totalCents: price.amount,
    tax,
    notes: [tax.taxCents > 0 ? 'Paid in full. The price includes all taxes.' : 'Paid in full.'],
  };
  const receipt = {
    ...sale,
    totalLabel: 'Amount paid',
    notes: ['We received your payment. Thank you.'],
  };
  const of = { environment, partnerId, subject };
  const invoice = uow.documents.add({ ...of, kind: 'invoice', content: sale });
  return [uow.documents.add({ ...of, kind: 'receipt', content: receipt }), invoice];
}

/** Issues a credit note for an order's invoice and returns its id; returns no id if there is no invoice. */
export function issueCreditNote(
  uow: UnitOfWork,
  { id: subject, partnerId, environment }: Order,
): Promise<string[]> {
  return issueCreditNoteFor(uow, { subject, partnerId, environment, name: 'Order' });
}

/** Like {@link issueCreditNote}, for any purchase; `name` says what was bought. */
export async function issueCreditNoteFor(
  uow: UnitOfWork,
  { subject, name, partnerId, environment }: DocumentOwner & { subject: string; name: string },
): Promise<string[]> {
  const owner = { partnerId, environment };
  const invoice = await findDocument(uow.sql, owner, { kind: 'invoice', subject });
  if (!invoice) return [];
  const content = reversal(invoice.content, {
    facts: [
      { name: 'Corrects invoice', value: `${invoice.number} of ${formatDay(invoice.issuedAt)}` },
      { name, value: subject },
      { name: 'Refunded on', value: formatDay(uow.now) },
    ],
    totalLabel: 'Total',
    notes: ['This credit note cancels the whole invoice. The full amount is returned to you.'],
  });
  return [uow.documents.add({ ...owner, kind: 'credit_note', subject, content })];
}

function orderFacts(order: Order, dated: string): DocumentContent['facts'] {
  return [
    { name: 'Order', value: order.id },
    { name: dated, value: formatDay(order.createdAt) },
  ];
}
