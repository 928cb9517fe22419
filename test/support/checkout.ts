import type { TestApp } from './app.ts';
import { givenListing } from './factories.ts';
import type { SignedClient } from './signed-client.ts';

/** A checkout session as its partner received it, and the URL of its page on this app. */
export interface SessionFixture {
  id: string;
  domain: string;
  priceCents: number;
  expiresAt: string;
  /** On the test's own port; the API response has the configured public address. */
  url: string;
}

/** Creates a session for a new listing. */
export async function givenSession(
  app: TestApp,
  client: SignedClient,
  options: Parameters<typeof givenListing>[1] = {},
  more: object = {},
): Promise<SessionFixture> {
  const listing = await givenListing(app.runtime, options);
  const { body } = await client
    .post('/v1/checkout-session', {
      body: {
        domain: listing.domain,
        return_url: 'https://partner.example/thanks?cart=1',
        cancel_url: 'https://partner.example/cart',
        ...more,
      },
    })
    .expect(201);
  const { pathname, search } = new URL(body.checkout_url);
  return {
    id: body.id,
    domain: body.domain,
    priceCents: body.price_cents,
    expiresAt: body.expires_at,
    url: app.url + pathname + search,
  };
}

export const CARDS = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  poor: '4000 0000 0000 9995',
  asks: '4000 0025 0000 3155',
};

/** What a browser without JavaScript receives and sends. */
export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The target of a redirect, otherwise ''. */
  location: string;
}

export async function fetchPage(url: string, init: RequestInit = {}): Promise<PageAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const location = response.headers.get('Location') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    location,
  };
}

/** Fills in the form as shown on the page at `url`, and sends it to one of the page's actions. */
export async function sendForm(
  url: string,
  action: 'pay' | 'confirm' | 'cancel' | 'reopen' | 'return',
  fields: Record<string, string> = {},
  page?: PageAnswer,
  Cookie = '',
): Promise<PageAnswer> {
  const { text } = page ?? (await fetchPage(url));
  const form = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const target = new URL(url);
  target.pathname += `/${action}`;
  return fetchPage(target.href, {
    method: 'POST',
    ...(Cookie && { headers: { Cookie } }),
    body: new URLSearchParams({ form, ...fields }),
  });
}

/** Returns the fields of a buyer with this card. */
export function buyerWith(card: string): Record<string, string> {
  return {
    email: 'buyer@example.com',
    name: 'A. Buyer',
    country: 'DE',
    number: card,
    expiry: '12/39',
    cvc: '123',
  };
}

/** Returns the orders of a session. */
export async function ordersOf(
  app: TestApp,
  sessionId: string,
): Promise<{ id: string; status: string }[]> {
  return app.runtime.db
    .knex('orders')
    .where({ checkout_session_id: sessionId })
    .select(
      'id',
      'status',
      'sale_price_cents',
      'payment_model',
      'commission_cents',
      'buyer_email',
      'amount_owed_cents',
    );
}
