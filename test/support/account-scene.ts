import { putOnMarket } from '../../shared/market/inventory/change-listings.ts';
import { parseDomain } from '../../shared/market/names/domain-name.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { Money } from '../../shared/platform/money.ts';
import { PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';
import { givenBulkJob, givenOwnerOf, newNames, type Owner } from './bulk.ts';
import { accessTokenFor } from './oauth.ts';
import { newVisitor, type Visitor } from './sign-in.ts';

/** An owner with data on every page of the account. */
export interface AccountScene extends Owner {
  /** A job that no worker has started. */
  jobId: string;
  clientId: string;
}

/** Creates an owner with domains that expire soon, have expired, are for sale and are sold; a job; a connected app. */
export async function givenAccountScene({ runtime }: TestApp): Promise<AccountScene> {
  const [stem = ''] = newNames(1);
  const owner = await givenOwnerOf(
    runtime,
    ['harbor', 'ending', 'expired', 'forsale', 'sold', 'münchen'].map((word) => `${word}-${stem}`),
  );
  const { userId } = owner;
  const { knex } = runtime.db;
  const now = runtime.clock.now();
  const domain = (word: string) => parseDomain(`${word}-${stem}`).ascii;
  const change = (word: string, row: object) =>
    knex('owned_domains')
      .where({ domain: domain(word) })
      .update(row);
  await change('harbor', { tags: ['shop', 'for anna'] });
  await change('ending', { expires_at: addMs(now, 12 * DAY), auto_renew: false });
  await change('expired', { expires_at: addMs(now, -3 * DAY), auto_renew: false });
  await runtime.db.transact((uow) =>
    putOnMarket(
      uow,
      'LIVE',
      ['forsale', 'sold'].map((word) => ({
        name: parseDomain(domain(word)),
        price: new Money(450_000, 'USD'),
        floorPrice: new Money(300_000, 'USD'),
        offersAccepted: true,
        category: null,
        description: null,
        keywords: [],
      })),
    ),
  );
  await knex('listings')
    .where({ domain: domain('sold') })
    .update({ status: 'sold' });
  const job = await givenBulkJob(runtime, owner, { op: 'lock', params: { enabled: true } });
  await accessTokenFor(runtime, { userId, scopes: ['pricing:read', 'domains:manage'] });
  const { client_id: clientId } = await knex('oauth_grants').where({ user_id: userId }).first();
  return { ...owner, jobId: job.id, clientId };
}

/** Signs the owner in with a browser without scripts. */
export async function signedInOwner(app: TestApp, { email }: { email: string }): Promise<Visitor> {
  const browser = newVisitor(app.url);
  const page = await browser.open('/account/sign-in');
  await browser.submit(page, 'Sign in', { email, password: PASSWORD });
  return browser;
}
