import { describe, expect, it } from '@jest/globals';
import { toServiceError } from '../../../api/http/error-response.ts';
import { fail } from '../../../shared/platform/errors.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const bodyFault = (type: string, status: number) => Object.assign(new Error('x'), { type, status });

describe('what was thrown, as the caller sees it', () => {
  it.each([
    ['an error of the catalogue', fail('not_found'), 'not_found'],
    ['a path that cannot be decoded', new URIError('x'), 'validation_error'],
    ['a body that is too large', bodyFault('entity.too.large', 413), 'payload_too_large'],
    ['a form of too many fields', bodyFault('parameters.too.many', 413), 'payload_too_large'],
    ['a compressed body', bodyFault('encoding.unsupported', 415), 'unsupported_media_type'],
    ['an unknown charset', bodyFault('charset.unsupported', 415), 'unsupported_media_type'],
    ['a body that broke off', bodyFault('request.aborted', 400), 'validation_error'],
    ['text that Postgres cannot store', withCode('22021'), 'validation_error'],
    ['Postgres refusing connections', withCode('ECONNREFUSED'), 'service_unavailable'],
    ['Postgres shutting down', withCode('57P01'), 'service_unavailable'],
    [
      'Postgres dying under a statement',
      new Error('select 1 - Connection terminated unexpectedly'),
      'service_unavailable',
    ],
    [
      'Redis away',
      new Error("Stream isn't writeable and enableOfflineQueue options is false"),
      'service_unavailable',
    ],
    ['a bug', new TypeError('x is not a function'), 'internal_error'],
    ['something that is no error', 'x', 'internal_error'],
    ['nothing at all', undefined, 'internal_error'],
  ])('%s', (_name, thrown, code) => {
    expect(toServiceError(thrown).code).toBe(code);
  });
});
