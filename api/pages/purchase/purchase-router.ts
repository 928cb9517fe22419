import { type Request, type RequestHandler, type Response, Router } from 'express';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import { readBrand } from '../../../shared/messaging/mail/mail-settings.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { findBuyerDocument } from '../../../shared/sales/orders/buyer-documents.ts';
import { type PurchaseLink, readPurchaseLink } from '../../../shared/sales/orders/purchase-link.ts';
import { getOrderById, getOrderDetailById } from '../../../shared/sales/orders/read-orders.ts';
import { registrantPath } from '../../../shared/sales/orders/registrant-link.ts';
import { openClaimPath } from '../../../shared/sales/transfers/claim-domain.ts';
import { deliverySteps } from '../../../shared/sales/transfers/delivery-steps.ts';
import type { ApiServices } from '../../compose-api.ts';
import { sendDocument } from '../../http/pdf.ts';
import { buyerErrorPage } from '../kit/buyer-card.ts';
import { INVALID_LINK, PageError } from '../kit/error-page.ts';
import { allowLogo, pageHeaders } from '../kit/page-headers.ts';
import { clockWords, pageNowOf, realPageNow } from '../kit/page-time.ts';
import { type PurchasePage, purchasePage } from './purchase-page.ts';

type Detail = Awaited<ReturnType<typeof getOrderDetailById>>;

/** Serves the page where a buyer sees the status of a purchase: no account, a signed link. */
export function purchaseRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(pageHeaders('registrant'));

  router.get('/:token', linkOnly(runtime), async (req: Request, res: Response) => {
    const link: PurchaseLink = res.locals.link;
    const detail = await getOrderDetailById(runtime, link.orderId);
    const { order } = detail;
    res.locals.partnerId = order.partnerId;
    const [brand, now] = await Promise.all([
      readBrand(runtime, order.partnerId),
      pageNowOf(runtime, order),
    ]);
    allowLogo(res, 'registrant', brand.logoUrl);
    const page = purchasePage({
      order,
      steps: deliverySteps(runtime.config, detail, 'buyer'),
      documents: detail.documents,
      documentHref: (kind) => `${req.baseUrl}${req.path}/documents/${kind}`,
      action: await actionOf(runtime, detail, link),
      brand,
      now,
      testMode:
        order.environment === 'SANDBOX' &&
        `No real domain is sold. ${clockWords(now, realPageNow(runtime))}`,
    });
    res.type('html').send(page);
  });

  router.get(
    '/:token/documents/:kind',
    linkOnly(runtime),
    async (req: Request<{ kind: string }>, res: Response) => {
      const link: PurchaseLink = res.locals.link;
      const { id: orderId, ...order } = await getOrderById(runtime, link.orderId);
      res.locals.partnerId = order.partnerId;
      const document = await findBuyerDocument(runtime, { ...order, orderId }, req.params.kind);
      await sendDocument(runtime, res, document);
    },
  );

  router.use(() => {
    throw fail('not_found');
  });
  router.use(buyerErrorPage(runtime, 'registrant'));
  return router;
}

function linkOnly(runtime: ApiServices): RequestHandler<{ token: string; kind: string }> {
  return async (req, res, next) => {
    res.locals.route = `/purchase${req.route.path}`;
    const link = await readPurchaseLink(runtime.tokens, String(req.params.token));
    if (!link) throw new PageError(403, INVALID_LINK);
    res.locals.link = link;
    next();
  };
}

/** Returns the buyer's next step. Only someone who reads the buyer's mail may claim the domain. */
async function actionOf(
  runtime: ApiServices,
  { order, delivery }: Detail,
  { isMailed }: PurchaseLink,
): Promise<PurchasePage['action']> {
  if (order.actionRequired === 'registrant_required') {
    const href = await registrantPath(runtime.tokens, order.id);
    return { href, text: 'Enter the details' };
  }
  const claim = isMailed && (await openClaimPath(runtime, order.id));
  if (claim) return { href: claim, text: `Claim ${unicodeOf(order.domain)}` };
  if (delivery.method === 'account' && delivery.status === 'delivered') {
    return { href: `/account/domains/${order.domain}`, text: 'Manage the domain' };
  }
  return null;
}
