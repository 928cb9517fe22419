import { Type } from 'typebox';
import { checkLedger } from '../../../shared/ledger/check-ledger.ts';
import { opsAction } from '../action.ts';

export const ledgerCheck = opsAction({
  name: 'ledger:check',
  summary: 'Recount the whole ledger from the orders and the statements',
  input: Type.Object({}),
  exitCode: ({ ok }) => (ok ? 0 : 1),
  async run(context) {
    const { ok, entries, imbalances } = await checkLedger(context);
    return { ok, entries, imbalances };
  },
});
