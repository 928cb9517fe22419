import { type Request, type RequestHandler, type Response, Router } from 'express';
import { listDocuments } from '../../../shared/messaging/documents/read-documents.ts';
import { type Brand, readBrand } from '../../../shared/messaging/mail/mail-settings.ts';
import { fail } from '../../../shared/platform/errors.ts';
import type { Cents, Money } from '../../../shared/platform/money.ts';
import { agreedPrice } from '../../../shared/sales/brokerage/brokerage-case.ts';
import {
  acceptOffer,
  counterOffer,
  declineOffer,
} from '../../../shared/sales/brokerage/buyer-offers.ts';
import { cancelCase, raiseBudget } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { openProgressLink, progressUrl } from '../../../shared/sales/brokerage/progress-link.ts';
import { type CaseDetail, getCaseById } from '../../../shared/sales/brokerage/read-cases.ts';
import { openCaseSession, readDealReview } from '../../../shared/sales/checkout/case-session.ts';
import { findBuyerDocument } from '../../../shared/sales/orders/buyer-documents.ts';
import { getOrder, wasSoldSince } from '../../../shared/sales/orders/read-orders.ts';
import type { ApiServices } from '../../compose-api.ts';
import { toServiceError } from '../../http/error-response.ts';
import { limitedForm } from '../../http/limited-form.ts';
import { sendDocument } from '../../http/pdf.ts';
import { buyerErrorPage } from '../kit/buyer-card.ts';
import { type ErrorWords, INVALID_LINK, PageError } from '../kit/error-page.ts';
import { exampleAmount, parseAmount } from '../kit/form.ts';
import { allowLogo, pageHeaders } from '../kit/page-headers.ts';
import { clockWords, pageNowOf, realPageNow } from '../kit/page-time.ts';
import { type FaultyField, type ProgressPage, progressPage } from './progress-page.ts';

const PATH = '/:case_id';

/**
 * Serves the buyer's page of a brokerage case: no account, a signed link. An accepted form is answered with a redirect;
 * a refused one shows the page again, with the reason.
 */
export function progressRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const linkOnly = goodLinkOnly(runtime);
  const formOnly = limitedForm(runtime, 'progress', runtime.config.limitProgressPage);
  router.use(pageHeaders('brokerage'), (_req, res, next) => {
    res.locals.route = `/brokerage${PATH}`;
    next();
  });

  router.get(PATH, linkOnly, async (req, res) => {
    const done = confirmationText(req.query.done, res.locals.detail);
    sendPage(res, { done, ...(await boughtBy(runtime, res.locals.detail)) });
  });

  router.get(
    `${PATH}/documents/:kind`,
    linkOnly,
    async (req: Request<{ case_id: string; kind?: string }>, res) => {
      const { found }: CaseDetail = res.locals.detail;
      const { kind = '' } = req.params;
      await sendDocument(runtime, res, await findBuyerDocument(runtime, found, kind));
    },
  );

  router.post(`${PATH}/budget`, linkOnly, formOnly, async (req: Request, res: Response) => {
    const { found }: CaseDetail = res.locals.detail;
    const typed = String(req.body?.budget ?? '');
    const amount = parseAmount(typed, found.budget.currency);
    if (amount === undefined) {
      const message = `Enter the new budget in ${amountForm(found.budget)}.`;
      return sendPage(res.status(400), { fault: { field: 'budget', message, typed } });
    }
    const form = { done: 'budget', field: 'budget', typed } as const;
    await attempt(runtime, res, () => raiseBudget(runtime, found.id, amount), form);
  });

  router.post(`${PATH}/counter`, linkOnly, formOnly, async (req: Request, res: Response) => {
    const { found }: CaseDetail = res.locals.detail;
    const typed = String(req.body?.counter ?? '');
    const amount = offeredCents(req.body, found.budget.currency);
    if (amount === undefined) {
      const message = `Enter your offer in ${amountForm(found.budget)}.`;
      return sendPage(res.status(400), { fault: { field: 'offer', message, typed } });
    }
    const form = { done: 'counter', field: 'offer', typed } as const;
    await attempt(runtime, res, () => counterOffer(runtime, found.id, amount), form);
  });

  for (const [path, act] of [
    ['accept', acceptOffer],
    ['decline', declineOffer],
  ] as const) {
    router.post(`${PATH}/${path}`, linkOnly, formOnly, async (req: Request, res: Response) => {
      const { found }: CaseDetail = res.locals.detail;
      await attempt(runtime, res, () => act(runtime, found.id, Number(req.body?.offer)));
    });
  }

  router.post(`${PATH}/pay`, linkOnly, formOnly, async (_req: Request, res: Response) => {
    const { found }: CaseDetail = res.locals.detail;
    await attempt(runtime, res, async () => {
      const back = await progressUrl(runtime, found.id);
      const url = new URL(await openCaseSession(runtime, found.id, back));
      return `${url.pathname}${url.search}`;
    });
  });

  router.post(`${PATH}/cancel`, linkOnly, formOnly, async (req: Request, res: Response) => {
    const { found }: CaseDetail = res.locals.detail;
    if (req.body?.confirm !== 'yes') {
      const message = 'Select the box to confirm that you want to cancel.';
      return sendPage(res.status(400), { fault: { field: 'confirm', message } });
    }
    await attempt(runtime, res, () => cancelCase(runtime, found.id));
  });

  // The address bar still has the action's path after a form is shown again with errors.
  for (const action of ['budget', 'cancel', 'accept', 'counter', 'decline', 'pay']) {
    router.get(`${PATH}/${action}`, linkOnly, (_req, res) => res.redirect(303, pageOf(res)));
  }
  router.use(() => {
    throw fail('not_found');
  });
  router.use(buyerErrorPage(runtime, 'brokerage'));
  return router;
}

/** Returns the buyer's offer in minor units, from `offer_cents`, or from `counter` as typed. Undefined if missing. */
function offeredCents(
  form: Readonly<Record<string, unknown>> | undefined,
  currency: string,
): Cents | undefined {
  const { offer_cents: cents, counter = '' } = form ?? {};
  if (cents === undefined) return parseAmount(String(counter), currency);
  return /^\d{1,15}$/.test(String(cents)) ? Number(cents) : undefined;
}

/** Returns how an amount is typed: `USD, such as 4,500.00`. */
function amountForm({ currency }: Money): string {
  return `${currency}, such as ${exampleAmount(currency)}`;
}

/** Lets only a valid link pass; anything else gets a page that says why not. */
function goodLinkOnly(runtime: ApiServices): RequestHandler<{ case_id: string }> {
  return async (req, res, next) => {
    const { pt } = req.query;
    const followed =
      typeof pt === 'string' ? await openProgressLink(runtime, req.params.case_id, pt) : 'invalid';
    if (followed === 'invalid') throw new PageError(403, INVALID_LINK);
    const { found } =
      followed === 'expired' ? await getCaseById(runtime, req.params.case_id) : followed;
    res.locals.partnerId = found.partnerId;
    if (followed === 'expired') throw new PageError(410, EXPIRED_LINK);
    const brand = await readBrand(runtime, found.partnerId);
    allowLogo(res, 'brokerage', brand.logoUrl);
    const now = await pageNowOf(runtime, found);
    res.locals.clock = clockWords(now, realPageNow(runtime));
    res.locals.brand = brand;
    res.locals.detail = followed;
    res.locals.token = pt;
    next();
  };
}

/** Runs a form's action, then redirects to its target or back to the page, so that reloading repeats nothing. */
async function attempt(
  runtime: ApiServices,
  res: Response,
  act: () => Promise<unknown>,
  form?: { done: string; field: FaultyField; typed: string },
): Promise<void> {
  const { found }: CaseDetail = res.locals.detail;
  let next: unknown;
  try {
    next = await act();
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code !== 'validation_error' && error.code !== 'conflict') throw thrown;
    // The case may have changed meanwhile: the page shows its current state.
    const now = await openProgressLink(runtime, found.id, res.locals.token);
    if (typeof now === 'object') res.locals.detail = now;
    const field = form && error.code === 'validation_error' ? form.field : null;
    const message = refusalText(error.code, error.message);
    return sendPage(res.status(error.status), {
      ...(await boughtBy(runtime, res.locals.detail)),
      fault: { field, message, ...(form && { typed: form.typed }) },
    });
  }
  const back = `${pageOf(res)}${form ? `&done=${form.done}` : ''}`;
  res.redirect(303, typeof next === 'string' ? next : back);
}

/** Returns the status of a deal's order and its documents; before that, its review and whether the domain is gone. */
async function boughtBy(
  runtime: ApiServices,
  { found }: CaseDetail,
): Promise<Pick<ProgressPage, 'orderStatus' | 'documents' | 'isGone' | 'review'>> {
  if (found.orderId === null) {
    if (agreedPrice(found) === null) return {};
    const [isGone, review] = await Promise.all([
      wasSoldSince(runtime.db.knex, found, found.createdAt),
      readDealReview(runtime, found),
    ]);
    return { isGone, review };
  }
  const [{ status }, documents] = await Promise.all([
    getOrder(runtime, found, found.orderId),
    listDocuments(runtime.db.knex, found, found.orderId),
  ]);
  return { orderStatus: status, documents };
}

function pageOf(res: Response): string {
  const { found }: CaseDetail = res.locals.detail;
  return `/brokerage/${found.id}?pt=${encodeURIComponent(res.locals.token)}`;
}

function sendPage(
  res: Response,
  more: Pick<ProgressPage, 'done' | 'fault' | 'orderStatus' | 'documents' | 'isGone' | 'review'>,
): void {
  const detail: CaseDetail = res.locals.detail;
  const brand: Brand = res.locals.brand;
  res
    .type('html')
    .send(
      progressPage({ ...detail, token: res.locals.token, clock: res.locals.clock, brand, ...more }),
    );
}

const EXPIRED_LINK: ErrorWords = {
  title: 'This link is no longer valid',
  text: 'The request was closed a while ago, and its page has been taken down.',
};

/** Returns a confirmation only if the case agrees: the URL could claim anything. */
function confirmationText(claim: unknown, { timeline }: CaseDetail): string | undefined {
  const last = timeline.at(-1)?.event;
  if (claim === 'budget' && last === 'raise_budget') return 'Your budget was raised.';
  return claim === 'counter' && last === 'counter' ? 'Your offer was sent.' : undefined;
}

/** Rewrites messages for people: `/budget must be more than …` is for programs. */
function refusalText(code: string, message: string): string {
  if (code === 'conflict')
    return 'Your request has changed in the meantime. Here is its current status.';
  return `${message.replace(/^\/budget /, 'The new budget ').replace(/^\/offer /, 'Your offer ')}.`;
}
