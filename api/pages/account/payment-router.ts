import { type Request, type RequestHandler, type Response, Router } from 'express';
import { fail, ServiceError } from '../../../shared/platform/errors.ts';
import { isId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import {
  cancelRenewal,
  confirmRenewalPayment,
  findOwnRenewal,
  payRenewal,
  refreshRenewalPayment,
} from '../../../shared/sales/renewals/pay-renewal.ts';
import {
  findLastPayer,
  findRenewalDocument,
  readRenewalForPage,
} from '../../../shared/sales/renewals/read-renewals.ts';
import type { Renewal } from '../../../shared/sales/renewals/renewal.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { sendDocument } from '../../http/pdf.ts';
import { createLimiter } from '../../http/rate-limit.ts';
import { readBuyer, readCard } from '../checkout/payment-form.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import { requireAccount, signedInOf } from './account-session.ts';
import { type PaymentRetry, paymentLinks, sendPaymentPage } from './payment-page.ts';

type PaymentRequest = Request<{ id: string }>;

/** Serves the payment pages for what owners buy for their domains, below `/account/payments`. */
export function paymentRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const tries = createLimiter(
    runtime.redis,
    runtime.config,
    'checkout',
    runtime.config.limitCheckout,
  );
  const own: RequestHandler<{ id: string }> = async (req, res, next) => {
    res.locals.route = `/account/payments${req.route.path}`;
    if (!isId('renewal', req.params.id)) throw fail('not_found');
    const renewal = await findOwnRenewal(runtime, signedInOf(res).user.id, req.params.id);
    res.locals.links = paymentLinks(renewal);
    next();
  };
  const page = [requireAccount(runtime), pageHeaders('checkout'), own];
  const form: RequestHandler<{ id: string }>[] = [
    ...page,
    async (_req, res, next) => {
      await tries.take(signedInOf(res).user.id);
      next();
    },
  ];
  const toPage = (res: Response) => res.redirect(303, res.locals.links.self);

  router.get('/:id', page, async (req: PaymentRequest, res: Response) => {
    const opened = await read(runtime, req, res);
    sendPaymentPage(runtime, res, opened, {
      payer: await knownPayer(runtime, res, opened.renewal),
    });
  });
  router.post('/:id/pay', form, (req: PaymentRequest, res: Response) =>
    payByForm(runtime, req, res),
  );
  router.post('/:id/confirm', form, async (req: PaymentRequest, res: Response) => {
    const approved = formFields(req).answer === 'approve';
    await confirmRenewalPayment(runtime, req.params.id, approved);
    toPage(res);
  });
  router.post('/:id/cancel', form, async (req: PaymentRequest, res: Response) => {
    const cancelled = await cancelRenewal(runtime, req.params.id);
    if (cancelled) return res.redirect(303, res.locals.links.domain);
    toPage(res);
  });
  router.post('/:id/return', form, async (req: PaymentRequest, res: Response) => {
    const step = await refreshRenewalPayment(runtime, req.params.id);
    const away = step?.status === 'requires_confirmation' ? step.url : null;
    if (away !== null) return res.redirect(303, away);
    toPage(res);
  });
  /** The provider's page sends the owner here, and a waiting page refreshes here. */
  router.get('/:id/return', page, async (req: PaymentRequest, res: Response) => {
    await refreshRenewalPayment(runtime, req.params.id);
    toPage(res);
  });
  router.get(
    '/:id/documents/:kind',
    page,
    async (req: Request<{ id: string; kind?: string }>, res: Response) => {
      const { id, kind = '' } = req.params;
      const { user } = signedInOf(res);
      await sendDocument(runtime, res, await findRenewalDocument(runtime, user.id, id, kind));
    },
  );
  // The address bar still has the action's path after a form is shown again with errors.
  for (const path of ['/:id/pay', '/:id/confirm', '/:id/cancel']) {
    router.get(path, page, (_req: PaymentRequest, res: Response) => toPage(res));
  }
  return router;
}

function read(runtime: ApiServices, req: PaymentRequest, res: Response) {
  return readRenewalForPage(runtime, signedInOf(res).user.id, req.params.id);
}

async function knownPayer(runtime: ApiServices, res: Response, renewal: Renewal) {
  const { id, email } = signedInOf(res).user;
  const { payerName: name, payerCountry: country } = renewal;
  if (name !== null && country !== null) return { email, name, country };
  return { email, ...(await findLastPayer(runtime, id)) };
}

/** Pays with the submitted form, or shows it again with its errors, or with the current price. */
async function payByForm(runtime: ApiServices, req: PaymentRequest, res: Response): Promise<void> {
  const { user } = signedInOf(res);
  const fields = formFields(req);
  const again = async (retry: PaymentRetry) =>
    sendPaymentPage(runtime, res, await read(runtime, req, res), retry, true);
  const { collects } = runtime.payments('LIVE');
  const { buyer: payer, errors } = readBuyer({ ...fields, email: user.email });
  const typed = collects === 'card_form' ? readCard(fields, runtime.clock.now()) : null;
  const keepsCard = fields.keep_card === 'yes';
  const faults = { ...errors, ...typed?.errors };
  if (Object.keys(faults).length > 0) return again({ payer, keepsCard, errors: faults });
  const shown = readShown(fields.shown);
  const { baseUrl } = runtime.config;
  const { links } = res.locals;
  try {
    const outcome = await payRenewal(runtime, user.id, {
      renewalId: req.params.id,
      shown,
      payer,
      card: typed?.card ?? null,
      keepsCard,
      returnUrl: baseUrl + links.resume,
      cancelUrl: baseUrl + links.self,
    });
    if (outcome.kind === 'repriced') return await again({ payer, keepsCard, shown });
    const step = outcome.kind === 'step' ? outcome.step : undefined;
    const away = step?.status === 'requires_confirmation' ? step.url : null;
    res.redirect(303, away ?? links.self);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error;
    await again({ payer, keepsCard, refusal: error.message });
  }
}

/** Returns the price that the form showed; a price that never matches if the form has none. */
function readShown(text: unknown): Money {
  const [, amount = '0', currency = 'XXX'] = /^(\d{1,12}) ([A-Z]{3})$/.exec(String(text)) ?? [];
  return new Money(Number(amount), currency);
}
