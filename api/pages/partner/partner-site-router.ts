import { type RequestHandler, Router } from 'express';
import { listPartnersOf } from '../../../shared/people/members/manage-members.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formBody } from '../../http/form-body.ts';
import { sameOriginOnly } from '../../http/same-origin.ts';
import { accountPage } from '../account/account-layout.ts';
import { requireAccount, signedInOf } from '../account/account-session.ts';
import { cardPage } from '../kit/card-page.ts';
import { errorPage } from '../kit/error-page.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import { partnerList } from './partner-key-pages.ts';
import { partnerKeyRouter } from './partner-key-router.ts';
import { siteRouter } from './site-router.ts';

/** Room for an endpoint's five headers of a kilobyte each, whose characters may each be encoded as three. */
const MAX_FORM = '20kb';

/** Serves the partner site under `/partner`: the choice of a partner, its API keys, and its pages. */
export function partnerSiteRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true });
  router.use(pageHeaders('account'), sameOriginOnly(runtime.config), formBody(MAX_FORM));
  router.use((_req, res, next) => {
    res.locals.route = '/partner/*';
    next();
  });
  router.use(requireAccount(runtime));

  router.get('/', async (_req, res) => {
    const { user } = signedInOf(res);
    const partners = await listPartnersOf(runtime, user.id);
    const [only, ...others] = partners;
    // With only one partner there is nothing to choose.
    if (only && others.length === 0) {
      res.redirect(303, `/partner/${only.partnerId}`);
      return;
    }
    const content = partnerList(partners);
    res.type('html').send(accountPage({ title: 'Partners', email: user.email, content }));
  });

  router.use('/:partner/keys', memberOf(runtime), partnerKeyRouter(runtime));
  router.use(siteRouter(runtime, memberOf(runtime)));
  router.use(() => {
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      render: ({ title, text }, _res, error) =>
        cardPage({
          title,
          content: html`<p>${error?.status === 403 ? error.message : text}</p>
<p class="other"><a href="/partner">Your partners</a> · <a href="/account/security">Your account</a></p>`,
        }),
    }),
  );
  return router;
}

const SECOND_FACTOR =
  'This partner requires a second factor. Set one up under your account, then sign in again with it.';

/**
 * Lets members of the partner in the path pass, with a second factor if the partner requires one; for others the
 * partner does not exist.
 * @throws not_found, forbidden
 */
function memberOf(runtime: ApiServices): RequestHandler {
  return async (req, res, next) => {
    const partners = await listPartnersOf(runtime, signedInOf(res).user.id);
    const partner = partners.find(({ partnerId }) => partnerId === req.params.partner);
    if (!partner) throw fail('not_found');
    if (partner.secondFactorRequired && signedInOf(res).user.secondFactorAt === null) {
      throw fail('forbidden', { message: SECOND_FACTOR });
    }
    res.locals.partner = partner;
    next();
  };
}
