import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { findDocumentById } from '../../../shared/messaging/documents/read-documents.ts';
import { MAIL_KINDS } from '../../../shared/messaging/mail/mail.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { previewMail, showMail } from '../../../shared/operations/mail-catalogue/preview-mail.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { downloadPayoutFile } from '../../../shared/settlement/payouts/payout-files.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formBody } from '../../http/form-body.ts';
import { sendDocument } from '../../http/pdf.ts';
import { sendFile } from '../../http/reply.ts';
import { errorPage } from '../../pages/kit/error-page.ts';
import { pageHandler } from '../../pages/kit/page-group.ts';
import { realPageNow } from '../../pages/kit/page-time.ts';
import { sendMailFrame } from '../../pages/mail/mail-frame.ts';
import { payoutDownloadFile } from '../actions/payout-actions.ts';
import { assertMayRun } from '../ops-routes.ts';
import { requireStaff } from '../ops-session.ts';
import { type ConsolePage, consoleErrorPage, consoleLayout } from './console-page.ts';
import { brokerageCasePage, brokeragePage } from './pages/brokerage-pages.ts';
import { checkoutReviewPage } from './pages/checkout-review-page.ts';
import { importFormPage, importPage } from './pages/import-pages.ts';
import { auditPage, ledgerPage } from './pages/ledger-and-audit-pages.ts';
import { legalHoldsPage } from './pages/legal-hold-pages.ts';
import { listingsPage } from './pages/listing-pages.ts';
import {
  mailPage,
  mailsPage,
  mailTemplatePage,
  mailTemplatesPage,
  suppressionsPage,
} from './pages/mail-pages.ts';
import { marketSearchPage, searchMissesPage } from './pages/market-search-pages.ts';
import { offerPage, offersPage } from './pages/offer-pages.ts';
import { ordersPage, reviewPage, transfersPage } from './pages/order-list-pages.ts';
import { orderPage } from './pages/order-page.ts';
import { overviewPage } from './pages/overview-page.ts';
import { bulkJobPage, bulkJobsPage, ownersPage, transfersOutPage } from './pages/owner-pages.ts';
import { partnerClockPage, partnerPage, partnersPage } from './pages/partner-pages.ts';
import { disputesPage, paymentsPage, renewalsPage } from './pages/payment-pages.ts';
import { payoutFilesPage, payoutsPage, repaymentsPage } from './pages/payout-pages.ts';
import { failedSignInsPage, peoplePage, personPage } from './pages/people-pages.ts';
import { referralLinksPage, referralsPage } from './pages/referral-pages.ts';
import { refusedHoldsPage, registryMessagesPage } from './pages/registry-pages.ts';
import { screeningPage } from './pages/screening-page.ts';
import { searchPage } from './pages/search-page.ts';
import { settlementPage, settlementRunPage, settlementsPage } from './pages/settlement-pages.ts';
import { endpointPage, endpointsPage, replaysPage, webhooksPage } from './pages/webhook-pages.ts';
import { opsFlash, showActionForm, submitActionForm } from './submit-action.ts';
import { importBody, submitImport } from './submit-import.ts';

/** The console's pages. Their forms are in `forms/`. */
export const consolePages: readonly ConsolePage[] = [
  overviewPage,
  searchPage,
  reviewPage,
  checkoutReviewPage,
  screeningPage,
  transfersPage,
  ordersPage,
  orderPage,
  listingsPage,
  legalHoldsPage,
  importFormPage,
  importPage,
  offersPage,
  offerPage,
  brokeragePage,
  brokerageCasePage,
  paymentsPage,
  disputesPage,
  renewalsPage,
  payoutsPage,
  payoutFilesPage,
  repaymentsPage,
  registryMessagesPage,
  refusedHoldsPage,
  settlementsPage,
  settlementPage,
  settlementRunPage,
  referralsPage,
  referralLinksPage,
  webhooksPage,
  replaysPage,
  endpointsPage,
  endpointPage,
  mailsPage,
  suppressionsPage,
  mailTemplatesPage,
  mailTemplatePage,
  mailPage,
  marketSearchPage,
  searchMissesPage,
  partnersPage,
  partnerPage,
  partnerClockPage,
  ownersPage,
  transfersOutPage,
  bulkJobsPage,
  bulkJobPage,
  peoplePage,
  failedSignInsPage,
  personPage,
  ledgerPage,
  auditPage,
];

const MAX_FORM = '20kb';

/** Serves the console: its pages, and the forms that call the operators' actions. */
export function consoleRouter(runtime: ApiServices, pages: readonly ConsolePage[]): Router {
  const router = Router({ caseSensitive: true });
  const signedIn = requireStaff(runtime);
  for (const page of pages) router.get(page.path, signedIn, showPage(runtime, page));
  mailFrames(router, signedIn, runtime);
  router.get('/documents/:document', signedIn, async (req, res) => {
    res.locals.route = '/ops/documents/:document';
    const id = String(req.params.document);
    await sendDocument(runtime, res, await findDocumentById(runtime.db.knex, { id }));
  });
  router.get('/payouts/files/:file', signedIn, async (req, res) => {
    res.locals.route = '/ops/payouts/files/:file';
    assertMayRun(payoutDownloadFile, res.locals.staff);
    const { name, content } = await downloadPayoutFile(
      runtime,
      res.locals.actor,
      String(req.params.file),
    );
    sendFile(res, { contentType: 'application/xml', name, content: Buffer.from(content) });
  });
  router.post('/listings/import', signedIn, importBody, submitImport(runtime));
  router.get('/do/:form', signedIn, showActionForm(runtime));
  router.post('/do/:form', signedIn, formBody(MAX_FORM), submitActionForm(runtime));
  // People who mistype a path stay in the console.
  router.use((req, _res, next) => (wantsPage(req) ? signedIn(req, _res, next) : next('router')));
  router.use((_req, _res, next) => {
    next(fail('not_found', { message: 'There is no page at this address.' }));
  });
  router.use(errorAsPage(runtime));
  return router;
}

function showPage(runtime: ApiServices, page: ConsolePage): RequestHandler {
  const show = pageHandler(page, {
    contextOf: (_req, res) => ({
      ...runtime,
      actor: res.locals.actor,
      staff: res.locals.staff,
      now: realPageNow(runtime),
    }),
    async send(view, req, res) {
      const flash = await opsFlash.take(runtime, req, res, res.locals.actor);
      const { email, staff } = res.locals;
      res.type('html').send(consoleLayout({ ...view, email, staff, flash }));
    },
  });
  return (req, res, next) => {
    res.locals.route = `/ops${page.path}`;
    return show(req, res, next);
  };
}

/** Serves the content of the frames on the mail pages. */
function mailFrames(router: Router, signedIn: RequestHandler, runtime: ApiServices): void {
  router.get('/mail/templates/:kind/html', signedIn, async (req, res) => {
    res.locals.route = '/ops/mail/templates/:kind/html';
    const kind = MAIL_KINDS.find((each) => each === req.params.kind);
    if (kind === undefined) throw fail('not_found');
    sendMailFrame(res, (await previewMail({ config: runtime.config }, kind)).html);
  });
  router.get('/mail/:mail/html', signedIn, async (req, res) => {
    res.locals.route = '/ops/mail/:mail/html';
    const mail = await readMail(runtime, String(req.params.mail));
    sendMailFrame(res, (await showMail({ config: runtime.config }, mail)).html);
  });
}

function wantsPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

/** Shows errors on a page; scripts get the error envelope. */
function errorAsPage({ log }: ApiServices): ErrorRequestHandler {
  const showError = errorPage({
    log,
    render: (words, res, error) => {
      const { requestId = '', email, staff } = res.locals;
      return consoleErrorPage(words, error, { requestId, email, staff });
    },
  });
  return (thrown, req, res, next) => {
    if (wantsPage(req)) showError(thrown, req, res, next);
    else next(thrown);
  };
}
