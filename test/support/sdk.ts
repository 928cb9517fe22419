import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient } from '../../sdk/src/client.ts';
import type { ClientOptions } from '../../sdk/src/options.ts';
import type { TestApp } from './app.ts';
import type { KeyPair } from './signed-client.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** The environment of this process without what is meant for jest only. */
export function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _jestOnly, ...env } = process.env;
  return env;
}

/** A project of its own with the built package in its node_modules. */
export interface SdkProject {
  folder: string;
  /** Where the package is. */
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

/** The SDK's client of a test app; it signs with the app's time. */
export function sdkClient(
  app: TestApp,
  { keyId, secret }: KeyPair,
  options: Partial<ClientOptions> = {},
): Client {
  const now = () => app.runtime.clock.now().getTime();
  return createClient({ baseUrl: app.url, keyId, secret, now, ...options });
}

/** The same client, which notes the methods that are called, as `orders.create`. */
export function noting(client: Client, called: Set<string>): Client {
  const resources = Object.entries(client).map(([resource, methods]) => [
    resource,
    Object.fromEntries(
      Object.entries(methods as Record<string, (...args: unknown[]) => unknown>).map(
        ([verb, method]) => [
          verb,
          Object.assign((...args: unknown[]) => {
            called.add(`${resource}.${verb}`);
            return method(...args);
          }, method),
        ],
      ),
    ),
  ]);
  return Object.fromEntries(resources) as Client;
}
