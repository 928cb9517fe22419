import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { cancelSession } from '../../../shared/checkout/cancel-session.ts';
import { confirmPayment, refreshPayment } from '../../../shared/checkout/confirm-payment.ts';
import { pay } from '../../../shared/checkout/pay.ts';
import { readSessionForPage, type SessionForPage } from '../../../shared/checkout/read-session.ts';
import { returnUrlWithStatus } from '../../../shared/checkout/session.ts';
import { readFormToken, readLinkToken } from '../../../shared/checkout/session-link.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { isId } from '../../../shared/platform/ids.ts';
import {
  encodeClick,
  readClickCookie,
  verifyClick,
} from '../../../shared/referral/click-cookie.ts';
import { countCheckoutView } from '../../../shared/referral/count-checkout.ts';
import type { Runtime } from '../../../shared/runtime.ts';
import { callerBucket } from '../../http/address-bucket.ts';
import { toServiceError } from '../../http/error-response.ts';
import { refuseUnstorable } from '../../http/json-body.ts';
import { createLimiter } from '../../http/rate-limit.ts';
import { checkoutHeaders } from './headers.ts';
import { readBuyer, readCard } from './payment-form.ts';
import { CheckoutLinkError, checkoutErrorPage } from './refusal.ts';
import { checkoutLinks, sendCheckoutPage } from './send-page.ts';

const MAX_FORM = '10kb';

/** The hosted payment page. Every answer to a form is a redirect, or the form again with what was wrong. */
export function checkoutRouter(runtime: Runtime): Router {
  const { config, tokens } = runtime;
  const limiter = createLimiter(runtime.redis, config, 'checkout', config.limitCheckout);
  const looks = createLimiter(runtime.redis, config, 'checkout-look', config.limitCheckout);
  const router = Router({ caseSensitive: true, strict: true });
  router.use(checkoutHeaders);

  /** Lets only a good link pass. */
  const linkOnly: RequestHandler<{ id: string }> = async (req, res, next) => {
    res.locals.route = `/checkout${req.route.path}`;
    const token = req.query.pt;
    const good =
      isId('checkoutSession', req.params.id) && typeof token === 'string'
        ? await readLinkToken(tokens, req.params.id, token)
        : 'invalid';
    if (good !== 'good') throw new CheckoutLinkError(good);
    res.locals.token = token;
    next();
  };

  /** Lets only a form of ours pass, from addresses that don't send too many. */
  const formOnly: RequestHandler<{ id: string }> = async (req, res, next) => {
    await limiter.take(callerBucket(req));
    const form = { ...req.body };
    refuseUnstorable(form);
    const shown = await readFormToken(tokens, req.params.id, String(form.form ?? ''));
    if (!shown) throw new CheckoutLinkError('form');
    res.locals.form = form;
    res.locals.shown = shown;
    next();
  };
  const form = [
    express.urlencoded({ extended: false, inflate: false, limit: MAX_FORM }),
    linkOnly,
    formOnly,
  ];

  /** The click on a referral link that the browser remembers, as the session keeps it. */
  const clickOf = async (req: Request<{ id: string }>) => {
    const click = await verifyClick(tokens, readClickCookie(req.get('Cookie')));
    return click && encodeClick(click);
  };
  const open = async (req: Request<{ id: string }>) =>
    readSessionForPage(runtime, req.params.id, await clickOf(req));
  const toPage = (req: Request<{ id: string }>, res: Response) =>
    res.redirect(303, checkoutLinks(req.params.id, res.locals.token).self);

  /** Asks the provider, unless this session has had its share: the page then shows what we know. */
  const ask = async (sessionId: string) => {
    try {
      await looks.take(sessionId);
    } catch (thrown) {
      if (toServiceError(thrown).code !== 'rate_limited') throw thrown;
      return undefined;
    }
    return refreshPayment(runtime, sessionId);
  };

  router.get('/:id', linkOnly, async (req, res) => {
    const opened = await open(req);
    await countCheckoutView(runtime, opened.session, await clickOf(req));
    await sendCheckoutPage(runtime, res, opened);
  });

  router.post('/:id/pay', form, async (req: Request<{ id: string }>, res: Response) => {
    const fields = res.locals.form as Record<string, unknown>;
    const opened = await open(req);
    const { collects } = runtime.payments(opened.session.environment);
    const { buyer, errors } = readBuyer(fields);
    const typed = collects === 'card_form' ? readCard(fields, runtime.clock.now()) : null;
    const faults = { ...errors, ...typed?.errors };
    if (Object.keys(faults).length > 0) {
      return sendCheckoutPage(runtime, res, opened, { buyer, errors: faults });
    }
    const links = checkoutLinks(req.params.id, res.locals.token);
    const outcome = await pay(runtime, {
      sessionId: opened.session.id,
      shown: res.locals.shown,
      buyer,
      card: typed?.card ?? null,
      referralCode: await clickOf(req),
      returnUrl: config.baseUrl + links.resume,
      cancelUrl: config.baseUrl + links.self,
    });
    if (outcome.kind === 'repriced') {
      return sendCheckoutPage(runtime, res, await open(req), { buyer, shown: res.locals.shown });
    }
    const away = outcome.kind === 'step' && urlOf(outcome.step);
    if (away) return res.redirect(303, away);
    toPage(req, res);
  });

  router.post('/:id/confirm', form, async (req: Request<{ id: string }>, res: Response) => {
    await confirmPayment(runtime, req.params.id, res.locals.form.answer === 'approve');
    toPage(req, res);
  });

  /** Where a provider's page sends the buyer, and where a page that waits looks again. */
  router.get('/:id/return', linkOnly, async (req, res) => {
    await ask(req.params.id);
    toPage(req, res);
  });

  router.post('/:id/return', form, async (req: Request<{ id: string }>, res: Response) => {
    const step = await ask(req.params.id);
    const away = step && urlOf(step);
    if (away) return res.redirect(303, away);
    toPage(req, res);
  });

  router.post('/:id/cancel', form, async (req: Request<{ id: string }>, res: Response) => {
    const cancelled = await cancelSession(runtime, req.params.id);
    // A confirmation that waits is refused with it.
    if (cancelled) await confirmPayment(runtime, req.params.id, false);
    const { session }: SessionForPage = await open(req);
    const target = session.cancelUrl ?? session.returnUrl;
    if (session.status !== 'cancelled' || target === null) return toPage(req, res);
    const back = returnUrlWithStatus(target, session, 'cancelled');
    res.redirect(303, back);
  });

  // The address bar still names the action after a form came back with what was wrong.
  for (const path of ['/:id/pay', '/:id/confirm', '/:id/cancel'])
    router.get(path, linkOnly, toPage);
  router.use(() => {
    throw fail('not_found');
  });
  router.use(checkoutErrorPage(runtime.log));
  return router;
}

function urlOf(step: { status: string; url?: string | null }): string | null {
  return step.url ?? null;
}
