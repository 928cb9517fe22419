import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../../../api/ops/console/console-router.ts';
import { actionForms } from '../../../../api/ops/console/forms/action-forms.ts';
import { mayRun } from '../../../../api/ops/ops-routes.ts';
import { STAFF_ROLES, type StaffRole } from '../../../../shared/people/users/user.ts';
import { startTestApp, type TestApp } from '../../../support/app.ts';
import { type ConsoleVisitor, givenVisitor } from '../../../support/console.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  filledPath,
  givenConsoleMarket,
} from '../../../support/console-market.ts';

let app: TestApp;
let market: ConsoleMarket;
/** What each role is offered across all pages: forms, the import, the queue dashboard. */
const offered = new Map<StaffRole, Set<string>>();

beforeAll(async () => {
  app = await startTestApp(CONSOLE_ENV);
  market = await givenConsoleMarket(app.runtime, { url: 'http://127.0.0.1:40999/hook' });
  for (const role of STAFF_ROLES) offered.set(role, await offersOf(await givenVisitor(app, role)));
});
afterAll(() => app?.stop());

async function offersOf(visitor: ConsoleVisitor): Promise<Set<string>> {
  const offers = new Set<string>();
  // The market has no settlement run, and the page of a run has no buttons.
  const known = consolePages.filter(({ path }) => !path.startsWith('/settlement-runs/'));
  const pages = known.map(({ path }) => filledPath(market, path));
  for (const path of [...pages, '/transfers?stage=failed', '/payouts?status=paid']) {
    const { status, text } = await visitor.visit(path);
    expect([path, status]).toEqual([path, 200]);
    for (const [, name = ''] of text.matchAll(/\/ops\/do\/([\w-]+)/g)) offers.add(name);
    if (text.includes('enctype="multipart/form-data"')) offers.add('import');
    if (text.includes('href="/ops/queues"')) offers.add('queues');
  }
  return offers;
}

describe('the console buttons', () => {
  it('include all available actions for an admin', () => {
    const all = offered.get('admin') ?? new Set();
    expect(all.size).toBeGreaterThan(20);
    for (const name of ['order-clear', 'payout-mark-paid', 'staff-invite', 'import', 'queues']) {
      expect([...all]).toContain(name);
    }
  });

  it.each(STAFF_ROLES)('include for %s only what the role may do', (role) => {
    const may = (name: string) => {
      if (name === 'queues') return ['admin', 'operator'].includes(role);
      const form = actionForms().get(name === 'import' ? 'listing-add' : name);
      return form !== undefined && mayRun(form.action, role);
    };
    const expected = [...(offered.get('admin') ?? [])].filter(may);
    expect([...(offered.get(role) ?? [])].sort()).toEqual(expected.sort());
    if (role === 'read_only') expect(expected).toEqual(['ledger-check']);
  });
});
