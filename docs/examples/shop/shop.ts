import { fileURLToPath } from 'node:url';
import type { Client } from '@domain-marketplace/sdk';
import express, { type ErrorRequestHandler, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { money, readable, searchUrl } from './format.ts';
import { problemPage } from './pages/message.ts';
import { newsOf, orderPage } from './pages/order.ts';
import { priceChangedPage, quotePage } from './pages/quote.ts';
import { homePage, resultsPage } from './pages/search.ts';
import { type Problem, problemOf, soldMeanwhile } from './problems.ts';
import { createPurchases, type Purchase } from './purchases.ts';
import { receiveWebhooks } from './webhooks.ts';

export interface ShopOptions {
  /** Holds the partner's secret. It stays in this process: the browser only ever talks to the shop. */
  client: Client;
  /** Where the marketplace shows its payment pages, such as `https://market.example`. */
  marketUrl: string;
  /** Where buyers reach this shop; known once it listens. */
  shopUrl: () => string;
  webhookSecret: string;
  /** Milliseconds of Unix time. */
  now?: () => number;
  log?: (fault: unknown) => void;
}

const HEARTBEAT_MS = 20_000;

/** The shop as an Express app. All of its state is in `purchases`. */
export function createShop(options: ShopOptions): express.Express {
  const { client, marketUrl, shopUrl, webhookSecret } = options;
  const { now = Date.now, log = console.warn } = options;
  const purchases = createPurchases(client, now, log);
  const app = express().disable('x-powered-by');

  app.use(securityHeaders(marketUrl));
  app.use(express.static(fileURLToPath(new URL('public', import.meta.url))));

  // Before everything that would parse the body: the signature is of the bytes as they came.
  app.post(
    '/webhooks',
    express.raw({ type: 'application/json' }),
    receiveWebhooks(webhookSecret, purchases.hear, log),
  );

  app.use(express.urlencoded({ extended: false, limit: '10kb' }));
  app.use(onlyOwnForms);

  app.get('/', async (request, response) => {
    const { q } = request.query;
    if (typeof q !== 'string') return send(response, homePage());
    const query = q.trim();
    if (query.length < 2) return send(response, homePage('Please type two letters or more.'), 400);
    const { results, suggestions } = await client.domains.search({ q: query.slice(0, 200) });
    send(response, resultsPage(query, results, suggestions));
  });

  app.post('/purchases', async (request, response) => {
    const { id } = await purchases.begin(text(request.body, 'domain'), text(request.body, 'q'));
    response.redirect(303, `/purchases/${id}`);
  });

  /** The purchase of the address, for those that are not paid yet; the others have their order's page. */
  const unpaid: RequestHandler<{ id: string }> = (request, response, next) => {
    const purchase = purchases.find(request.params.id);
    if (purchase?.order) return response.redirect(303, `/orders/${purchase.id}`);
    if (!purchase) return send(response, problemPage(unknownPage, '', undefined), 404);
    response.locals.purchase = purchase;
    next();
  };

  app.get('/purchases/:id', unpaid, (request, response) => {
    const cameBack = request.query.unpaid !== undefined;
    send(response, quotePage(purchaseOf(response), now(), cameBack));
  });

  app.post('/purchases/:id/pay', unpaid, async (_request, response) => {
    const purchase = purchaseOf(response);
    // The page that was left open too long shows what to do now.
    if (purchases.hasExpired(purchase)) return response.redirect(303, `/purchases/${purchase.id}`);
    const session = await purchases.openCheckout(
      purchase,
      `${shopUrl()}/purchases/${purchase.id}/return`,
    );
    const { checkout_url: url, price_cents, currency } = session;
    // A checkout has the price of today, which may be another than the one we showed.
    if (price_cents !== purchase.quote.price_cents || currency !== purchase.quote.currency) {
      const next = { price: money(price_cents, currency), url };
      return send(response, priceChangedPage(purchase, next), 409);
    }
    response.redirect(303, url);
  });

  app.post('/purchases/:id/quote', unpaid, async (_request, response) => {
    const purchase = purchaseOf(response);
    await purchases.quoteAgain(purchase);
    response.redirect(303, `/purchases/${purchase.id}`);
  });

  app.post('/purchases/:id/leave', unpaid, async (_request, response) => {
    const purchase = purchaseOf(response);
    await purchases.leave(purchase);
    response.redirect(303, searchUrl(purchase.query));
  });

  app.get('/purchases/:id/return', unpaid, async (request, response) => {
    const purchase = purchaseOf(response);
    // `status` in the address is what anybody can type. Whether it is paid, the marketplace is asked.
    await purchases.refresh(purchase);
    if (purchase.order) return response.redirect(303, `/orders/${purchase.id}`);
    if (request.query.status === 'unavailable') {
      const name = readable(purchase.quote.domain);
      return send(response, problemPage(soldMeanwhile(name), purchase.query, undefined), 409);
    }
    // An attempt to pay takes over the hold of our quote, and drops it when it fails.
    await purchases.quoteAgain(purchase);
    response.redirect(303, `/purchases/${purchase.id}?unpaid`);
  });

  /** The purchase of the address, for those that are paid. */
  const paid: RequestHandler<{ id: string }> = (request, response, next) => {
    const purchase = purchases.find(request.params.id);
    if (!purchase?.order) return send(response, problemPage(unknownPage, '', undefined), 404);
    response.locals.purchase = purchase;
    next();
  };

  app.get('/orders/:id', paid, async (_request, response) => {
    const purchase = purchaseOf(response);
    // What we know is shown even when the marketplace is away.
    await purchases.refresh(purchase).catch(log);
    if (purchase.order) send(response, orderPage(purchase, purchase.order));
  });

  /** Server-sent events: the page as it is now, and again at every webhook. */
  app.get('/orders/:id/live', paid, (request, response) => {
    const purchase = purchaseOf(response);
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const tell = () => {
      if (purchase.order) response.write(`data: ${JSON.stringify(newsOf(purchase.order))}\n\n`);
    };
    tell();
    const stopWatching = purchases.watch(purchase, tell);
    // Proxies close what is silent for long.
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS);
    request.on('close', () => {
      clearInterval(heartbeat);
      stopWatching();
    });
  });

  app.post('/orders/:id/advance', paid, async (_request, response) => {
    const purchase = purchaseOf(response);
    await purchases.advance(purchase);
    response.redirect(303, `/orders/${purchase.id}`);
  });

  app.use((_request, response) => send(response, problemPage(unknownPage, '', undefined), 404));
  app.use(showProblem(log));
  return app;
}

const unknownPage: Problem = {
  status: 404,
  title: 'There is nothing here',
  text: 'This shop keeps its purchases in memory, so it has forgotten those from before its last start.',
  passing: false,
};

function securityHeaders(marketUrl: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        scriptSrc: ["'self'"],
        imgSrc: ["'self'"],
        connectSrc: ["'self'"],
        // Browsers hold the redirects after a form to this as well, and ours lead to the checkout.
        formAction: ["'self'", new URL(marketUrl).origin],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // The address of a purchase opens it; no other site is to read it from a Referer.
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** A form on somebody else's page must not act for our visitor. Old browsers do not send the header. */
const onlyOwnForms: RequestHandler = (request, response, next) => {
  const from = request.get('Sec-Fetch-Site') ?? 'same-origin';
  if (request.method === 'GET' || from === 'same-origin') return next();
  response.sendStatus(403);
};

/** Last of all: what failed, in words for the visitor, with a way on. */
const showProblem =
  (log: (fault: unknown) => void): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const purchase: Purchase | undefined = response.locals.purchase;
    const domain = purchase?.quote.domain ?? text(request.body, 'domain');
    const problem = problemOf(error, domain === '' ? undefined : readable(domain));
    if (problem.status >= 500) log(error);
    const query = purchase?.query ?? (text(request.query, 'q') || text(request.body, 'q'));
    // What was sent by a form cannot be asked for again by a link.
    const formPage = purchase ? `/purchases/${purchase.id}` : searchUrl(query);
    const again = request.method === 'GET' ? request.originalUrl : formPage;
    send(response, problemPage(problem, query, again), problem.status);
  };

function purchaseOf(response: Response): Purchase {
  return response.locals.purchase;
}

/** A field of a form or a query; empty when it is not there, or there twice. */
function text(fields: Record<string, unknown> | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}

function send(response: Response, page: string, status = 200): void {
  // Prices and purchases are shown as they are now, also after the back button.
  response.status(status).set('Cache-Control', 'no-store').type('html').send(page);
}
