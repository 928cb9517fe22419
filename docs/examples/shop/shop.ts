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
  /** Has the partner's secret, which never leaves this process: the browser only talks to the shop. */
  client: Client;
  /** Where the marketplace shows its payment pages, such as `https://market.example`. */
  marketUrl: string;
  /** The address of this shop; known once it listens. */
  shopUrl: () => string;
  webhookSecret: string;
  /** Milliseconds since 1970. */
  now?: () => number;
  log?: (fault: unknown) => void;
}

const HEARTBEAT_MS = 20_000;

/** Creates the shop as an Express app. All of its state is in `purchases`. */
export function createShop(options: ShopOptions): express.Express {
  const { client, marketUrl, shopUrl, webhookSecret } = options;
  const { now = Date.now, log = console.warn } = options;
  const purchases = createPurchases(client, now, log);
  const app = express().disable('x-powered-by');

  app.use(securityHeaders(marketUrl));
  app.use(express.static(fileURLToPath(new URL('public', import.meta.url))));

  // Must come before anything that parses the body: the signature covers the raw bytes.
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
    if (query.length < 2) return send(response, homePage('Enter at least two letters.'), 400);
    const { results, suggestions } = await client.domains.search({ q: query.slice(0, 200) });
    send(response, resultsPage(query, results, suggestions));
  });

  app.post('/purchases', async (request, response) => {
    const { id } = await purchases.begin(text(request.body, 'domain'), text(request.body, 'q'));
    response.redirect(303, `/purchases/${id}`);
  });

  /** Finds the unpaid purchase of the URL; a paid one redirects to the page of its order. */
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
    // The page of an expired quote shows what to do.
    if (purchases.hasExpired(purchase)) return response.redirect(303, `/purchases/${purchase.id}`);
    const session = await purchases.openCheckout(
      purchase,
      `${shopUrl()}/purchases/${purchase.id}/return`,
    );
    const { checkout_url: url, price_cents, currency } = session;
    // A checkout has the current price, which may differ from the one we showed.
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
    // Anyone can type `status` into the URL, so ask the marketplace whether it is paid.
    await purchases.refresh(purchase);
    if (purchase.order) return response.redirect(303, `/orders/${purchase.id}`);
    if (request.query.status === 'unavailable') {
      const name = readable(purchase.quote.domain);
      return send(response, problemPage(soldMeanwhile(name), purchase.query, undefined), 409);
    }
    // A payment takes over the hold of our quote, and releases it if it fails.
    await purchases.quoteAgain(purchase);
    response.redirect(303, `/purchases/${purchase.id}?unpaid`);
  });

  /** Finds the paid purchase of the URL. */
  const paid: RequestHandler<{ id: string }> = (request, response, next) => {
    const purchase = purchases.find(request.params.id);
    if (!purchase?.order) return send(response, problemPage(unknownPage, '', undefined), 404);
    response.locals.purchase = purchase;
    next();
  };

  app.get('/orders/:id', paid, async (_request, response) => {
    const purchase = purchaseOf(response);
    // Show what we know even if the marketplace is down.
    await purchases.refresh(purchase).catch(log);
    if (purchase.order) send(response, orderPage(purchase, purchase.order));
  });

  /** Server-sent events: sends the current page, and again at every webhook. */
  app.get('/orders/:id/live', paid, (request, response) => {
    const purchase = purchaseOf(response);
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    const tell = () => {
      if (purchase.order) response.write(`data: ${JSON.stringify(newsOf(purchase.order))}\n\n`);
    };
    tell();
    const stopWatching = purchases.watch(purchase, tell);
    // Proxies close silent connections.
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
  title: 'Page not found',
  text: 'This shop keeps purchases in memory, so those from before its last start are gone.',
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
        // Browsers apply this to redirects after a form, too, and ours lead to the checkout.
        formAction: ["'self'", new URL(marketUrl).origin],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Anyone with the URL of a purchase can open it, so never send it to other sites as the Referer.
    referrerPolicy: { policy: 'no-referrer' },
  });
}

/** Rejects forms of other sites, which must not act for our visitor. Old browsers do not send the header. */
const onlyOwnForms: RequestHandler = (request, response, next) => {
  const from = request.get('Sec-Fetch-Site') ?? 'same-origin';
  if (request.method === 'GET' || from === 'same-origin') return next();
  response.sendStatus(403);
};

/** Handles all errors: shows what failed, and what the visitor can do. */
const showProblem =
  (log: (fault: unknown) => void): ErrorRequestHandler =>
  (error, request, response, _next) => {
    const purchase: Purchase | undefined = response.locals.purchase;
    const domain = purchase?.quote.domain ?? text(request.body, 'domain');
    const problem = problemOf(error, domain === '' ? undefined : readable(domain));
    if (problem.status >= 500) log(error);
    const query = purchase?.query ?? (text(request.query, 'q') || text(request.body, 'q'));
    // A link cannot repeat a form.
    const formPage = purchase ? `/purchases/${purchase.id}` : searchUrl(query);
    const again = request.method === 'GET' ? request.originalUrl : formPage;
    send(response, problemPage(problem, query, again), problem.status);
  };

function purchaseOf(response: Response): Purchase {
  return response.locals.purchase;
}

/** Returns a field of a form or query; empty if missing or repeated. */
function text(fields: Record<string, unknown> | undefined, name: string): string {
  const value = fields?.[name];
  return typeof value === 'string' ? value : '';
}

function send(response: Response, page: string, status = 200): void {
  // Pages always show current prices and purchases, even after the back button.
  response.status(status).set('Cache-Control', 'no-store').type('html').send(page);
}
