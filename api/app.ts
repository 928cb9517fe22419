import express, { type Express } from 'express';
import { verifyAccessToken } from '../shared/people/oauth/access-token.ts';
import { tracingIsOn } from '../shared/platform/observability/tracing.ts';
import { PAYMENT_NEWS } from '../shared/sales/payment-news/apply-payment-news.ts';
import { applyPayoutReturn } from '../shared/settlement/payouts/send-payout.ts';
import type { ApiServices } from './compose-api.ts';
import { healthRouter } from './health/health-routes.ts';
import { announceDeprecations, DEPRECATIONS } from './http/deprecation.ts';
import { errorResponse, notFound } from './http/error-response.ts';
import { composeSteps } from './http/middleware.ts';
import { createCursors } from './http/pagination.ts';
import { measureRequests, requestId, traceRequests } from './http/request-telemetry.ts';
import { apiHeaders, requireHttps, securityHeaders } from './http/security-headers.ts';
import { oauthRouter } from './oauth/oauth-router.ts';
import { openApiRouter } from './openapi/openapi-router.ts';
import { opsRouter } from './ops/ops-router.ts';
import { accountRouter } from './pages/account/account-router.ts';
import { progressRouter } from './pages/brokerage/progress-router.ts';
import { checkoutRouter } from './pages/checkout/checkout-router.ts';
import { docsNotFound, docsRouter, missingPageForBrowsers } from './pages/docs/docs-router.ts';
import { docsSearchRouter } from './pages/docs/docs-search-page.ts';
import { statusRouter } from './pages/docs/status-page.ts';
import { assetsRouter } from './pages/kit/assets.ts';
import { mailboxRouter } from './pages/mail/mailbox-router.ts';
import { unsubscribeRouter } from './pages/mail/unsubscribe-router.ts';
import { partnerSiteRouter } from './pages/partner/partner-site-router.ts';
import { purchaseRouter } from './pages/purchase/purchase-router.ts';
import { registrantRouter } from './pages/registrant/registrant-router.ts';
import { createAuthenticator } from './partner/authentication.ts';
import { logPartnerRequests } from './partner/log-requests.ts';
import { partnerRouter, partnerRoutes } from './partner/partner-router.ts';
import { stripeWebhook } from './payments/stripe-webhook.ts';
import { publicRouter, publicRoutes } from './public/public-router.ts';
import { redirectRouter } from './referral/referral-redirect.ts';
import { toolsRouter } from './tools/tools-router.ts';

/** Creates the HTTP application over a runtime; it neither listens nor reads the environment. */
export function createApp(runtime: ApiServices, deprecations = DEPRECATIONS): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxy(runtime.config.trustProxy));

  app.use(composeSteps(requestId, measureRequests(runtime)));
  if (tracingIsOn()) app.use(traceRequests(runtime.config));
  app.use('/r', redirectRouter(runtime));
  const https = requireHttps(runtime.config);
  const context = {
    ...runtime,
    cursors: createCursors(runtime.tokens),
  };
  // Mounted first: every router that a request passes through costs time.
  const partnerSteps = composeSteps(
    logPartnerRequests(runtime),
    apiHeaders(),
    https,
    announceDeprecations(deprecations, 'partner'),
  );
  app.use(
    '/api/partner',
    partnerRouter(context, partnerSteps, createAuthenticator(runtime), partnerRoutes),
  );
  app.use(composeSteps(securityHeaders()));
  app.use(healthRouter(runtime));
  app.use(composeSteps(https));
  app.use(oauthRouter(runtime, context.limits));
  const verify = (token: string) => verifyAccessToken(runtime, token);
  app.use(toolsRouter(context, verify));
  const publicApi = publicRouter(context, verify, publicRoutes);
  app.use(['/api/v1', '/api'], composeSteps(announceDeprecations(deprecations, 'public')));
  app.use('/api/v1', publicApi);
  app.use('/api', publicApi);
  app.use(
    stripeWebhook(runtime, {
      ...PAYMENT_NEWS,
      payoutReturn: applyPayoutReturn,
    }),
  );
  app.use(openApiRouter({ baseUrl: runtime.config.baseUrl, deprecations }));
  app.use(docsRouter({ baseUrl: runtime.config.baseUrl, deprecations }));
  app.use(docsSearchRouter(runtime.config, context.limits));
  app.use(statusRouter(runtime, context.limits));
  app.use('/docs', docsNotFound);
  app.use(assetsRouter());
  app.use('/checkout', checkoutRouter(runtime));
  app.use('/brokerage', progressRouter(runtime));
  app.use('/registrant', registrantRouter(runtime));
  app.use('/purchase', purchaseRouter(runtime));
  app.use('/mail', unsubscribeRouter(runtime));
  if (runtime.config.nodeEnv !== 'production') app.use('/dev/mail', mailboxRouter(runtime));
  app.use('/account', accountRouter(runtime, context.limits));
  app.use('/partner', partnerSiteRouter(runtime));
  app.use('/ops', opsRouter(runtime));
  app.use(notFound);
  app.use(missingPageForBrowsers(runtime.log));
  app.use(errorResponse(runtime.log));
  return app;
}

/** Reads the TRUST_PROXY setting: a hop count or a list of addresses; empty trusts no proxy. */
function trustProxy(setting: string): number | string | boolean {
  if (setting === '') return false;
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}
