import { eventually } from '../../test/support/eventually.ts';
import { type OwnPostgres, startOwnPostgres } from '../../test/support/own-postgres.ts';
import { type Market, withMarket } from './market.ts';
import { sellThrough, type WriteFault } from './sell-through.ts';
import type { FaultRun } from './trial.ts';

export const readOnly: FaultRun = {
  id: 'F16',
  title: 'Postgres is read-only',
  async run(trial) {
    const postgres = await startOwnPostgres();
    try {
      await withMarket(trial, { postgres: postgres.url }, (market) =>
        sellThrough(trial, market, readOnlyAndSeen(postgres, market)),
      );
    } finally {
      await postgres.remove();
    }
  },
};

/** Also waits until every API process reports that it isn't ready, and later that it is again. */
function readOnlyAndSeen(postgres: OwnPostgres, market: Market): WriteFault {
  const untilAllSay = (check: string, status: number) =>
    Promise.all(
      market.urls.map((url) =>
        eventually(
          () => readiness(url),
          (told) => told.status === status && told.postgres === check,
          { withinMs: 60_000 },
        ),
      ),
    );
  return {
    async begin() {
      await postgres.readOnly(true);
      await untilAllSay('read_only', 503);
    },
    async end() {
      await postgres.readOnly(false);
      await untilAllSay('ok', 200);
    },
  };
}

async function readiness(url: string): Promise<{ status: number; postgres: string | undefined }> {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { checks: Record<string, string> };
  return { status: answer.status, postgres: checks.postgres };
}
