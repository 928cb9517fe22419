import { SingleBar } from 'cli-progress';
import { Type } from 'typebox';
import { resealChanges } from '../../../shared/domains/domain-registrants/change-registrant.ts';
import { resealRegistrantsOfDomains } from '../../../shared/domains/domain-registrants/registered-for.ts';
import { resealAuthCodes } from '../../../shared/domains/registrar/auth-codes.ts';
import { rebuildIndex } from '../../../shared/market/search/search-index.ts';
import { resealEndpoints } from '../../../shared/messaging/webhooks/manage-endpoint.ts';
import { recordAudit } from '../../../shared/people/audit/audit-log.ts';
import { resealBrowsers } from '../../../shared/people/oauth/oauth-records.ts';
import { resealCredentials } from '../../../shared/people/partners/credential-lifecycle.ts';
import { resealAuthenticators } from '../../../shared/people/users/second-factor.ts';
import { resealRegistrants } from '../../../shared/sales/orders/order-registrant.ts';
import { resealPayoutAccounts } from '../../../shared/settlement/payouts/payout-account.ts';
import { resealPayoutFiles } from '../../../shared/settlement/payouts/payout-files.ts';
import { EnvironmentField, opsAction } from '../ops-action.ts';

export const searchRebuild = opsAction({
  name: 'search:rebuild',
  summary: 'Rebuild the search index where it is missing or out of date; searches keep working',
  input: Type.Object({
    environment: EnvironmentField,
    all: Type.Optional(
      Type.Boolean({ description: 'Rebuild every listing, for example after a thesaurus change.' }),
    ),
  }),
  async run(context, { environment, all }) {
    const bar = new SingleBar({
      format: '{bar} {percentage}% | {value} of {total} written',
      stream: process.stderr,
      noTTYOutput: false,
      hideCursor: true,
      clearOnComplete: true,
    });
    const quiet = process.argv.includes('--json');
    try {
      const { written } = await rebuildIndex(context, {
        environment,
        all,
        onProgress: (soFar, total) => {
          if (soFar === 0 && !quiet) bar.start(total, 0);
          bar.update(soFar);
        },
      });
      await context.db.transact((uow) =>
        recordAudit(uow, {
          actor: context.actor,
          action: 'search:rebuild',
          subject: environment,
          after: { all: all ?? false, written },
        }),
      );
      return { environment, written };
    } finally {
      bar.stop();
    }
  },
});

export const secretsReencrypt = opsAction({
  name: 'secrets:reencrypt',
  summary: 'Re-encrypt secrets with the current SECRETS_KEY',
  input: Type.Object({}),
  /** Fails if no key opens a secret: that must not look like a completed rotation. */
  exitCode: ({ unreadable }) => (unreadable === 0 ? 0 : 1),
  async run(context) {
    const { db, actor } = context;
    const credentials = await resealCredentials(context);
    const webhooks = await resealEndpoints(context);
    const browsers = await resealBrowsers(context);
    const authCodes = await resealAuthCodes(context);
    const authenticators = await resealAuthenticators(context);
    const payoutAccounts = await resealPayoutAccounts(context);
    const payoutFiles = await resealPayoutFiles(context);
    const registrants = await resealRegistrants(context);
    const domainRegistrants = await resealRegistrantsOfDomains(context);
    const registrantChanges = await resealChanges(context);
    const parts = [
      credentials,
      webhooks,
      browsers,
      authCodes,
      authenticators,
      payoutAccounts,
      payoutFiles,
      registrants,
      domainRegistrants,
      registrantChanges,
    ];
    const answer = {
      credentials: credentials.resealed,
      webhooks: webhooks.resealed,
      browsers: browsers.resealed,
      auth_codes: authCodes.resealed,
      authenticators: authenticators.resealed,
      payout_accounts: payoutAccounts.resealed,
      payout_files: payoutFiles.resealed,
      registrants: registrants.resealed + domainRegistrants.resealed + registrantChanges.resealed,
      unreadable: parts.reduce((sum, part) => sum + part.unreadable, 0),
    };
    const entry = { actor, action: 'secrets:reencrypt', subject: 'secrets', after: answer };
    await db.transact((uow) => recordAudit(uow, entry));
    return answer;
  },
});
