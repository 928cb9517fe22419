import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  type Client,
  ConflictError,
  type CreatedCheckoutSession,
  type OrderDetail,
  type OrderStatus,
  orderIn,
  type Quote,
  type WebhookEvent,
} from '@domain-marketplace/sdk';

/** One visitor on the way to one name. */
export interface Purchase {
  /** Cannot be guessed: whoever has the address may see the page, so this shop needs no accounts. */
  readonly id: string;
  /** What the visitor searched for, to lead back to it. */
  readonly query: string;
  quote: Quote;
  /** In milliseconds of Unix time. */
  quotedAt: number;
  /** The payment pages made for it. More than one when the visitor gave up and came back. */
  readonly sessionIds: string[];
  /** Once it is paid. */
  order?: OrderDetail;
}

/** The one step that leads on, where the sandbox would make us wait for it. */
const NEXT: Partial<Record<OrderStatus, OrderStatus>> = {
  PAID: 'TRANSFER_IN_PROGRESS',
  TRANSFER_IN_PROGRESS: 'TRANSFER_COMPLETED',
  TRANSFER_COMPLETED: 'SETTLED',
};

/** A webhook is to be answered within 5 seconds, and two reads have to fit. */
const READ = { timeoutMs: 2_000, maxRetries: 0 };

/**
 * What the shop knows, and everything that it does with the marketplace beyond searching. It is kept in
 * memory so that the example needs nothing; yours belongs into your database.
 */
export function createPurchases(client: Client, now: () => number, log: (fault: unknown) => void) {
  const byId = new Map<string, Purchase>();
  const changes = new EventEmitter().setMaxListeners(0);

  /** Holds the name for us at its price, for ten minutes. */
  async function begin(domain: string, query: string): Promise<Purchase> {
    const quote = await client.quotes.create({ domain });
    const purchase = { id: randomUUID(), query, quote, quotedAt: now(), sessionIds: [] };
    byId.set(purchase.id, purchase);
    return purchase;
  }

  /** A fresh quote takes the place of our old one, whether that has expired or not. */
  async function quoteAgain(purchase: Purchase): Promise<void> {
    purchase.quote = await client.quotes.create({ domain: purchase.quote.domain });
    purchase.quotedAt = now();
  }

  /** Gives the name back at once, so that others need not wait until the quote runs out. */
  async function leave(purchase: Purchase): Promise<void> {
    const { quote_id } = purchase.quote;
    purchase.quote = { ...purchase.quote, expires_at: new Date(now()).toISOString() };
    // If this fails, the hold still ends by itself.
    await client.quotes.release({ quote_id }).catch(log);
  }

  /** A page of the marketplace where the buyer pays: no card number ever reaches this shop. */
  async function openCheckout(
    purchase: Purchase,
    returnUrl: string,
  ): Promise<CreatedCheckoutSession> {
    const session = await client.checkoutSessions.create({
      domain: purchase.quote.domain,
      return_url: returnUrl,
      client_reference: purchase.id,
    });
    purchase.sessionIds.push(session.id);
    return session;
  }

  /** Asks the marketplace how things stand. Everybody who watches the purchase hears of news. */
  async function refresh(purchase: Purchase): Promise<void> {
    const publicId = purchase.order?.public_id ?? (await paidOrderOf(purchase));
    if (publicId === undefined) return;
    const order = await client.orders.get({ public_id: publicId }, READ);
    // Two reads may overtake each other. A timeline only grows, so the longer one is the later one.
    if (order.timeline.length <= (purchase.order?.timeline.length ?? 0)) return;
    purchase.order = order;
    changes.emit(purchase.id);
  }

  async function paidOrderOf({ sessionIds }: Purchase): Promise<string | undefined> {
    for (const id of sessionIds) {
      const { order_id } = await client.checkoutSessions.get({ id }, READ);
      if (order_id !== null) return order_id;
    }
    return undefined;
  }

  /**
   * A webhook says that something has happened; what is the case now, the marketplace is asked. So it does
   * not matter in which order the webhooks come, nor how often. Finds the purchase by its domain, because
   * the first one can be here before the buyer is back from paying.
   */
  async function hear(event: WebhookEvent): Promise<void> {
    const order = orderIn(event);
    const concerned = [...byId.values()].filter(
      ({ quote, sessionIds }) => quote.domain === order?.domain && sessionIds.length > 0,
    );
    for (const purchase of concerned) await refresh(purchase);
  }

  /** SANDBOX only: plays the marketplace's part, one step. */
  async function advance({ order }: Purchase): Promise<void> {
    const to = order && NEXT[order.status];
    if (!to) return;
    try {
      await client.orders.advance({ public_id: order.public_id, to });
    } catch (error) {
      // The marketplace was quicker. Its webhook is on the way.
      if (!(error instanceof ConflictError && error.reason === 'invalid_state')) throw error;
    }
  }

  /** Calls `listener` at every news of a purchase, until the returned function is called. */
  function watch({ id }: Purchase, listener: () => void): () => void {
    changes.on(id, listener);
    return () => changes.off(id, listener);
  }

  return {
    find: (id: string) => byId.get(id),
    hasExpired: ({ quote }: Purchase) => Date.parse(quote.expires_at) <= now(),
    begin,
    quoteAgain,
    leave,
    openCheckout,
    refresh,
    hear,
    advance,
    watch,
  };
}
