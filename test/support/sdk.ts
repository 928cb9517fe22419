import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Example } from '../../api/openapi/openapi-operation.ts';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { type Client, createClient } from '../../sdk/src/client.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import type { ClientOptions } from '../../sdk/src/options.ts';
import type { TestApp } from './app.ts';
import type { KeyPair } from './signed-client.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the environment of this process without jest's own settings. */
export function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _jestOnly, ...env } = process.env;
  return env;
}

/** A separate project with the built package in its node_modules. */
export interface SdkProject {
  folder: string;
  /** The path of the package. */
  installed: string;
  remove(): Promise<void>;
}

export async function buildSdk(): Promise<SdkProject> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-'));
  const installed = join(folder, 'node_modules/@domain-marketplace/sdk');
  await mkdir(installed, { recursive: true });
  const args = ['scripts/sdk.mjs', 'build', installed];
  await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env: plainEnv() });
  return { folder, installed, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Returns the SDK's client of a test app; it signs with the app's time. */
export function sdkClient(
  app: TestApp,
  { keyId, secret }: KeyPair,
  options: Partial<ClientOptions> = {},
): Client {
  const now = () => app.runtime.clock.now().getTime();
  return createClient({ baseUrl: app.url, keyId, secret, now, ...options });
}

/** Returns the client's method for a partner API operation, as `['orders', 'create']`. */
export function methodOf(operationId: string): [resource: string, verb: string] {
  const route = partnerRoutes.find((each) => each.operationId === operationId);
  for (const [resource, verbs] of Object.entries(OPERATIONS)) {
    for (const [verb, { method, path }] of Object.entries(verbs)) {
      const same = method === route?.method && path.replace(/{(\w+)}/g, ':$1') === route.path;
      if (same) return [resource, verb];
    }
  }
  throw new Error(`the SDK has no method for ${operationId}; run npm run sdk:generate`);
}

/** Returns a method's input for the request of an example: its fields, wherever they are sent. */
export function inputOf({ params, query, body }: Partial<Example>): object {
  return { ...params, ...query, ...(body as object) };
}
