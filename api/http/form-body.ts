import express, { type RequestHandler } from 'express';
import { refuseUnstorable } from './json-body.ts';

/** Reads the body of a form: flat, not compressed, and of at most `limit`. */
export function formBody(limit = '10kb'): RequestHandler {
  return express.urlencoded({ extended: false, inflate: false, limit });
}

/** The fields of a form that {@link formBody} read. @throws validation_error for text that cannot be stored */
export function formFields(req: { body?: object }): Record<string, unknown> {
  const fields = { ...req.body };
  refuseUnstorable(fields);
  return fields;
}
