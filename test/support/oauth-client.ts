import { createHash, randomBytes } from 'node:crypto';
import type { User } from '../../shared/people/users/user.ts';
import type { TestApp } from './app.ts';
import { type HttpCall, httpCall } from './http-call.ts';
import { givenOwner } from './oauth.ts';
import { newVisitor, signInAndAllow, type Visitor } from './sign-in.ts';

/** Nothing listens here; it is enough that the browser is redirected there. */
export const REDIRECT = 'http://127.0.0.1:4999/callback';

export function registerClient(app: TestApp, body: unknown): HttpCall {
  return httpCall(app.url, 'POST', '/api/oauth/register', {
    headers: { 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Registers a client; returns its id. */
export async function givenClient(
  app: TestApp,
  { name = 'Example agent', redirectUris = [REDIRECT] } = {},
): Promise<string> {
  const { body } = await registerClient(app, { client_name: name, redirect_uris: redirectUris });
  return body.client_id;
}

export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the link that a client opens in the user's browser; undefined leaves a parameter out. */
export function authorizeLink(
  app: TestApp,
  clientId: string,
  more: Parameters = {},
): { link: URL; verifier: string } {
  const verifier = randomBytes(32).toString('base64url');
  const link = new URL(`${app.url}/oauth/authorize`);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    state: 'the state',
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of [value ?? []].flat()) link.searchParams.append(name, each);
  }
  return { link, verifier };
}

/** Sends a form to the token endpoint, or to another path. */
export function tokenRequest(
  app: TestApp,
  form: Readonly<Record<string, string>>,
  path = '/api/oauth/token',
): HttpCall {
  return httpCall(app.url, 'POST', path, {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });
}

/** What a client has once its user has allowed it. */
export interface Redemption {
  owner: User;
  visitor: Visitor;
  clientId: string;
  code: string;
  redeem(more?: Record<string, string>): HttpCall;
  refresh(token: string, more?: Record<string, string>): HttpCall;
  revoke(token: string, more?: Record<string, string>): HttpCall;
}

/** Creates a user who has allowed a client, up to the code that the client may redeem. */
export async function givenCode(
  app: TestApp,
  { more = {}, clientId = undefined as string | undefined } = {} as {
    more?: Parameters;
    clientId?: string;
  },
): Promise<Redemption> {
  const owner = await givenOwner(app.runtime);
  const client = clientId ?? (await givenClient(app));
  const { link, verifier } = authorizeLink(app, client, more);
  const visitor = newVisitor(app.url);
  const answer = await signInAndAllow(visitor, link, owner.email);
  const code = answer.searchParams.get('code') ?? '';
  const send = (form: Record<string, string>, path?: string) =>
    tokenRequest(app, { client_id: client, ...form }, path);
  return {
    owner,
    visitor,
    clientId: client,
    code,
    redeem: (form = {}) =>
      send({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        ...form,
      }),
    refresh: (refresh_token, form = {}) =>
      send({ grant_type: 'refresh_token', refresh_token, ...form }),
    revoke: (token, form = {}) => send({ token, ...form }, '/api/oauth/revoke'),
  };
}
