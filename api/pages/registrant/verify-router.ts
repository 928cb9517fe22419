import { type Request, type Response, Router } from 'express';
import {
  readVerificationLink,
  type VerificationLink,
} from '../../../shared/domains/domain-registrants/verification-link.ts';
import { readVerification } from '../../../shared/domains/domain-registrants/verify-registrant.ts';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { verifyRegistrant } from '../../../shared/sales/orders/order-verification.ts';
import type { ApiServices } from '../../compose-api.ts';
import { limitedForm } from '../../http/limited-form.ts';
import { cardPage } from '../kit/card-page.ts';
import { INVALID_LINK, PageError } from '../kit/error-page.ts';

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
  const show = (res: Response, title: string, content: Markup) =>
    res.type('html').send(cardPage({ title, content }));

  router.get(PATH, async (req, res) => {
    res.locals.route = `/registrant${PATH}`;
    const found = await readVerification(runtime, await linkIn(req));
    if (!found) throw new PageError(410, OVER);
    const unicode = unicodeOf(found.domain);
    if (found.verification === 'verified') show(res, DONE, doneText(unicode));
    else
      show(
        res,
        'Confirm your email address',
        html`<p>You are the registrant of <strong>${unicode}</strong>. Confirm that our email reaches you.</p>
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
      show(res, DONE, doneText(unicodeOf(found.domain)));
    },
  );
  return router;
}

const DONE = 'Your address is confirmed';
const doneText = (domain: string) =>
  html`<p>Thank you. You don’t need to do anything else for <strong>${domain}</strong>.</p>`;

const OVER = {
  title: 'This link is out of date',
  text: 'The registrant of the domain has changed since. Open the link in the newest email.',
};
