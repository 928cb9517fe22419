import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consolePages } from '../../api/ops/console/console-router.ts';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { mayRun, opsRoutes } from '../../api/ops/ops-routes.ts';
import { accountPages } from '../../api/pages/account/account-site.ts';
import { COMMANDS } from '../../api/pages/partner/site-command.ts';
import { siteCommands, sitePages } from '../../api/pages/partner/site-router.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { MEMBER_ROLES, type MemberRole } from '../../shared/people/members/member.ts';
import { SCOPES } from '../../shared/people/partners/credential.ts';
import { revokeCredential } from '../../shared/people/partners/credential-lifecycle.ts';
import { suspendPartner } from '../../shared/people/partners/partner-lifecycle.ts';
import { STAFF_ROLES, type StaffRole } from '../../shared/people/users/user.ts';
import { signIn } from '../../shared/people/users/user-session.ts';
import { givenAccount, PASSWORD } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  filledPath,
  givenConsoleMarket,
} from '../support/console-market.ts';
import { givenCredential, givenPartner, type PartnerFixture } from '../support/factories.ts';
import { sitePath } from '../support/partner-site.ts';

/** Who asks: a person with a session in every cookie and as a bearer token, a program, or nobody. */
interface Actor {
  name: string;
  staff?: StaffRole;
  member?: MemberRole;
  /** Somebody who is signed in. */
  person: boolean;
  headers: Record<string, string>;
}

/** What comes of a request, as far as access goes. */
type Verdict = 'in' | 'sign in first' | 'forbidden' | 'not there';

let app: TestApp;
let market: ConsoleMarket;
let stranger: PartnerFixture;
let revokedKey: string;
const actors: Actor[] = [];

beforeAll(async () => {
  app = await startTestApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  const { runtime } = app;
  market = await givenConsoleMarket(runtime, { url: 'http://127.0.0.1:40999/hook' });
  stranger = await givenPartner(runtime);
  const key = await givenCredential(runtime, market.partnerId);
  revokedKey = (await revokeCredential(runtime, 'test', key.keyId)).keyId;

  const person = async (name: string, about: Partial<Actor>, partnerId?: string) => {
    const { id, email } = about.staff
      ? await givenAccount(runtime, 'ops', about.staff)
      : await givenAccount(runtime, 'owner');
    if (partnerId) {
      const role = about.member ?? 'admin';
      const row = { partner_id: partnerId, user_id: id, role, created_at: new Date() };
      await runtime.db.knex('partner_members').insert(row);
    }
    const { token } = await signIn(runtime, { email, password: PASSWORD });
    const Cookie = `account_session=${token}; ops_session=${token}`;
    actors.push({ name, person: true, headers: { Cookie }, ...about });
  };
  for (const staff of STAFF_ROLES) await person(`staff ${staff}`, { staff });
  for (const member of MEMBER_ROLES) {
    await person(`member ${member}`, { member }, market.partnerId);
  }
  await person('admin of another partner', {}, stranger.partnerId);
  await person('owner', {});
  actors.push({ name: 'anonymous', person: false, headers: {} });
  // What a key of every scope is not given, none of fewer scopes is given.
  const all = { scopes: [...SCOPES] };
  const { keyId, secret } = await givenCredential(runtime, market.partnerId, all);
  const headers = { 'X-Service-Key-Id': keyId, Authorization: `Bearer ${secret}` };
  actors.push({ name: 'key of every scope', person: false, headers });
});
afterAll(() => app?.stop());

async function ask(actor: Actor, method: string, path: string): Promise<Verdict> {
  const answer = await fetch(app.url + path, {
    method,
    redirect: 'manual',
    headers: {
      Accept: 'text/html',
      ...(method === 'GET' ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
      ...actor.headers,
    },
    ...(method === 'GET' ? {} : { body: '' }),
  });
  await answer.arrayBuffer();
  const { status } = answer;
  if (status >= 500) throw new Error(`${status} for ${actor.name} at ${method} ${path}`);
  if (status === 401) return 'sign in first';
  if (/\/sign-in\?/.test(answer.headers.get('Location') ?? '')) return 'sign in first';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'not there' : 'in';
}

/** A row of the matrix: a request, and what each actor gets. */
interface Row {
  method: 'GET' | 'POST';
  path: string;
  expected(actor: Actor): Verdict | readonly Verdict[];
}

/** Asks every row as every actor, and lists where another verdict came than the tables say. */
async function differences(rows: readonly Row[]): Promise<unknown[]> {
  expect(rows.length).toBeGreaterThan(0);
  const found: unknown[] = [];
  for (const { method, path, expected } of rows) {
    const verdicts = await Promise.all(actors.map((actor) => ask(actor, method, path)));
    for (const [at, actor] of actors.entries()) {
      const wanted = [expected(actor)].flat();
      const got = verdicts[at] as Verdict;
      if (!wanted.includes(got)) found.push([method, path, actor.name, { got, wanted }]);
    }
  }
  return found;
}

const ofStaff = (inside: readonly Verdict[]) => (actor: Actor) =>
  actor.staff ? inside : (['sign in first', 'forbidden'] as const);
const ofMembers = (actor: Actor, roles: readonly MemberRole[]): Verdict => {
  if (!actor.person) return 'sign in first';
  if (!actor.member) return 'not there';
  return roles.includes(actor.member) ? 'in' : 'forbidden';
};
const get = (path: string, expected: Row['expected']): Row => ({ method: 'GET', path, expected });
const post = (path: string, expected: Row['expected']): Row => ({ method: 'POST', path, expected });

describe('the access matrix of pages and routes', () => {
  it('lets only staff open console pages', async () => {
    const rows = consolePages.map(({ path }) =>
      get(`/ops${filledPath(market, path)}`, ofStaff(['in', 'not there'])),
    );
    expect(await differences(rows)).toEqual([]);
  });

  it('lets only the roles of an action use its console form', async () => {
    const rows = [...actionForms()].flatMap(([name, { action }]) => {
      const expected = (actor: Actor) =>
        actor.staff && !mayRun(action, actor.staff)
          ? 'forbidden'
          : ofStaff(['in', 'not there'])(actor);
      return [get(`/ops/do/${name}`, expected), post(`/ops/do/${name}`, expected)];
    });
    expect(await differences(rows)).toEqual([]);
  });

  it('lets only the roles of a route call the ops API', async () => {
    const rows = opsRoutes.map(({ method, path, roles }) => ({
      method,
      path: `/ops/api${path.replace(/:\w+/g, 'x')}`,
      expected: (actor: Actor) =>
        actor.staff && !roles.includes(actor.staff)
          ? 'forbidden'
          : ofStaff(['in', 'not there'])(actor),
    }));
    expect(await differences(rows)).toEqual([]);
  });

  it('lets members open the partner site and hides it from everyone else', async () => {
    const site = `/partner/${market.partnerId}`;
    const pages = sitePages.map(({ path }) => `${site}/sandbox${sitePath(market, path)}`);
    const keys = [`${site}/keys`, `${site}/keys/${market.keyId}`];
    const rows = [site, ...pages, ...keys].map((path) =>
      get(path, (actor) => ofMembers(actor, MEMBER_ROLES)),
    );
    expect(await differences(rows)).toEqual([]);
  });

  it('lets only admins and developers of the partner change keys', async () => {
    const keys = `/partner/${market.partnerId}/keys`;
    const paths = ['', ...['change', 'rotate', 'revoke'].map((act) => `/${revokedKey}/${act}`)];
    const rows = paths.map((path) =>
      post(keys + path, (actor) => ofMembers(actor, ['admin', 'developer'])),
    );
    expect(await differences(rows)).toEqual([]);
  });

  it('forbids partner site commands to roles that are not allowed to run them', async () => {
    const rows = siteCommands.map(({ name, path }) =>
      post(`/partner/${market.partnerId}/sandbox${sitePath(market, path)}`, (actor) => {
        const verdict = ofMembers(actor, COMMANDS[name].roles);
        return verdict === 'in' ? ['in', 'not there'] : verdict;
      }),
    );
    if (siteCommands.length > 0) expect(await differences(rows)).toEqual([]);
  });

  it('shows a partner nothing of another partner under its own URL', async () => {
    const own = actors.filter(({ name }) => name === 'admin of another partner');
    for (const { path } of sitePages.filter((page) => page.path.includes(':'))) {
      const smuggled = `/partner/${stranger.partnerId}/sandbox${sitePath(market, path)}`;
      for (const actor of own) {
        expect([path, await ask(actor, 'GET', smuggled)]).toEqual([path, 'not there']);
      }
    }
    const [actor] = own as [Actor];
    const key = `/partner/${stranger.partnerId}/keys/${market.keyId}`;
    expect(await ask(actor, 'GET', key)).toBe('not there');
    for (const act of ['change', 'rotate', 'revoke']) {
      expect([act, await ask(actor, 'POST', `${key}/${act}`)]).toEqual([act, 'not there']);
    }
  });

  it('lets every signed-in user open account pages', async () => {
    const fixed = accountPages.map(({ path }) => path.replace('/:op', '/lock'));
    const paths = [
      ...fixed.filter((path) => !path.includes(':')),
      ...['/security', '/passkeys/new', '/confirm', '/authenticator'],
    ];
    const rows = paths.map((path) =>
      get(`/account${path}`, ({ person }) => (person ? 'in' : 'sign in first')),
    );
    expect(await differences(rows)).toEqual([]);
  });

  it('accepts no session and no unsigned secret in the partner API', async () => {
    const rows = partnerRoutes.map(({ method, path }) => ({
      method: method as 'GET',
      path: `/api/partner${path.replace(/:\w+/g, 'x')}`,
      expected: () => 'sign in first' as const,
    }));
    expect(await differences(rows)).toEqual([]);
  });

  // Must be last because it suspends the partner.
  it('makes a suspended partner read-only', async () => {
    await suspendPartner(app.runtime, 'test', market.partnerId);
    const { knex } = app.runtime.db;
    const changes = async () => Number((await knex('audit_log').count())[0]?.count);
    const before = await changes();
    const site = `/partner/${market.partnerId}`;
    const places = [`${site}/sandbox`, `${site}/live`];
    const keys = ['', ...['change', 'rotate', 'revoke'].map((act) => `/${market.keyId}/${act}`)];
    const rows = [
      ...keys.map((path) => post(`${site}/keys${path}`, (actor) => ofMembers(actor, []))),
      ...places.flatMap((place) =>
        siteCommands.map(({ path }) =>
          post(place + sitePath(market, path), (actor) => ofMembers(actor, [])),
        ),
      ),
      get(`${site}/keys`, (actor) => ofMembers(actor, MEMBER_ROLES)),
      // The commands above removed some of what the pages show.
      ...sitePages.map(({ path }) =>
        get(`${site}/sandbox${sitePath(market, path)}`, (actor) =>
          actor.member ? ['in', 'not there'] : ofMembers(actor, MEMBER_ROLES),
        ),
      ),
    ];
    expect(await differences(rows)).toEqual([]);
    expect(await changes()).toBe(before);
  });
});
