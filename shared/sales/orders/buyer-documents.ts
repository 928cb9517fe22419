import {
  type DocumentContent,
  type IssuedDocument,
  reversal,
} from '../../messaging/documents/document.ts';
import { type DocumentOwner, findDocument } from '../../messaging/documents/read-documents.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { marketplaceParty, marketplaceTax, taxIn } from '../../money/tax/tax.ts';
import { formatDay } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Order } from './order.ts';

/** The kinds of documents for buyers. */
const BUYER_DOCUMENTS = ['receipt', 'invoice', 'credit_note'] as const;

/** A document of an order's buyer; undefined when it was not issued, or for a kind that is not for buyers. */
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
 * Issues the buyer's receipt and invoice for a sale that we collected. For other sales the partner is the seller,
 * and its own papers are what the buyer gets. Returns their ids.
 */
export function issueSaleDocuments(uow: UnitOfWork, config: Config, order: Order): string[] {
  if (order.paymentModel === 'merchant_of_record') return [];
  const { partnerId, environment, id: subject } = order;
  const buyer = {
    name: order.buyerName ?? order.buyerEmail,
    address: [],
    country: order.buyerCountry,
    email: order.buyerEmail,
    taxId: null,
  };
  const tax = taxIn(marketplaceTax(config), buyer, order.price);
  const sale: DocumentContent = {
    from: marketplaceParty(config),
    to: buyer,
    currency: order.price.currency,
    facts: orderFacts(order, 'Paid on'),
    lines: [{ text: `Domain name ${order.domain}`, detail: null, amountCents: order.price.amount }],
    linesLeftOut: 0,
    subtotals: [],
    totalLabel: 'Total',
    totalCents: order.price.amount,
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

/** Issues a credit note for the invoice of an order; returns its id, or nothing for an order without an invoice. */
export async function issueCreditNote(uow: UnitOfWork, order: Order): Promise<string[]> {
  const invoice = await findDocument(uow.sql, order, { kind: 'invoice', subject: order.id });
  if (!invoice) return [];
  const { partnerId, environment, id: subject } = order;
  const content = reversal(invoice.content, {
    facts: [
      { name: 'Corrects invoice', value: `${invoice.number} of ${formatDay(invoice.issuedAt)}` },
      { name: 'Order', value: order.id },
      { name: 'Refunded on', value: formatDay(uow.now) },
    ],
    totalLabel: 'Total',
    notes: ['This credit note takes back the whole invoice. Your payment goes back to you.'],
  });
  return [uow.documents.add({ kind: 'credit_note', environment, partnerId, subject, content })];
}

function orderFacts(order: Order, dated: string): DocumentContent['facts'] {
  return [
    { name: 'Order', value: order.id },
    { name: dated, value: formatDay(order.createdAt) },
  ];
}
