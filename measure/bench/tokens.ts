import { Pool } from 'undici';
import { createTestRuntime } from '../../test/support/runtime.ts';
import { startChild } from '../support/child.ts';
import { alternateServers, type Figure, inParallel, perSecond } from '../support/figures.ts';
import { givenCodes } from './support/oauth-codes.ts';
import { postForm } from './support/post-form.ts';

const REQUESTS = 300;
const CONCURRENCY = 8;
const PATH = '/api/oauth/token';

type Form = Record<string, string>;

/** Measures redeeming codes and refresh tokens against a bare Express route that takes the same forms. */
export async function benchTokens(): Promise<Figure[]> {
  const runtime = await createTestRuntime();
  const api = await startChild('measure/bench/support/api-process.ts', runtime.env);
  const bare = await startChild('measure/bench/support/bare-express-process.ts', {});
  try {
    let refresh: Form[] = [];
    const redeem = async () => {
      const forms = await givenCodes(runtime, REQUESTS);
      const { rate, answers } = await send(api.ready.port, forms);
      refresh = answers.map(({ refresh_token = '' }, index) => ({
        grant_type: 'refresh_token',
        client_id: forms[index]?.client_id ?? '',
        refresh_token,
      }));
      return rate;
    };
    const trade = async () => {
      const { rate, answers } = await send(api.ready.port, refresh);
      refresh = refresh.map((form, index) => ({
        ...form,
        refresh_token: answers[index]?.refresh_token ?? '',
      }));
      return rate;
    };
    const bareForms = Array.from({ length: REQUESTS }, () => ({ grant_type: 'refresh_token' }));
    const nothing = {
      child: bare,
      load: async () => (await send(bare.ready.port, bareForms)).rate,
    };
    const limitName = 'bare Express route answering a constant';
    const unit = 'exchanges/s';
    return [
      {
        name: `OAuth: code for tokens, ${CONCURRENCY} at once (PKCE, single use, grant and two tokens kept)`,
        unit,
        limitName,
        ...(await alternateServers(REQUESTS, { child: api, load: redeem }, nothing)),
      },
      {
        name: `OAuth: refresh token for new ones, ${CONCURRENCY} at once (rotation, reuse detection)`,
        unit,
        limitName,
        ...(await alternateServers(REQUESTS, { child: api, load: trade }, nothing)),
      },
    ];
  } finally {
    await Promise.all([api.stop(), bare.stop()]);
    await runtime.stop();
  }
}

async function send(
  port: number,
  forms: readonly Form[],
): Promise<{ rate: number; answers: Form[] }> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONCURRENCY });
  const answers: Form[] = [];
  try {
    const rate = await perSecond(forms.length, () =>
      inParallel(forms.length, CONCURRENCY, async (index) => {
        answers[index] = await postForm(pool, PATH, forms[index] ?? {});
      }),
    );
    return { rate, answers };
  } finally {
    await pool.close();
  }
}
