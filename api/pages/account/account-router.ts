import { Router } from 'express';
import { fail } from '../../../shared/platform/errors.ts';
import { html } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formBody } from '../../http/form-body.ts';
import { sameOriginOnly } from '../../http/same-origin.ts';
import type { PublicLimits } from '../../public/public-limits.ts';
import { cardPage } from '../kit/card-page.ts';
import { errorPage } from '../kit/error-page.ts';
import { pageHeaders } from '../kit/page-headers.ts';
import { requireAccount } from './account-session.ts';
import { accountSignInRouter } from './account-sign-in.ts';
import { accountSiteRouter } from './account-site.ts';
import { claimRouter } from './claim-page.ts';
import { confirmRouter } from './confirm-page.ts';
import { invitationRouter } from './invitation-page.ts';
import { joinRouter } from './join-pages.ts';
import { passkeyRouter } from './passkey-pages.ts';
import { passwordRouter } from './password-pages.ts';
import { paymentRouter } from './payment-router.ts';
import { registrantChangeRouter } from './registrant-change-pages.ts';
import { secondFactorRouter } from './second-factor-pages.ts';
import { securityRouter } from './security-page.ts';
import { createSignInSlots } from './sign-in-slots.ts';
import { signUpRouter } from './sign-up-pages.ts';
import { stopTransferRouter } from './stop-transfer-page.ts';

/** Room for the maximum number of domains in an operation; each line end takes six characters. */
const MAX_BULK_FORM = '300kb';

/** Serves users' own pages under `/account`: signing in, links in mails, and account security. */
export function accountRouter(runtime: ApiServices, limits: PublicLimits): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const takeSlot = createSignInSlots(runtime);
  router.use(pageHeaders('account'), sameOriginOnly(runtime.config));
  router.use('/bulk', requireAccount(runtime), formBody(MAX_BULK_FORM));
  router.use(formBody());
  router.use((req, res, next) => {
    res.locals.route = `/account${req.path}`;
    next();
  });
  router.use(accountSignInRouter(runtime, takeSlot));
  router.use(passwordRouter(runtime, takeSlot));
  router.use(invitationRouter(runtime, takeSlot));
  router.use(joinRouter(runtime, takeSlot));
  router.use(signUpRouter(runtime, takeSlot));
  router.use(claimRouter(runtime, takeSlot));
  router.use(stopTransferRouter(runtime, takeSlot));
  router.use(confirmRouter(runtime, takeSlot));
  router.use('/payments', paymentRouter(runtime));
  router.use(registrantChangeRouter(runtime));
  router.use(accountSiteRouter(runtime, limits));
  router.use(securityRouter(runtime));
  router.use(passkeyRouter(runtime));
  router.use(secondFactorRouter(runtime));
  router.use((_req, res) => {
    res.locals.route = '/account/*';
    throw fail('not_found');
  });
  router.use(
    errorPage({
      log: runtime.log,
      render: ({ title, text }, _res, error) =>
        cardPage({
          title,
          content: html`<p>${error?.status === 404 || error?.status === 403 ? error.message : text}</p>
<p class="other"><a href="/account">Go to your account</a></p>`,
        }),
    }),
  );
  return router;
}
