import { Type } from 'typebox';
import { recordAudit } from '../../../shared/audit/record-audit.ts';
import { resealBrowsers } from '../../../shared/oauth/reseal-browsers.ts';
import { resealCredentials } from '../../../shared/partners/reseal-credentials.ts';
import { resealEndpoints } from '../../../shared/webhooks/reseal-endpoints.ts';
import { opsAction } from '../action.ts';

export const secretsReencrypt = opsAction({
  name: 'secrets:reencrypt',
  summary: 'Encrypt every stored secret with the present SECRETS_KEY that a previous one encrypted',
  input: Type.Object({}),
  /** A secret that no key opens must not look like a rotation that is done. */
  exitCode: ({ unreadable }) => (unreadable === 0 ? 0 : 1),
  async run(context) {
    const credentials = await resealCredentials(context);
    const webhooks = await resealEndpoints(context);
    const browsers = await resealBrowsers(context);
    const parts = [credentials, webhooks, browsers];
    const answer = {
      credentials: credentials.resealed,
      webhooks: webhooks.resealed,
      browsers: browsers.resealed,
      unreadable: parts.reduce((sum, part) => sum + part.unreadable, 0),
    };
    const { actor, db, clock } = context;
    const entry = { actor, action: 'secrets:reencrypt', subject: 'secrets', after: answer };
    await db.transact((tx) => recordAudit(tx, entry, clock.now()));
    return answer;
  },
});
