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

/** One visitor's purchase of one name. */
export interface Purchase {
  /** Unguessable: anyone with the URL may see the page, so this shop needs no accounts. */
  readonly id: string;
  /** The visitor's search, for the link back to it. */
  readonly query: string;
  quote: Quote;
  /** In milliseconds since 1970. */
  quotedAt: number;
  /** Its payment pages: several if the visitor gave up and came back. */
  readonly sessionIds: string[];
  /** Set once it is paid. */
  order?: OrderDetail;
}

/** The next step for each status that the sandbox would otherwise make us wait for. */
const NEXT: Partial<Record<OrderStatus, OrderStatus>> = {
  PAID: 'TRANSFER_IN_PROGRESS',
  TRANSFER_IN_PROGRESS: 'TRANSFER_COMPLETED',
  TRANSFER_COMPLETED: 'SETTLED',
};

/** A webhook must be answered within 5 seconds, which has to be enough for two reads. */
const READ = { timeoutMs: 2_000, maxRetries: 0 };

/**
 * The shop's data, and everything it does with the marketplace besides searching. This example keeps the data in
 * memory; keep yours in your database.
 */
export function createPurchases(client: Client, now: () => number, log: (fault: unknown) => void) {
  const byId = new Map<string, Purchase>();
  const changes = new EventEmitter().setMaxListeners(0);

  /** Holds the name for us at its price for ten minutes. */
  async function begin(domain: string, query: string): Promise<Purchase> {
    const quote = await client.quotes.create({ domain });
    const purchase = { id: randomUUID(), query, quote, quotedAt: now(), sessionIds: [] };
    byId.set(purchase.id, purchase);
    return purchase;
  }

  /** Replaces our quote with a new one, even if the old one has not expired. */
  async function quoteAgain(purchase: Purchase): Promise<void> {
    purchase.quote = await client.quotes.create({ domain: purchase.quote.domain });
    purchase.quotedAt = now();
  }

  /** Releases the name at once, so that others need not wait until the quote expires. */
  async function leave(purchase: Purchase): Promise<void> {
    const { quote_id } = purchase.quote;
    purchase.quote = { ...purchase.quote, expires_at: new Date(now()).toISOString() };
    // If this fails, the hold expires by itself.
    await client.quotes.release({ quote_id }).catch(log);
  }

  /** Returns a payment page of the marketplace: card numbers never reach this shop. */
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

  /** Reads the order from the marketplace, and notifies everyone who watches the purchase of changes. */
  async function refresh(purchase: Purchase): Promise<void> {
    const publicId = purchase.order?.public_id ?? (await paidOrderOf(purchase));
    if (publicId === undefined) return;
    const order = await client.orders.get({ public_id: publicId }, READ);
    // Two reads may arrive out of order. Timelines only grow, so the longer one is newer.
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
   * Handles a webhook, which says that something has changed, by reading the current state from the marketplace. So the
   * order of webhooks and repeated ones do not matter. Finds the purchase by its domain, because the first webhook may
   * arrive before the buyer returns from paying.
   */
  async function hear(event: WebhookEvent): Promise<void> {
    const order = orderIn(event);
    const concerned = [...byId.values()].filter(
      ({ quote, sessionIds }) => quote.domain === order?.domain && sessionIds.length > 0,
    );
    for (const purchase of concerned) await refresh(purchase);
  }

  /** SANDBOX only: simulates the next step of the marketplace. */
  async function advance({ order }: Purchase): Promise<void> {
    const to = order && NEXT[order.status];
    if (!to) return;
    try {
      await client.orders.advance({ public_id: order.public_id, to });
    } catch (error) {
      // The marketplace was faster. Its webhook is on the way.
      if (!(error instanceof ConflictError && error.reason === 'invalid_state')) throw error;
    }
  }

  /** Calls `listener` at every change of a purchase, until the returned function is called. */
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
