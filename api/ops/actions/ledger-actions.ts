import { Type } from 'typebox';
import {
  checkLedger,
  checkRecentLedger,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import { EVERYONE, HARMLESS, opsAction, route } from '../ops-action.ts';

export const ledgerCheck = opsAction({
  name: 'ledger:check',
  summary: 'Check the ledger against orders and statements: new entries only, or all of them',
  input: Type.Object({
    full: Type.Optional(
      Type.Boolean({
        description: 'Check the whole ledger. Takes about a minute for a million orders.',
      }),
    ),
  }),
  exitCode: ({ ok }) => (ok ? 0 : 1),
  async run(context, { full }) {
    const report = full
      ? { ...(await checkLedger(context)), since: null }
      : await checkRecentLedger(context);
    const { ok, entries, imbalances, since } = report;
    return { ok, entries, imbalances, ...(since && { since: since.toISOString() }) };
  },
});

export const ledgerRoutes = [route('GET', '/ledger/check', 200, ledgerCheck, EVERYONE, HARMLESS)];
