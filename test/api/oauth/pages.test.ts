import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createUser } from '../../../shared/people/users/user-account.ts';
import { HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { readable } from '../../support/console.ts';
import { givenOwner } from '../../support/oauth.ts';
import { authorizeLink, givenClient, REDIRECT } from '../../support/oauth-client.ts';
import { newVisitor, startSignInApp, type VisitedPage } from '../../support/sign-in.ts';

let app: TestApp;
let clientId: string;
beforeAll(async () => {
  app = await startSignInApp();
  clientId = await givenClient(app);
});
afterAll(() => app.stop());

/** A user who followed a client's link. */
async function atSignIn(more: Record<string, string> = {}, id = clientId) {
  const owner = await givenOwner(app.runtime);
  const visitor = newVisitor(app.url);
  const page = await visitor.open(authorizeLink(app, id, more).link);
  const password = PASSWORD;
  const enter = (at: VisitedPage, fields = {}, headers = {}) =>
    visitor.press(at, 'Sign in', { email: owner.email, password, ...fields }, headers);
  return { owner, visitor, page, enter };
}

const queryOf = ({ url }: VisitedPage) => Object.fromEntries(url.searchParams);

describe('the sign-in page', () => {
  it('names the client', async () => {
    const { page } = await atSignIn();
    expect(page.status).toBe(200);
    expect(readable(page.text)).toContain('Example agent wants to access your account.');
  });

  it('cannot be framed or cached, and loads nothing from other hosts', async () => {
    const { page } = await atSignIn();
    const policy = page.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(page.headers.get('Cache-Control')).toBe('no-store');
    expect(page.text).not.toMatch(/<script>|(?:src|href)="(?:https?:)?\/\//);
  });

  it('shows the same error for a wrong password and an unknown address', async () => {
    const { page, enter } = await atSignIn();
    const wrong = await enter(page, { password: 'a wrong password' });
    const unknown = await enter(page, { email: 'nobody@example.com' });
    for (const answer of [wrong, unknown]) {
      expect(answer.status).toBe(401);
      expect(readable(answer.text)).toContain('The email address or the password is wrong.');
    }
    const masked = (answer: VisitedPage) =>
      answer.text.replaceAll(/(?:value|data-options)="[^"]*"/g, '');
    expect(masked(wrong)).toBe(masked(unknown));
    expect(readable((await enter(wrong)).text)).toContain('Connect Example agent');
  });

  it('accepts the address in any case, and staff accounts', async () => {
    const email = 'staff-of-sign-in@example.com';
    await createUser(app.runtime, 'test', { email, password: PASSWORD, role: 'ops' });
    const { page, enter } = await atSignIn();
    const next = await enter(page, { email: ' STAFF-of-sign-in@Example.com ' });
    expect(readable(next.text)).toContain(email);
  });

  it('escapes the input', async () => {
    const { page, enter } = await atSignIn();
    const answer = await enter(page, { email: '"><script>alert(1)</script>' });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('<script>');
  });

  it('rejects text that cannot be stored, and forms that are too large', async () => {
    const { page, enter } = await atSignIn();
    expect((await enter(page, { email: 'a\u0000b' })).status).toBe(400);
    expect((await enter(page, { email: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('allows ten attempts a minute per network address, across all accounts', async () => {
    const limited = await startSignInApp({ RATE_LIMITS: 'on' });
    const owner = await givenOwner(limited.runtime);
    const visitor = newVisitor(limited.url);
    const page = await visitor.open(authorizeLink(limited, await givenClient(limited)).link);
    for (let count = 0; count < 10; count += 1) {
      const email = `somebody-${count}@example.com`;
      const answer = await visitor.press(page, 'Sign in', { email, password: 'wrong password' });
      expect(answer.status).toBe(401);
    }
    const right = { email: owner.email, password: PASSWORD };
    const refused = await visitor.press(page, 'Sign in', right);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(readable(refused.text)).toMatch(/Too many attempts\. Wait \d+ seconds/);
    await limited.stop();
  });

  it('redirects to the client with an error when the user cancels', async () => {
    const { page, visitor } = await atSignIn();
    const answer = await visitor.press(page, 'Cancel and go back');
    expect(answer.url.href.startsWith(REDIRECT)).toBe(true);
    expect(queryOf(answer)).toMatchObject({
      error: 'access_denied',
      state: 'the state',
      iss: app.url,
    });
  });
});

describe('the consent page', () => {
  it('names the client, its redirect host, the account and the scopes', async () => {
    const id = await givenClient(app, {
      name: 'Portfolio <b>helper</b>',
      redirectUris: ['https://agent.example/callback'],
    });
    const { page, enter, owner } = await atSignIn(
      { redirect_uri: 'https://agent.example/callback', scope: 'pricing:read domains:manage' },
      id,
    );
    const { text } = await enter(page);
    const words = readable(text);
    expect(text).not.toContain('<b>');
    expect(words).toContain('Connect Portfolio <b>helper</b> ?');
    expect(words).toContain('sent to agent.example .');
    expect(words).toContain(owner.email);
    expect(words).toContain('See prices');
    expect(words).toContain('Manage your domains');
  });

  it('lists only requested scopes, and describes native clients by kind', async () => {
    const { page, enter } = await atSignIn();
    const words = readable((await enter(page)).text);
    expect(words).not.toContain('Manage your domains');
    expect(words).toContain('a program on this computer (127.0.0.1:4999)');

    const redirect_uri = 'com.example.app:/callback';
    const id = await givenClient(app, { redirectUris: [redirect_uri] });
    const native = await atSignIn({ redirect_uri }, id);
    const asked = await native.enter(native.page);
    expect(readable(asked.text)).toContain('an app on this device (com.example.app)');
    const answer = await native.visitor.press(asked, 'Allow');
    expect(answer.url.href).toMatch(/^com\.example\.app:\/callback\?code=/);
  });

  it('redirects with access_denied when the user denies access', async () => {
    const { page, enter, visitor } = await atSignIn();
    const answer = await visitor.press(await enter(page), 'Deny');
    expect(queryOf(answer)).toMatchObject({ error: 'access_denied', state: 'the state' });
    expect(answer.url.searchParams.has('code')).toBe(false);
  });

  it('needs no sign-in for a second client while the user is signed in', async () => {
    const { page, enter, visitor, owner } = await atSignIn();
    await visitor.press(await enter(page), 'Allow');
    const second = await givenClient(app, { name: 'Second agent' });
    const next = await visitor.open(authorizeLink(app, second).link);
    expect(readable(next.text)).toContain('Connect Second agent');
    expect(readable(next.text)).toContain(owner.email);
    app.runtime.clock.advance(12 * HOUR);
    const later = await visitor.open(authorizeLink(app, second).link);
    expect(later.text).toContain('<h1>Sign in</h1>');
  });

  it('is shown again for each authorization of the same client', async () => {
    const { page, enter, visitor } = await atSignIn();
    await visitor.press(await enter(page), 'Allow');
    const again = await visitor.open(authorizeLink(app, clientId).link);
    expect(readable(again.text)).toContain('Connect Example agent');
  });

  it('lets another user sign in, and switches the session to them', async () => {
    const { page, enter, visitor, owner } = await atSignIn();
    const asked = await enter(page);
    const other = await givenOwner(app.runtime);
    const form = await visitor.open(`${asked.url.pathname}?account=other`);
    const next = await visitor.press(form, 'Sign in', {
      email: other.email,
      password: PASSWORD,
    });
    expect(readable(next.text)).toContain(other.email);
    expect(readable(next.text)).not.toContain(owner.email);
    const answer = await visitor.press(next, 'Allow');
    expect(answer.url.searchParams.has('code')).toBe(true);
    const again = await visitor.open(authorizeLink(app, clientId).link);
    expect(readable(again.text)).toContain(other.email);
  });

  it('asks for sign-in again with prompt=login, for the same or another user', async () => {
    for (const somebodyElse of [false, true]) {
      const { page, enter, visitor, owner } = await atSignIn();
      await visitor.press(await enter(page), 'Allow');
      const form = await visitor.open(authorizeLink(app, clientId, { prompt: 'login' }).link);
      expect(form.text).toContain('<h1>Sign in</h1>');
      const person = somebodyElse ? await givenOwner(app.runtime) : owner;
      const next = await visitor.press(form, 'Sign in', {
        email: person.email,
        password: PASSWORD,
      });
      expect(readable(next.text)).toContain(person.email);
    }
  });
});

describe('OAuth pages in the wrong hands', () => {
  it('return an error in another browser', async () => {
    const { page, enter } = await atSignIn();
    const asked = await enter(page);
    for (const at of [page, asked]) {
      const stranger = await newVisitor(app.url).open(at.url.pathname);
      expect(stranger.status).toBe(400);
      expect(stranger.text).toContain('This sign-in has expired');
    }
  });

  it('reject forms from other sites', async () => {
    const { page, enter, visitor } = await atSignIn();
    const evil = { Origin: 'https://evil.example' };
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' };
    // An attacker controls this header, too.
    const authorized = { ...crossSite, Authorization: 'Bearer nonsense' };
    for (const headers of [evil, crossSite, authorized]) {
      expect((await enter(page, {}, headers)).status).toBe(403);
    }
    const asked = await enter(page);
    for (const headers of [evil, crossSite, authorized]) {
      expect((await visitor.press(asked, 'Allow', {}, headers)).status).toBe(403);
      expect((await visitor.press(asked, 'Deny', {}, headers)).status).toBe(403);
    }
    expect((await visitor.press(asked, 'Allow')).url.searchParams.has('code')).toBe(true);
  });

  it('cannot be opened with a forged cookie', async () => {
    const { page } = await atSignIn();
    const uid = page.url.pathname.split('/').pop() ?? '';
    for (const Cookie of [
      `oauth_interaction=${uid}`,
      `oauth_interaction=${uid}; oauth_interaction.sig=${'A'.repeat(27)}`,
    ]) {
      const response = await fetch(page.url, { headers: { Cookie } });
      expect(response.status).toBe(400);
    }
  });
});

describe('an OAuth page that was left open', () => {
  const expectExpired = ({ status, text }: VisitedPage) => {
    expect(status).toBe(400);
    expect(text).toContain('This sign-in has expired');
  };

  it('expires after 30 minutes', async () => {
    const { page, enter, visitor } = await atSignIn();
    app.runtime.clock.advance(31 * MINUTE);
    expectExpired(await visitor.open(page.url));
    expectExpired(await enter(page));
  });

  it('has expired once it was submitted', async () => {
    const { page, enter, visitor } = await atSignIn();
    const asked = await enter(page);
    await visitor.press(asked, 'Allow');
    expectExpired(await visitor.press(asked, 'Allow'));
    expectExpired(await visitor.press(asked, 'Deny'));
    expectExpired(await enter(page));
    expectExpired(await visitor.open(asked.url));
  });

  it('cannot grant consent before sign-in', async () => {
    const { page, visitor } = await atSignIn();
    const response = await visitor.press(
      { ...page, text: page.text.replace('/cancel', '/consent') },
      'Cancel and go back',
    );
    expectExpired(response);
  });

  it('is restored when the address of a form is opened', async () => {
    const { page, visitor } = await atSignIn();
    for (const action of ['sign-in', 'consent', 'cancel']) {
      const at = await visitor.open(`${page.url.pathname}/${action}`);
      expect(at.url.pathname).toBe(page.url.pathname);
    }
  });
});
