import { type Request, type Response, Router } from 'express';
import type { DomainRegistrant } from '../../../shared/domains/domain-registrants/domain-registrant.ts';
import {
  readVerificationLink,
  type VerificationLink,
} from '../../../shared/domains/domain-registrants/verification-link.ts';
import { readVerification } from '../../../shared/domains/domain-registrants/verify-registrant.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { verifyRegistrant } from '../../../shared/sales/orders/order-verification.ts';
import type { ApiServices } from '../../compose-api.ts';
import { limitedForm } from '../../http/limited-form.ts';
import { buyerBrand, buyerCard } from '../kit/buyer-card.ts';
import { INVALID_LINK, PageError } from '../kit/error-page.ts';
import { domainInText } from '../kit/page-parts.ts';

const PATH = '/verify/:token';

/**
 * Serves the page where a registrant confirms an address, with the link mailed to it. Opening it changes nothing, since
 * some mail programs open every link.
 */
export function verifyRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const linkIn = async ({ params }: Request): Promise<VerificationLink> => {
    const link = await readVerificationLink(runtime.tokens, String(params.token));
    if (link === undefined) throw new PageError(403, INVALID_LINK);
    return link;
  };
  const show = async (
    res: Response,
    { partnerId }: DomainRegistrant,
    title: string,
    content: Markup,
  ) => {
    const branded = await buyerBrand(runtime, res, 'registrant', partnerId);
    res.type('html').send(buyerCard({ title, content, branded }));
  };

  router.get(PATH, async (req, res) => {
    res.locals.route = `/registrant${PATH}`;
    const found = await readVerification(runtime, await linkIn(req));
    if (!found) throw new PageError(410, OVER);
    if (found.verification === 'verified') await show(res, found, DONE, doneText(found.domain));
    else
      await show(
        res,
        found,
        'Confirm your email address',
        html`<p>You are the registrant of ${domainInText(found.domain)}. Confirm that our email reaches you.</p>
<form method="post" action="${req.baseUrl}${req.path}"><button class="primary" type="submit">Confirm this address</button></form>`,
      );
  });

  router.post(
    PATH,
    ...limitedForm(runtime, 'registrant', runtime.config.limitProgressPage),
    async (req: Request, res: Response) => {
      res.locals.route = `/registrant${PATH}`;
      const found = await verifyRegistrant(runtime, await linkIn(req));
      if (!found) throw new PageError(410, OVER);
      await show(res, found, DONE, doneText(found.domain));
    },
  );
  return router;
}

const DONE = 'Your address is confirmed';
const doneText = (domain: string) =>
  html`<p>Thank you. You don’t need to do anything else for ${domainInText(domain)}.</p>`;

const OVER = {
  title: 'This link is out of date',
  text: 'The registrant of the domain has changed since. Open the link in the newest email.',
};
