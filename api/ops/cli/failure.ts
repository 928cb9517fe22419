import { ConfigError } from '../../../shared/platform/config.ts';
import type { FieldError } from '../../../shared/platform/errors.ts';
import { toServiceError } from '../../http/error-response.ts';
import { flagOf } from './options.ts';

/** What a failed command says: the error envelope of the APIs, without a request. */
export interface CommandError {
  code: string;
  message: string;
  details?: unknown;
}

/** The envelope for whatever a command threw; option names replace field paths. */
export function describeFailure(thrown: unknown): CommandError {
  if (thrown instanceof ConfigError) {
    return { code: 'validation_error', message: thrown.message, details: thrown.faults };
  }
  const error = toServiceError(thrown);
  if (error.code === 'internal_error') {
    return { code: error.code, message: `The command failed: ${withoutStatement(thrown)}` };
  }
  if (error.code === 'validation_error') {
    const faults = ((error.details ?? []) as FieldError[]).map((fault) => ({
      path: fault.path.replace(/^\/(\w+)/, (_match, field: string) => flagOf(field)),
      message: fault.message,
    }));
    const message = faults.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    return {
      code: error.code,
      message: message || error.message,
      ...(faults.length > 0 && { details: faults }),
    };
  }
  const { code, message, details } = error;
  return { code, message, ...(details !== undefined && { details }) };
}

/** A database error without the statement that knex puts before it. */
function withoutStatement(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split(' - ').at(-1) ?? text;
}
