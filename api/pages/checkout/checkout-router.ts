import { type Request, type RequestHandler, type Response, Router } from 'express';
import { fail, type ServiceError } from '../../../shared/platform/errors.ts';
import { isId } from '../../../shared/platform/ids.ts';
import { cancelSession, reopenSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import { returnUrlWithStatus } from '../../../shared/sales/checkout/checkout-session.ts';
import { readFormToken, readLinkToken } from '../../../shared/sales/checkout/checkout-token.ts';
import {
  confirmPayment,
  pay,
  refreshPayment,
} from '../../../shared/sales/checkout/pay-checkout.ts';
import {
  readSessionForPage,
  type SessionForPage,
} from '../../../shared/sales/checkout/read-checkout-session.ts';
import { findBuyerDocument } from '../../../shared/sales/orders/buyer-documents.ts';
import {
  encodeClick,
  REFERRAL_COOKIE,
  verifyClick,
} from '../../../shared/sales/referral/click-cookie.ts';
import { countCheckoutView } from '../../../shared/sales/referral/click-counts.ts';
import type { ApiServices } from '../../compose-api.ts';
import { cookieOf, hostCookie } from '../../http/cookies.ts';
import { toServiceError } from '../../http/error-response.ts';
import { formBody, formFields } from '../../http/form-body.ts';
import { sendDocument } from '../../http/pdf.ts';
import { callerBucket, createLimiter } from '../../http/rate-limit.ts';
import type { BrandedPage } from '../kit/brand-parts.ts';
import { canReadBrand } from '../kit/buyer-card.ts';
import { type ErrorWords, errorPage, PageError } from '../kit/error-page.ts';
import { allowLogo, pageHeaders } from '../kit/page-headers.ts';
import { checkoutLayout, checkoutLinks, sendCheckoutPage } from './checkout-page.ts';
import { errorView } from './checkout-states.ts';
import { premiumFaults, readBuyer, readCard } from './payment-form.ts';

/** Serves the hosted payment page. Every form is answered with a redirect, or with the form again and its errors. */
export function checkoutRouter(runtime: ApiServices): Router {
  const refresh = createPaymentRefresh(runtime);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(pageHeaders('checkout'));

  const linkOnly = goodLinkOnly(runtime);
  const form = [formBody(), linkOnly, ownFormOnly(runtime)];

  const open = (req: Request<{ id: string }>) => openSession(runtime, req);

  router.get('/:id', linkOnly, async (req, res) => {
    const opened = await open(req);
    await countCheckoutView(runtime, opened.session, await clickOf(runtime, req));
    await sendCheckoutPage(runtime, res, opened);
  });

  router.post('/:id/pay', form, (req: Request<{ id: string }>, res: Response) =>
    payByForm(runtime, req, res),
  );

  router.post('/:id/confirm', form, async (req: Request<{ id: string }>, res: Response) => {
    await confirmPayment(runtime, req.params.id, res.locals.form.answer === 'approve');
    toPage(req, res);
  });

  router.get(
    '/:id/documents/:kind',
    linkOnly,
    async (req: Request<{ id: string; kind?: string }>, res) => {
      const { session } = await open(req);
      const { kind = '' } = req.params;
      await sendDocument(runtime, res, await findBuyerDocument(runtime, session, kind));
    },
  );

  /** The provider's page sends the buyer here, and a waiting page refreshes here. */
  router.get('/:id/return', linkOnly, async (req, res) => {
    await refresh(req.params.id);
    toPage(req, res);
  });

  router.post('/:id/return', form, async (req: Request<{ id: string }>, res: Response) => {
    const step = await refresh(req.params.id);
    const away = step && urlOf(step);
    if (away) return res.redirect(303, away);
    toPage(req, res);
  });

  router.post('/:id/cancel', form, async (req: Request<{ id: string }>, res: Response) => {
    const cancelled = await cancelSession(runtime, req.params.id);
    // Canceling also declines a payment that waits for confirmation.
    if (cancelled) await confirmPayment(runtime, req.params.id, false);
    const { session }: SessionForPage = await open(req);
    const target = session.cancelUrl ?? session.returnUrl;
    if (session.status !== 'cancelled' || target === null) return toPage(req, res);
    const back = returnUrlWithStatus(target, session, 'cancelled');
    res.redirect(303, back);
  });

  router.post('/:id/reopen', form, async (req: Request<{ id: string }>, res: Response) => {
    await reopenSession(runtime, req.params.id);
    toPage(req, res);
  });

  // The address bar still has the action's path after a form is shown again with errors.
  for (const path of ['/:id/pay', '/:id/confirm', '/:id/cancel', '/:id/reopen'])
    router.get(path, linkOnly, toPage);
  router.use(() => {
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      words: ownWords,
      async render(words, res, error) {
        const branded = canReadBrand(error) ? await brandIfPossible(runtime, res) : undefined;
        return checkoutLayout({
          ...errorView(words),
          ...(branded && { branded }),
          assurance: false,
        });
      },
    }),
  );
  return router;
}

/** Lets only a valid link pass. */
function goodLinkOnly({ tokens }: ApiServices): RequestHandler<{ id: string }> {
  return async (req, res, next) => {
    res.locals.route = `/checkout${req.route.path}`;
    const token = req.query.pt;
    const good =
      isId('checkoutSession', req.params.id) && typeof token === 'string'
        ? await readLinkToken(tokens, req.params.id, token)
        : 'invalid';
    if (good === 'invalid') throw new PageError(403, INVALID_LINK);
    res.locals.sessionId = req.params.id;
    if (good === 'expired') throw new PageError(410, EXPIRED_LINK);
    res.locals.token = token;
    next();
  };
}

/** Lets only our own forms pass, from addresses that don't send too many. */
function ownFormOnly({ redis, config, tokens }: ApiServices): RequestHandler<{ id: string }> {
  const limiter = createLimiter(redis, config, 'checkout', config.limitCheckout);
  return async (req, res, next) => {
    await limiter.take(callerBucket(req));
    const form = formFields(req);
    const shown = await readFormToken(tokens, req.params.id, String(form.form ?? ''));
    if (!shown) throw new PageError(403, FOREIGN_FORM);
    res.locals.form = form;
    res.locals.shown = shown;
    next();
  };
}

/** Returns the referral click that the browser remembers, as the session stores it. */
async function clickOf({ tokens, config }: ApiServices, req: Request<{ id: string }>) {
  const click = await verifyClick(tokens, cookieOf(req, hostCookie(config, REFERRAL_COOKIE)));
  return click && encodeClick(click);
}

/** Asks the provider, unless this session has used up its limit: the page then shows what we know. */
function createPaymentRefresh(runtime: ApiServices) {
  const { redis, config } = runtime;
  const looks = createLimiter(redis, config, 'checkout-look', config.limitCheckout);
  return async (sessionId: string) => {
    try {
      await looks.take(sessionId);
    } catch (thrown) {
      if (toServiceError(thrown).code !== 'rate_limited') throw thrown;
      return undefined;
    }
    return refreshPayment(runtime, sessionId);
  };
}

/** Opens the session of a page, with the referral that its browser remembers. */
async function openSession(
  runtime: ApiServices,
  req: Request<{ id: string }>,
): Promise<SessionForPage> {
  return readSessionForPage(runtime, req.params.id, await clickOf(runtime, req));
}

/**
 * Returns the brand of an error page: of the partner whose good or expired link was opened. A made-up link must not tell
 * whose it is, and without Postgres the page still says what is wrong.
 */
async function brandIfPossible(
  runtime: ApiServices,
  res: Response,
): Promise<BrandedPage | undefined> {
  const { sessionId } = res.locals;
  if (sessionId === undefined) return undefined;
  try {
    const { brand, partnerName: name } = await readSessionForPage(runtime, sessionId, null);
    allowLogo(res, 'checkout', brand.logoUrl);
    return { brand, name };
  } catch {
    return undefined;
  }
}

function toPage(req: Request<{ id: string }>, res: Response): void {
  res.redirect(303, checkoutLinks(req.params.id, res.locals.token).self);
}

/** Pays with the submitted form, or shows it again with its errors, or with the current price. */
async function payByForm(
  runtime: ApiServices,
  req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  const form = res.locals.form as Record<string, unknown>;
  const opened = await openSession(runtime, req);
  const { collects } = runtime.payments(opened.session.environment);
  const { buyer, errors } = readBuyer(form);
  const typed = collects === 'card_form' ? readCard(form, runtime.clock.now()) : null;
  const unconfirmed = premiumFaults(form, opened.listing.premium?.renewalFee ?? null);
  const faults = { ...errors, ...typed?.errors, ...unconfirmed };
  if (Object.keys(faults).length > 0) {
    return sendCheckoutPage(runtime, res, opened, { premium: form.premium, buyer, errors: faults });
  }
  const links = checkoutLinks(req.params.id, res.locals.token);
  const outcome = await pay(runtime, {
    sessionId: opened.session.id,
    shown: res.locals.shown,
    buyer,
    card: typed?.card ?? null,
    referralCode: await clickOf(runtime, req),
    returnUrl: runtime.config.baseUrl + links.resume,
    cancelUrl: runtime.config.baseUrl + links.self,
  });
  if (outcome.kind === 'repriced') {
    return sendCheckoutPage(runtime, res, await openSession(runtime, req), {
      premium: form.premium,
      buyer,
      shown: res.locals.shown,
    });
  }
  const away = outcome.kind === 'step' && urlOf(outcome.step);
  if (away) return res.redirect(303, away);
  toPage(req, res);
}

function urlOf(step: { status: string; url?: string | null }): string | null {
  return step.url ?? null;
}

const EXPIRED_LINK: ErrorWords = {
  title: 'This payment link has expired',
  text: 'It can no longer be used to pay. If you already paid, your order is safe. Otherwise, ask for a new link where you found the domain.',
};

const INVALID_LINK: ErrorWords = {
  title: 'This payment link doesn’t work',
  text: 'It is incomplete or was changed. Open it again exactly as you received it, or ask for a new one.',
};

const FOREIGN_FORM: ErrorWords = {
  title: 'This form cannot be sent',
  text: 'It does not belong to this page, so nothing was charged. Open your payment link again.',
};

const NEVER_TWICE =
  'Open your payment link again to see where things stand. You are never charged twice.';

/** Returns this page's own error text, where it replaces the default. */
function ownWords({ status, details }: ServiceError): ErrorWords | undefined {
  const { reason } = (details ?? {}) as { reason?: string };
  if (reason === 'price_not_payable') {
    return {
      title: 'This price cannot be paid here',
      text: 'Our payment provider does not support fractions this small. You were not charged. Ask for another price where you found the domain.',
    };
  }
  if (reason === 'too_many_holds') {
    return {
      title: 'Many people are paying right now',
      text: 'You were not charged. Wait a few minutes, then go back and try again.',
    };
  }
  if (status === 404) return INVALID_LINK;
  return status >= 500
    ? { title: 'Something went wrong on our side', text: NEVER_TWICE }
    : undefined;
}
