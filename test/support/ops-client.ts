import type { StaffRole } from '../../shared/people/users/user.ts';
import { givenAccount, PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';
import { type HttpCall, httpCall } from './http-call.ts';

/** A staff member with a bearer token. Paths are below `/ops/api`. */
export interface OpsClient {
  email: string;
  password: string;
  token: string;
  get(path: string, headers?: Record<string, string>): HttpCall;
  post(path: string, body?: unknown, headers?: Record<string, string>): HttpCall;
}

/** Creates an ops account that is signed in over HTTP. */
export async function givenOps(app: TestApp, staffRole: StaffRole = 'admin'): Promise<OpsClient> {
  const { email } = await givenAccount(app.runtime, 'ops', staffRole);
  const password = PASSWORD;
  const answer = await call(app, 'POST', '/session', { email, password }, {});
  if (answer.status !== 201) throw new Error(`ops sign-in: ${answer.status} ${answer.text}`);
  const token: string = answer.body.token;
  const authorization = { Authorization: `Bearer ${token}` };
  return {
    email,
    password,
    token,
    get: (path, headers) => call(app, 'GET', path, undefined, { ...authorization, ...headers }),
    post: (path, body, headers) => call(app, 'POST', path, body, { ...authorization, ...headers }),
  };
}

function call(
  app: TestApp,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): HttpCall {
  return httpCall(app.url, method, `/ops/api${path}`, {
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
