import { type Request, type RequestHandler, type Response, Router } from 'express';
import { findDocumentById } from '../../../shared/messaging/documents/read-documents.ts';
import type { PartnerOfMember } from '../../../shared/people/members/manage-members.ts';
import type { ApiServices } from '../../compose-api.ts';
import { sendDocument } from '../../http/pdf.ts';
import { accountCookie, signedInOf } from '../account/account-session.ts';
import { refusalOf } from '../account/form-refusal.ts';
import { brandStyles } from '../kit/brand-parts.ts';
import { flashMessages } from '../kit/flash.ts';
import { commandHandler, filledPath } from '../kit/page-command.ts';
import { pageHandler } from '../kit/page-group.ts';
import { allowLogo } from '../kit/page-headers.ts';
import { clockWords, pageInTimeOf, realPageNow } from '../kit/page-time.ts';
import { admitTo } from './admit-command.ts';
import { brandingCommands } from './branding-commands.ts';
import { clockCommands } from './clock-commands.ts';
import { countMemberRequest } from './count-member-request.ts';
import { changeDelivery } from './delivery-setting-command.ts';
import { brandingPage } from './pages/site-branding-page.ts';
import { clockPage } from './pages/site-clock-page.ts';
import { deliveriesPage, eventsPage } from './pages/site-delivery-pages.ts';
import { deliverySettingPage } from './pages/site-delivery-setting-page.ts';
import { orderPage, ordersPage } from './pages/site-order-pages.ts';
import { overviewPage } from './pages/site-overview-page.ts';
import { payoutPage, payoutsPage } from './pages/site-payout-pages.ts';
import { referralLinkPage, referralLinksPage } from './pages/site-referral-pages.ts';
import { requestPage, requestsPage } from './pages/site-request-pages.ts';
import { casePage, casesPage, checkoutPage, checkoutsPage } from './pages/site-sales-pages.ts';
import {
  settlementPage,
  settlementsPage,
  statementLinesFile,
} from './pages/site-settlement-pages.ts';
import { teamPage } from './pages/site-team-page.ts';
import {
  editEndpointPage,
  endpointPage,
  newEndpointPage,
  webhooksPage,
} from './pages/site-webhook-pages.ts';
import { type SiteCommand, takesAway } from './site-command.ts';
import { siteBase, siteDocument } from './site-layout.ts';
import type { SiteContext, SitePage, SiteView } from './site-page.ts';
import { teamCommands } from './team-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

/** The pages of a partner in an environment. All its members may see all of them. */
export const sitePages: readonly SitePage[] = [
  overviewPage,
  ordersPage,
  orderPage,
  settlementsPage,
  statementLinesFile,
  settlementPage,
  payoutsPage,
  payoutPage,
  checkoutsPage,
  checkoutPage,
  casesPage,
  casePage,
  referralLinksPage,
  referralLinkPage,
  webhooksPage,
  newEndpointPage,
  deliveriesPage,
  endpointPage,
  editEndpointPage,
  eventsPage,
  requestsPage,
  requestPage,
  clockPage,
  deliverySettingPage,
  brandingPage,
  teamPage,
];

/** The commands on these pages; `COMMANDS` says who may run them. */
export const siteCommands: readonly SiteCommand[] = [
  ...webhookCommands,
  ...clockCommands,
  changeDelivery,
  ...brandingCommands,
  ...teamCommands,
];

/** The pages that lead to commands which only revoke a right. */
const PAGES_THAT_SPARE_PARTNER: readonly SitePage[] = [
  overviewPage,
  webhooksPage,
  endpointPage,
  teamPage,
];

const ENVIRONMENTS = { sandbox: 'SANDBOX', live: 'LIVE' } as const;

const flash = flashMessages('partner_flash', accountCookie);

/** Serves the site of one partner, below `/partner`; `member` lets only members of the partner in the path pass. */
export function siteRouter(runtime: ApiServices, member: RequestHandler): Router {
  const router = Router({ caseSensitive: true });
  const at = '/:partner/:environment';
  const spared = countMemberRequest(runtime, { sparesPartner: true });
  router.get('/:partner', member, spared, (req, res) => {
    res.redirect(303, siteBase(String(req.params.partner), 'SANDBOX'));
  });
  for (const page of sitePages) {
    const sparesPartner = PAGES_THAT_SPARE_PARTNER.includes(page);
    const counted = countMemberRequest(runtime, { sparesPartner });
    router.get(at + page.path, knownEnvironment, member, counted, showPage(runtime, page));
  }
  for (const command of siteCommands) {
    const form = (req: Request) => filledPath(`/partner${at}${command.page.path}`, req.params);
    const admitted = admitTo(runtime, command.name, form);
    router.post(
      at + command.path,
      knownEnvironment,
      named(command.path),
      member,
      countMemberRequest(runtime, { sparesPartner: takesAway(command.name) }),
      admitted,
      runCommand(runtime, command),
    );
  }
  const counted = countMemberRequest(runtime);
  router.get(`${at}/documents/:document`, knownEnvironment, member, counted, async (req, res) => {
    res.locals.route = '/partner/:partner/:environment/documents/:document';
    const { owner } = contextOf(runtime, req, res);
    const id = String(req.params.document);
    await sendDocument(runtime, res, await findDocumentById(runtime.db.knex, { id, owner }));
  });
  return router;
}

const knownEnvironment: RequestHandler = (req, _res, next) => {
  next(Object.hasOwn(ENVIRONMENTS, String(req.params.environment)) ? undefined : 'route');
};

function contextOf(runtime: ApiServices, req: Request, res: Response): SiteContext {
  const { user } = signedInOf(res);
  const partner: PartnerOfMember = res.locals.partner;
  const { partnerId, commissionBps, affiliateId } = partner;
  const environment = ENVIRONMENTS[req.params.environment as keyof typeof ENVIRONMENTS];
  return {
    ...runtime,
    now: realPageNow(runtime),
    user,
    partner,
    owner: { partnerId, environment, keyId: user.id, commissionBps, affiliateId },
    base: siteBase(partnerId, environment),
  };
}

/** Returns the context of a page, which reads and shows data by its own clock; commands run in real time. */
async function inTimeOfPage(context: SiteContext, { time }: SitePage): Promise<SiteContext> {
  return time === 'real' ? context : pageInTimeOf(context, context.owner);
}

function showPage(runtime: ApiServices, page: SitePage): RequestHandler {
  const show = pageHandler(page, {
    contextOf: (req, res) => inTimeOfPage(contextOf(runtime, req, res), page),
    async send(view, req, res, context) {
      const done = await flash.take(runtime, req, res, context.user.id);
      sendView(res, context, view, { done });
    },
  });
  return (req, res, next) => {
    res.locals.route = `/partner/:partner/:environment${page.path}`;
    return show(req, res, next);
  };
}

function runCommand(runtime: ApiServices, command: SiteCommand): RequestHandler {
  return commandHandler(command, {
    contextOf: (req, res) => contextOf(runtime, req, res),
    contextOfPage: (context, page) => inTimeOfPage(context, page as SitePage),
    paramsOf: ({ params: { partner: _partner, environment: _environment, ...params } }) => params,
    refusalOf,
    async leave({ to, done }, res, { user }) {
      if (done) await flash.set(runtime, res, user.id, done);
      res.redirect(303, to);
    },
    send: (view, res, context, error) => sendView(res, context, view, { error }),
  });
}

function named(path: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = `/partner/:partner/:environment${path}`;
    next();
  };
}

function sendView(
  res: Response,
  context: SiteContext,
  { brand, ...view }: SiteView,
  said: { done?: string | undefined; error?: string | undefined },
): void {
  const { user, partner, owner, now } = context;
  const clock = clockWords(now, realPageNow(context));
  const frame = { partner, environment: owner.environment, email: user.email };
  if (brand) allowLogo(res, 'account', brand.logoUrl);
  const head = brand && brandStyles(brand);
  res.type('html').send(siteDocument({ ...view, ...frame, ...said, clock, head }));
}
