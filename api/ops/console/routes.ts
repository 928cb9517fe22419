import type { ConsolePage } from './console-page.ts';
import { auditPage, ledgerPage } from './pages/books.ts';
import { brokerageCasePage, brokeragePage } from './pages/brokerage.ts';
import { overviewPage } from './pages/desk.ts';
import { orderPage } from './pages/order.ts';
import { ordersPage, reviewPage, transfersPage } from './pages/order-lists.ts';
import { partnerPage, partnersPage } from './pages/partners.ts';
import { payoutsPage, repaymentsPage } from './pages/payouts.ts';
import { peoplePage, personPage } from './pages/people.ts';
import { searchPage } from './pages/search.ts';
import { settlementPage, settlementRunPage, settlementsPage } from './pages/settlements.ts';
import { endpointPage, webhooksPage } from './pages/webhooks.ts';

/** THE TABLE of the console's pages. What can be done on them is the table in `forms.ts`. */
export const consolePages: readonly ConsolePage[] = [
  overviewPage,
  searchPage,
  reviewPage,
  transfersPage,
  ordersPage,
  orderPage,
  brokeragePage,
  brokerageCasePage,
  payoutsPage,
  repaymentsPage,
  settlementsPage,
  settlementPage,
  settlementRunPage,
  webhooksPage,
  endpointPage,
  partnersPage,
  partnerPage,
  peoplePage,
  personPage,
  ledgerPage,
  auditPage,
];
