import { describe, expect, it } from '@jest/globals';
import { toServiceError } from '../../../api/http/error-response.ts';
import { ERROR_CATALOGUE, fail } from '../../../shared/platform/errors.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const redisReply = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
const bodyFault = (type: string, status: number) => Object.assign(new Error('x'), { type, status });

describe('mapping an error to an API error', () => {
  it.each([
    ['an error from the catalog', fail('not_found'), 'not_found'],
    ['a path that cannot be decoded', new URIError('x'), 'validation_error'],
    ['a body that is too large', bodyFault('entity.too.large', 413), 'payload_too_large'],
    ['a form with too many fields', bodyFault('parameters.too.many', 413), 'payload_too_large'],
    ['a compressed body', bodyFault('encoding.unsupported', 415), 'unsupported_media_type'],
    ['an unknown charset', bodyFault('charset.unsupported', 415), 'unsupported_media_type'],
    ['a truncated body', bodyFault('request.aborted', 400), 'validation_error'],
    ['text that Postgres cannot store', withCode('22021'), 'validation_error'],
    ['Postgres refusing connections', withCode('ECONNREFUSED'), 'service_unavailable'],
    ['Postgres shutting down', withCode('57P01'), 'service_unavailable'],
    [
      'Postgres dying under a statement',
      new Error('select 1 - Connection terminated unexpectedly'),
      'service_unavailable',
    ],
    [
      'unavailable Redis',
      new Error("Stream isn't writeable and enableOfflineQueue options is false"),
      'service_unavailable',
    ],
    [
      'a command pending at a Redis node that shuts down',
      new Error('Command aborted due to connection close'),
      'service_unavailable',
    ],
    [
      'a Redis cluster without reachable nodes',
      new Error('None of startup nodes is available'),
      'service_unavailable',
    ],
    [
      'a Redis shard that has moved',
      redisReply('MOVED 3999 127.0.0.1:6381'),
      'service_unavailable',
    ],
    [
      'a full Redis',
      redisReply("OOM command not allowed when used memory > 'maxmemory'."),
      'service_unavailable',
    ],
    [
      'a full Redis of an older version, in a script',
      redisReply('ERR Error running script: @user_script: 1: -OOM command not allowed'),
      'service_unavailable',
    ],
    [
      'a read-only Redis replica',
      redisReply("READONLY You can't write against a read only replica."),
      'service_unavailable',
    ],
    [
      'a Redis that is loading its data',
      redisReply('LOADING Redis is loading the dataset in memory'),
      'service_unavailable',
    ],
    ['an invalid Redis command', redisReply("ERR unknown command 'x'"), 'internal_error'],
    ['a bug', new TypeError('x is not a function'), 'internal_error'],
    ['a thrown value that is no error', 'x', 'internal_error'],
    ['nothing at all', undefined, 'internal_error'],
  ])('handles %s', (_name, thrown, code) => {
    expect(toServiceError(thrown).code).toBe(code);
  });

  it('says when to retry, whatever is unavailable', () => {
    const unnamed = fail('service_unavailable', { message: 'Not set up here yet.' });
    expect(unnamed.retryAfterSeconds).toBe(ERROR_CATALOGUE.service_unavailable.retryAfterSeconds);
    for (const thrown of [unnamed, withCode('ECONNREFUSED'), redisReply('LOADING')]) {
      const { status, retryAfterSeconds } = toServiceError(thrown);
      expect(status).toBe(503);
      expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
    }
    expect(fail('service_unavailable', { retryAfterSeconds: 120 }).retryAfterSeconds).toBe(120);
    expect(fail('not_found').retryAfterSeconds).toBeUndefined();
  });

  it('says how large a body may be', () => {
    const tooLarge = Object.assign(bodyFault('entity.too.large', 413), { limit: 100_000 });
    expect(toServiceError(tooLarge).message).toBe('The body is over 100000 bytes. Send less.');
  });
});
