import { describe, expect, it } from '@jest/globals';
import { readProjectFile, readSources } from '../support/sources.ts';

/** Key packages and the folders that must use each of them. */
const PACKAGES: ReadonlyArray<readonly [name: string, usedIn: readonly string[]]> = [
  ['express', ['api/']],
  ['bullmq', ['shared/messaging/jobs/', 'workers/']],
  ['ioredis', ['shared/platform/redis/']],
  ['knex', ['shared/platform/database/', 'db/']],
  ['pg', ['shared/platform/database/', 'db/']],
  ['ajv', ['api/http/', 'workers/runtime/']],
  ['rate-limiter-flexible', ['api/']],
  ['supertest', ['test/support/']],
  ['@jest/globals', ['test/api/']],
];

const sources = readSources();
const { dependencies, devDependencies } = JSON.parse(readProjectFile('package.json'));

describe('key packages', () => {
  it.each(PACKAGES)('%s is used where it belongs', (name, usedIn) => {
    const users = sources.filter(({ imports }) =>
      imports.some(
        ({ target, typeOnly }) => !typeOnly && (target === name || target.startsWith(`${name}/`)),
      ),
    );
    for (const folder of usedIn) {
      expect({ [folder]: users.some(({ file }) => file.startsWith(folder)) }).toEqual({
        [folder]: true,
      });
    }
  });

  it('have pinned versions, with test packages as development dependencies', () => {
    for (const [name] of PACKAGES) {
      const forTests = name === 'supertest' || name === '@jest/globals';
      expect((forTests ? devDependencies : dependencies)[name]).toMatch(/^\d+\.\d+\.\d+$/);
    }
    expect(devDependencies.jest).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
