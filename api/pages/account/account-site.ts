import { type Request, type RequestHandler, type Response, Router } from 'express';
import { readBulkJob } from '../../../shared/domains/bulk/bulk-job-lifecycle.ts';
import { countOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { listPartnersOf } from '../../../shared/people/members/manage-members.ts';
import type { ApiServices } from '../../compose-api.ts';
import { sendReply } from '../../http/reply.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { progressEvents } from '../../public/bulk-progress-stream.ts';
import type { PublicLimits } from '../../public/public-limits.ts';
import { flashMessages } from '../kit/flash.ts';
import { commandHandler, filledPath } from '../kit/page-command.ts';
import { pageHandler } from '../kit/page-group.ts';
import { setPageHeaders } from '../kit/page-headers.ts';
import { realPageNow } from '../kit/page-time.ts';
import { accountPage } from './account-layout.ts';
import type { AccountCommand, AccountContext, AccountPage, AccountView } from './account-page.ts';
import { accountCookie, requireAccount, requireFresh, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { appsPage, revokeApp } from './pages/apps-page.ts';
import {
  chooseOperation,
  choosePage,
  editOperation,
  operationPage,
  reviewOperation,
  startOperation,
} from './pages/bulk-pages.ts';
import { addSigner, dnssecPage, removeSigner } from './pages/dnssec-page.ts';
import { changeDomain, domainChangePage } from './pages/domain-change-page.ts';
import { domainPage } from './pages/domain-page.ts';
import { domainsPage } from './pages/domains-page.ts';
import { cancelJob, jobPage, jobsPage } from './pages/job-pages.ts';
import { resendVerification } from './pages/registrant-pages.ts';
import {
  paymentsPage,
  removeCard,
  renewPage,
  restorePage,
  startRenewal,
  startRestore,
} from './pages/renewal-pages.ts';
import { showAuthCode, stopOwnTransfer, transferOutPage } from './pages/transfer-out-page.ts';

/** The pages with the signed-in user's domains, jobs and apps. */
export const accountPages: readonly AccountPage[] = [
  domainsPage,
  domainPage,
  domainChangePage,
  dnssecPage,
  transferOutPage,
  renewPage,
  restorePage,
  paymentsPage,
  choosePage,
  operationPage,
  jobsPage,
  jobPage,
  appsPage,
];

/** The commands on these pages. */
export const accountCommands: readonly AccountCommand[] = [
  chooseOperation,
  reviewOperation,
  editOperation,
  startOperation,
  changeDomain,
  addSigner,
  removeSigner,
  showAuthCode,
  stopOwnTransfer,
  cancelJob,
  revokeApp,
  resendVerification,
  startRenewal,
  removeCard,
  startRestore,
];

const flash = flashMessages('account_flash', accountCookie);

/** Serves the pages for an account's domains, jobs and apps, below `/account`. */
export function accountSiteRouter(runtime: ApiServices, limits: PublicLimits): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = requireAccount(runtime);
  const contextOf = (req: Request, res: Response): AccountContext => ({
    ...runtime,
    limits,
    now: realPageNow(runtime),
    ...signedInOf(res),
    from: signInOriginOf(req),
  });

  router.get('/', signedIn, async (_req, res) => {
    const { id } = signedInOf(res).user;
    const { total } = await countOwnedDomains(runtime, id);
    const elsewhere = total === 0 && (await listPartnersOf(runtime, id)).length > 0;
    res.redirect(303, elsewhere ? '/partner' : '/account/domains');
  });
  for (const page of accountPages) {
    const show = pageHandler(page, {
      contextOf,
      async send(view, req, res) {
        const { user } = signedInOf(res);
        sendView(res, view, { done: await flash.take(runtime, req, res, user.id) });
      },
    });
    router.get(page.path, signedIn, named(page.path), show);
  }
  for (const command of accountCommands) {
    const run = commandHandler(command, {
      contextOf,
      paramsOf: ({ params }) => params,
      refusalOf,
      async leave({ to, done }, res, { user }) {
        if (done) await flash.set(runtime, res, user.id, done);
        res.redirect(303, to);
      },
      send: (view, res, _context, error) => sendView(res, view, { error }),
    });
    const form = (req: Request) => filledPath(`/account${command.page.path}`, req.params);
    const fresh = command.dangerous ? [requireFresh(runtime, form)] : [];
    router.post(command.path, signedIn, named(command.path), fresh, run);
  }
  router.get('/jobs/:job/stream', signedIn, named('/jobs/:job/stream'), async (req, res) => {
    const job = await readBulkJob(runtime, signedInOf(res).user.id, String(req.params.job));
    const chunks = (signal: AbortSignal) => progressEvents(runtime, job, signal);
    await sendReply(res, { status: 200, live: { contentType: 'text/event-stream', chunks } });
  });
  return router;
}

function named(path: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = `/account${path}`;
    next();
  };
}

function sendView(
  res: Response,
  view: AccountView,
  said: { done?: string | undefined; error?: string | undefined },
): void {
  if (view.scripts?.includes('job-progress.js')) setPageHeaders(res, 'account-live');
  const { email } = signedInOf(res).user;
  res.type('html').send(accountPage({ ...view, ...said, email }));
}
