import type { OpsStatement } from '../../../../shared/settlement/statements/read-statements.ts';
import { ledgerCheck } from '../../actions/ledger-actions.ts';
import {
  settlementMarkPaid,
  settlementReversePayment,
  settlementRun,
} from '../../actions/settlement-actions.ts';
import * as subjects from '../action-subjects.ts';
import { settlementRunPath } from '../console-paths.ts';
import { always, form } from './action-form.ts';

const statement = {
  section: 'settlements',
  given: ['id'],
  subject: subjects.settlement,
} as const;

type StatementState = Pick<OpsStatement, 'status' | 'amountOwedCents'>;

/** Actions on a statement, by its status; one that owes nothing needs no payment. */
export const STATEMENT_FORMS = {
  'settlement-mark-paid': form({
    ...statement,
    action: settlementMarkPaid,
    link: 'Mark as paid',
    tone: 'primary',
    offered: ({ status, amountOwedCents }: StatementState) =>
      status === 'closed' && amountOwedCents !== 0,
    title: (name) => `Mark ${name} as paid?`,
    effect: 'Records that the amount was paid, with the reference of the payment.',
    button: 'Mark as paid',
    done: (name) => `${name} is paid.`,
  }),
  'settlement-reverse-payment': form({
    ...statement,
    action: settlementReversePayment,
    link: 'Reverse payment',
    tone: 'danger',
    offered: ({ status }: StatementState) => status === 'paid',
    title: (name) => `Reverse the payment of ${name}?`,
    effect:
      'Records that its payment came back, with the reference of the return. The statement is closed and unpaid again.',
    button: 'Reverse payment',
    done: (name) => `The payment of ${name} is reversed.`,
  }),
};

export const SETTLEMENT_RUN_FORMS = {
  'settlement-run': form({
    action: settlementRun,
    section: 'settlements',
    given: [],
    without: ['until'],
    required: ['period'],
    hints: { period: 'A month, such as 2026-11.' },
    subject: subjects.noSubject('/ops/settlements'),
    link: 'Run settlement',
    offered: always,
    title: () => 'Run a settlement?',
    effect: 'Closes every period that is due. The current month is closed up to now.',
    button: 'Run settlement',
    done: () => 'The settlement run has started.',
    next: ({ run_id }) => settlementRunPath(String(run_id)),
  }),
};

export const LEDGER_FORMS = {
  'ledger-check': form({
    action: ledgerCheck,
    section: 'ledger',
    given: [],
    subject: subjects.noSubject('/ops/ledger'),
    link: 'Check now',
    offered: always,
    title: () => 'Check the ledger now?',
    effect:
      'Recounts what is new, or everything, from the orders and the statements. It changes nothing and may take a while.',
    button: 'Check ledger',
    done: (_name, { ok, entries }) =>
      ok ? `The ledger balances: ${entries} entries.` : 'The ledger does not balance. See below.',
  }),
};
