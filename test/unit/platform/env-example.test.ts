import { parseEnv } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { loadConfig, VARIABLES } from '../../../shared/platform/config/config.ts';
import { secretsKey } from '../../support/secrets-key.ts';
import { readProjectFile } from '../../support/sources.ts';

const example: NodeJS.Dict<string> = parseEnv(readProjectFile('.env.example'));

describe('.env.example', () => {
  it('has only variables that exist, in our code or docker-compose.yml', () => {
    const compose = readProjectFile('docker-compose.yml').matchAll(/\$\{(\w+)/g);
    const ours = Object.values(VARIABLES).map(({ name }): string => name);
    const known = [...ours, ...[...compose].map(([, name = '']) => name)];
    expect(Object.keys(example).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has everything for a production start except the key and the passwords', () => {
    expect(() => loadConfig(example)).toThrow(
      /^The configuration is wrong:\n {2}- DATABASE_URL has the password [^\n]*\n {2}- REDIS_URL has the password [^\n]*\n {2}- MAIL_URL has the password [^\n]*\n {2}- SECRETS_KEY is [^\n]*$/,
    );
    const SECRETS_KEY = secretsKey().toString('base64');
    const DATABASE_URL = String(example.DATABASE_URL).replace('change-me', 'my-own');
    const REDIS_URL = String(example.REDIS_URL).replace('change-me', 'my-own');
    const MAIL_URL = String(example.MAIL_URL).replace('change-me', 'my-own');
    expect(
      loadConfig({ ...example, SECRETS_KEY, DATABASE_URL, REDIS_URL, MAIL_URL }),
    ).toMatchObject({
      nodeEnv: 'production',
    });
  });
});
