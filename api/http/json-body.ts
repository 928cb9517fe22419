import express, { type Request } from 'express';
import { type FieldError, fail, invalid, type ServiceError } from '../../shared/platform/errors.ts';

const MAX_DEPTH = 32;

/** The default size limit of bodies, in bytes. */
export const MAX_BODY_BYTES = 100_000;

const NOT_JSON: FieldError = { path: '', message: 'the body is not valid JSON in UTF-8' };

/** Returns whether the error means that the body is not JSON at all, rather than invalid JSON content. */
export function isNotJson({ details }: ServiceError): boolean {
  return Array.isArray(details) && details[0] === NOT_JSON;
}

/** Reads a raw body of up to `limit` bytes. */
export const rawBodyUpTo = (limit: number) =>
  express.raw({ type: () => true, limit, inflate: false });

/** Returns the bytes of the body as they were sent. */
export function rawBodyOf(req: Request): Buffer {
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}

/**
 * Parses the JSON object in a request body.
 * @throws unsupported_media_type, validation_error (not JSON, not an object, nested too deep, or with a value that
 *   cannot be stored)
 */
export function parseJsonBody(raw: Buffer, contentType: string | undefined): unknown {
  const value = parseJsonObject(raw, contentType);
  refuseUnstorable(value);
  return value;
}

/**
 * Like {@link parseJsonBody}, without the check for nesting and for values that cannot be stored.
 * @throws unsupported_media_type, validation_error (not JSON, or not an object)
 */
export function parseJsonObject(raw: Buffer, contentType: string | undefined): unknown {
  if (raw.length === 0) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) throw fail('unsupported_media_type');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw));
  } catch {
    throw invalid([NOT_JSON]);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid([{ path: '', message: 'the body must be a JSON object' }]);
  }
  return value;
}

/** @throws validation_error for text with NUL or unpaired surrogates, numbers beyond a double, and needless nesting. */
export function refuseUnstorable(root: unknown): void {
  const faults: FieldError[] = [];
  const stack: { value: unknown; path: string; depth: number }[] = [
    { value: root, path: '', depth: 0 },
  ];
  for (let next = stack.pop(); next && faults.length === 0; next = stack.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string' && !isStorable(value)) {
      faults.push({ path, message: 'must not contain NUL or unpaired surrogates' });
    } else if (typeof value === 'number' && !Number.isFinite(value)) {
      faults.push({ path, message: 'is a number out of range' });
    } else if (typeof value === 'object' && value !== null) {
      if (depth === MAX_DEPTH) faults.push(tooDeep(path));
      for (const [key, child] of Object.entries(value)) {
        if (!isStorable(key))
          faults.push({ path, message: 'has a name with NUL or unpaired surrogates' });
        stack.push({ value: child, path: `${path}/${key}`, depth: depth + 1 });
      }
    }
  }
  if (faults.length > 0) throw invalid(faults.slice(0, 1));
}

/**
 * Refuses deep nesting in values that are passed on unread: recursive code would overflow the stack.
 * @throws validation_error
 */
export function refuseDeepNesting(root: object): void {
  let level: object[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_DEPTH) throw invalid([tooDeep('')]);
    level = level.flatMap((value) => Object.values(value).filter(isObject));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function tooDeep(path: string): FieldError {
  return { path, message: `is nested deeper than ${MAX_DEPTH} levels` };
}

const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && !UNPAIRED_SURROGATE.test(text);
}
