import { type ApiError, apiError } from './errors.ts';
import type { ErrorCode } from './generated/types.ts';

/** Parses the body of a response below 300; undefined for an empty body. @throws ApiError if it is not JSON */
export function readBody(response: Response, text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unexpected(response);
  }
}

/** Converts a response of 300 or above to an error. */
export function readRefusal(response: Response, text: string): ApiError {
  const error = errorIn(text);
  if (!error) return unexpected(response);
  return apiError({
    status: response.status,
    code: error.code,
    message: error.message,
    requestId: error.request_id,
    details: error.details,
    retryAfterMs: retryAfterMs(response),
  });
}

function unexpected(response: Response): ApiError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return apiError({
    status: response.status,
    code: 'unexpected_answer',
    message: `The answer${response.url && ` of ${response.url.replace(/\?.*/, '')}`} is not one of the service: ${response.status}, ${type}.`,
    requestId: response.headers.get('x-request-id') ?? undefined,
    details: undefined,
    retryAfterMs: retryAfterMs(response),
  });
}

interface ErrorBody {
  code: ErrorCode;
  message: string;
  request_id: string;
  details?: unknown;
}

function errorIn(text: string): ErrorBody | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.code === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Parses `Retry-After`, which is seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
