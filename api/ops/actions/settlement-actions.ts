import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { fail } from '../../../shared/platform/errors.ts';
import {
  readSettlementRun,
  readSettlementRunPage,
  type SettlementRunPage,
} from '../../../shared/settlement/statements/read-settlement-runs.ts';
import { requestSettlementRun } from '../../../shared/settlement/statements/run-settlements.ts';
import {
  markSettlementPaid,
  reverseSettlementPayment,
} from '../../../shared/settlement/statements/statement-payment.ts';
import { ANY_TEXT } from '../../http/validate.ts';
import { settlementView } from '../../partner/settlement-routes.ts';
import {
  DANGEROUS,
  DEFAULT_LIMIT,
  EnvironmentField,
  EVERYONE,
  FINANCE,
  HARMLESS,
  limitField,
  type OpsAnswer,
  opsAction,
  route,
} from '../ops-action.ts';

const RunInput = Type.Object({
  environment: EnvironmentField,
  period: Type.Optional(
    Type.String({ description: 'A month, such as 2026-11. Use this or until.' }),
  ),
  until: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Close everything up to this time. Years 1970 to 9999.',
    }),
  ),
  partner: Type.Optional(Type.String({ description: 'Only this partner (ptr_...).' })),
});

export const settlementRun = opsAction({
  name: 'settlement:run',
  summary: 'Close the settlement periods of all partners or of one',
  input: RunInput,
  async run(context, { environment, period, until, partner }) {
    const run = await requestSettlementRun(context, context.actor, {
      environment,
      period,
      until: until === undefined ? undefined : new Date(until),
      partnerId: partner,
    });
    return runView({ run, rows: [], next: null });
  },
});

const settlementRunStatus = opsAction({
  name: 'settlement:run-status',
  summary: 'Show a settlement run and the statements it has closed so far',
  input: Type.Object({
    run: Type.String({ description: 'Run ID (run_...).' }),
    limit: limitField(),
    after: Type.Optional(
      Type.String({
        description: 'Start after this partner (`next_after` of the previous response).',
      }),
    ),
  }),
  async run(context, { run, limit = DEFAULT_LIMIT, after = null }) {
    return runView(await readSettlementRunPage(context, run, { after, limit }));
  },
});

export const settlementMarkPaid = opsAction({
  name: 'settlement:mark-paid',
  summary: 'Record that a closed settlement was paid',
  input: Type.Object({
    id: Type.String({ description: 'Settlement ID (stl_...).' }),
    reference: Type.String({ description: "The payment's reference." }),
  }),
  async run(context, { id, reference }) {
    const paid = await markSettlementPaid(context, context.actor, { settlementId: id, reference });
    return {
      id: paid.id,
      status: paid.status,
      amount_owed_cents: paid.amountOwed.amount,
      currency: paid.amountOwed.currency,
      paid_at: paid.paidAt,
      reference: paid.reference,
    };
  },
});

export const settlementReversePayment = opsAction({
  name: 'settlement:reverse-payment',
  summary: 'Record that the payment of a settlement was returned; the settlement is unpaid again',
  input: Type.Object({
    id: Type.String({ description: 'Settlement ID (stl_...).' }),
    reference: Type.String({ description: "The return's reference." }),
    reason: Type.Optional(
      Type.String({ maxLength: 500, ...ANY_TEXT, description: 'Why it came back.' }),
    ),
  }),
  async run(context, { id, reference, reason = null }) {
    const reversed = await reverseSettlementPayment(context, context.actor, {
      settlementId: id,
      reference,
      reason,
    });
    return {
      id: reversed.id,
      status: reversed.status,
      amount_owed_cents: reversed.amountOwed.amount,
      currency: reversed.amountOwed.currency,
      reference: reversed.reference,
    };
  },
});

/** Returns a run with one entry per partner and the statements closed for it; if there are many partners, one page. */
function runView({ run, rows, next }: SettlementRunPage): OpsAnswer {
  return {
    run_id: run.id,
    environment: run.environment,
    period: run.period,
    until: run.until,
    partner_id: run.partnerId,
    status: run.status,
    created_at: run.createdAt,
    finished_at: run.finishedAt,
    partners: rows.map(({ partnerId, state, statements }) => ({
      partner_id: partnerId,
      state,
      statements: statements.map(settlementView),
    })),
    ...(next !== null && { next_after: next }),
  };
}

const LOOK_EVERY_MS = 200;
const LONGEST_WAIT_MS = 30 * MINUTE;

/** The HTTP action as a command, which can also wait until the run is finished. */
export const settlementRunAndWait = opsAction({
  name: settlementRun.name,
  summary: settlementRun.summary,
  input: Type.Object({
    ...RunInput.properties,
    wait: Type.Optional(
      Type.Boolean({ description: 'Wait until the workers have finished, and print the result.' }),
    ),
  }),
  async run(context, { wait, ...request }) {
    const asked = await settlementRun.run(context, request);
    if (!wait) return asked;
    const runId = String(asked.run_id);
    const deadline = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const run = await readSettlementRun(context, runId);
      if (run.status === 'completed') return settlementRunStatus.run(context, { run: runId });
      if (performance.now() > deadline) {
        throw fail('service_unavailable', {
          message: `The run ${runId} is ${run.status} after ${LONGEST_WAIT_MS / MINUTE} minutes. Are the workers running? Follow it with settlement:run-status.`,
        });
      }
      await sleep(LOOK_EVERY_MS);
    }
  },
});

export const settlementRoutes = [
  route('POST', '/settlement-runs', 202, settlementRun, FINANCE, DANGEROUS),
  route('GET', '/settlement-runs/:run', 200, settlementRunStatus, EVERYONE, HARMLESS),
  route('POST', '/settlements/:id/mark-paid', 200, settlementMarkPaid, FINANCE, DANGEROUS),
  route(
    'POST',
    '/settlements/:id/reverse-payment',
    200,
    settlementReversePayment,
    FINANCE,
    DANGEROUS,
  ),
];
