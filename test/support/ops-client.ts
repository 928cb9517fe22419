import type { StaffRole } from '../../shared/people/users/user.ts';
import { givenAccount, PASSWORD } from './accounts.ts';
import type { TestApp } from './app.ts';

export interface OpsAnswer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  body: any;
}

/** A member of ops with a bearer token. Paths are below `/ops/api`. */
export interface OpsClient {
  email: string;
  password: string;
  token: string;
  get(path: string, headers?: Record<string, string>): Promise<OpsAnswer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<OpsAnswer>;
}

/** A fresh ops account, signed in over HTTP. */
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

async function call(
  app: TestApp,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<OpsAnswer> {
  const response = await fetch(`${app.url}/ops/api${path}`, {
    method,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
