import express, { type RequestHandler } from 'express';
import { refuseUnstorable } from './json-body.ts';

/** Reads a form body: flat, uncompressed, and of at most `limit`. */
export function formBody(limit = '10kb'): RequestHandler {
  return express.urlencoded({ extended: false, inflate: false, limit });
}

/** Returns the fields of a form read by {@link formBody}. @throws validation_error for text that cannot be stored */
export function formFields(req: { body?: object }): Record<string, unknown> {
  const fields = { ...req.body };
  refuseUnstorable(fields);
  return fields;
}
