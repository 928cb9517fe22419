import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { readSettlementRun } from '../../../shared/settlements/read-run.ts';
import { opsAction } from '../action.ts';
import { RunInput, runView, settlementRun } from '../actions/settlements.ts';

const LOOK_EVERY_MS = 200;
const LONGEST_WAIT_MS = 30 * MINUTE;

/** As over HTTP, but a command can wait for the end. */
export const settlementRunAndWait = opsAction({
  name: settlementRun.name,
  summary: settlementRun.summary,
  input: Type.Object({
    ...RunInput.properties,
    wait: Type.Optional(
      Type.Boolean({ description: 'Wait until the workers have closed it, and print the result.' }),
    ),
  }),
  async run(context, { wait, ...request }) {
    const asked = await settlementRun.run(context, request);
    if (!wait) return asked;
    const runId = String(asked.run_id);
    const deadline = performance.now() + LONGEST_WAIT_MS;
    for (;;) {
      const run = await readSettlementRun(context, runId);
      if (run.status === 'completed') return runView(run);
      if (performance.now() > deadline) {
        throw fail('service_unavailable', {
          message: `The run ${runId} is ${run.status} after ${LONGEST_WAIT_MS / MINUTE} minutes. Are the workers running? settlement:run-status tells how it goes on.`,
        });
      }
      await sleep(LOOK_EVERY_MS);
    }
  },
});
