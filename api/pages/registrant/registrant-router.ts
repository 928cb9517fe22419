import { type Request, type RequestHandler, type Response, Router } from 'express';
import { readRegistrant } from '../../../shared/domains/registrants/read-registrant.ts';
import { draftOf } from '../../../shared/domains/registrants/registrant.ts';
import { readBrand } from '../../../shared/messaging/mail/mail-settings.ts';
import { type FieldError, fail } from '../../../shared/platform/errors.ts';
import { isOpenOrder, type Order } from '../../../shared/sales/orders/order.ts';
import {
  registrantOfOrder,
  registrantRulesFor,
  setRegistrant,
} from '../../../shared/sales/orders/order-registrant.ts';
import { getOrderById } from '../../../shared/sales/orders/read-orders.ts';
import { readRegistrantLink } from '../../../shared/sales/orders/registrant-link.ts';
import type { ApiServices } from '../../compose-api.ts';
import { toServiceError } from '../../http/error-response.ts';
import { formFields } from '../../http/form-body.ts';
import { limitedForm } from '../../http/limited-form.ts';
import { buyerErrorPage } from '../kit/buyer-card.ts';
import { type ErrorWords, INVALID_LINK, PageError } from '../kit/error-page.ts';
import { allowLogo, pageHeaders } from '../kit/page-headers.ts';
import { clockWords, pageNowOf, realPageNow } from '../kit/page-time.ts';
import { draftOfForm, formOf, type RegistrantForm } from '../kit/registrant-form.ts';
import { registrantPage } from './registrant-page.ts';
import { verifyRouter } from './verify-router.ts';

const PATH = '/:token';

/** Serves the page where a buyer enters the registrant of an order's domain: no account, a signed link. */
export function registrantRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const linkOnly = openOrderOnly(runtime);
  router.use(pageHeaders('registrant'), (_req, res, next) => {
    res.locals.route = `/registrant${PATH}`;
    next();
  });

  router.use(verifyRouter(runtime));

  router.get(PATH, linkOnly, async (req: Request, res: Response) => {
    const order: Order = res.locals.order;
    const known = await registrantOfOrder(runtime, order.id);
    const { buyerName, buyerEmail, buyerCountry } = order;
    const typed = known
      ? formOf(draftOf(known))
      : { name: buyerName ?? '', email: buyerEmail, country: buyerCountry ?? '' };
    const isSaved = known !== undefined && req.query.saved === '1';
    await sendPage(runtime, res, { typed, faults: [], isKnown: known !== undefined, isSaved });
  });

  router.post(PATH, linkOnly, readableForm(runtime), async (req: Request, res: Response) => {
    const order: Order = res.locals.order;
    const typed: RegistrantForm = res.locals.typed;
    const rules = await registrantRulesFor(runtime.tlds, order.domain);
    try {
      const registrant = readRegistrant(draftOfForm(typed), rules, '');
      await runtime.db.transact((uow) => setRegistrant(uow, runtime, order.id, registrant));
    } catch (thrown) {
      const error = toServiceError(thrown);
      // The order was delivered or refunded in this moment.
      if (error.code === 'conflict') throw new PageError(410, OVER);
      if (error.code !== 'validation_error') throw thrown;
      const faults = error.details as FieldError[];
      const isKnown = (await registrantOfOrder(runtime, order.id)) !== undefined;
      await sendPage(runtime, res.status(422), { typed, faults, isKnown, isSaved: false });
      return;
    }
    res.redirect(303, `${pathOf(req)}?saved=1`);
  });

  router.use(() => {
    throw fail('not_found');
  });
  router.use(buyerErrorPage(runtime, 'registrant'));
  return router;
}

/** Lets only a valid link pass, while its order is not delivered yet. */
function openOrderOnly(runtime: ApiServices): RequestHandler {
  return async (req, res, next) => {
    const orderId = await readRegistrantLink(runtime.tokens, String(req.params.token));
    if (orderId === undefined) throw new PageError(403, INVALID_LINK);
    const order = await getOrderById(runtime, orderId);
    res.locals.partnerId = order.partnerId;
    if (!isOpenOrder(order.status)) throw new PageError(410, OVER);
    res.locals.order = order;
    next();
  };
}

/** Returns the handlers that read this page's form. */
function readableForm(runtime: ApiServices): RequestHandler[] {
  return [
    ...limitedForm(runtime, 'registrant', runtime.config.limitProgressPage),
    (req, res, next) => {
      const sent = Object.entries(formFields(req));
      res.locals.typed = Object.fromEntries(sent.filter(([, value]) => typeof value === 'string'));
      next();
    },
  ];
}

const pathOf = ({ baseUrl, path }: Request) => `${baseUrl}${path}`;

async function sendPage(
  runtime: ApiServices,
  res: Response,
  state: {
    typed: RegistrantForm;
    faults: readonly FieldError[];
    isKnown: boolean;
    isSaved: boolean;
  },
): Promise<void> {
  const order: Order = res.locals.order;
  const brand = await readBrand(runtime, order.partnerId);
  allowLogo(res, 'registrant', brand.logoUrl);
  const clock = clockWords(await pageNowOf(runtime, order), realPageNow(runtime));
  const page = registrantPage({
    ...state,
    domain: order.domain,
    rules: await registrantRulesFor(runtime.tlds, order.domain),
    action: pathOf(res.req),
    brand,
    testMode: order.environment === 'SANDBOX' && `No real domain is registered. ${clock}`,
  });
  res.type('html').send(page);
}

const OVER: ErrorWords = {
  title: 'Nothing to fill in anymore',
  text: 'The domain was delivered, or the purchase was reversed.',
};
