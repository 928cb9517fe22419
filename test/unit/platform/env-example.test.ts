import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../shared/platform/config.ts';
import { VARIABLES } from '../../../shared/platform/config-variables.ts';
import { readProjectFile } from '../../support/sources.ts';

const example: NodeJS.Dict<string> = parseEnv(readProjectFile('.env.example'));

describe('.env.example', () => {
  it('names only variables that there are', () => {
    const known: string[] = Object.values(VARIABLES).map(({ name }) => name);
    expect(Object.keys(example).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('lacks nothing for a start in production but the key that nobody may share', () => {
    expect(() => loadConfig(example)).toThrow(
      /^The configuration is wrong:\n {2}- SECRETS_KEY is [^\n]*$/,
    );
    const SECRETS_KEY = Buffer.alloc(32, 1).toString('base64');
    expect(loadConfig({ ...example, SECRETS_KEY })).toMatchObject({ nodeEnv: 'production' });
  });
});
