import type { Static } from 'typebox';
import { invalid } from '../../../shared/platform/errors.ts';
import { refuseUnstorable } from '../../http/json-body.ts';
import { bodyValidator } from '../../http/validate.ts';
import { type Operation, operationNamed, operations } from '../operations.ts';
import { BatchEntry } from './batch.schema.ts';

/** An entry of a batch that names an operation; whether its params are good, the operation knows. */
export interface ReadEntry {
  operation: Operation;
  params: object;
}

const checkEntry = bodyValidator(BatchEntry);

/** @throws validation_error (no object, a bad id, params that are no object, an unknown operation) */
export function readEntry(given: unknown): ReadEntry {
  refuseUnstorable(entryLabel(given));
  const { op, params = {} } = checkEntry(given) as Static<typeof BatchEntry>;
  const operation = operationNamed(op);
  if (operation) return { operation, params };
  const known = operations.map((each) => each.op).join(', ');
  throw invalid([{ path: '/op', message: `must be one of ${known}` }]);
}

/** What an answer says of the entry that it is for; null for what could not be read. */
export function entryLabel(given: unknown): { id: string | number | null; op: string | null } {
  const { id, op } = (given ?? {}) as { id?: unknown; op?: unknown };
  const isId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
  return { id: isId ? id : null, op: typeof op === 'string' ? op : null };
}
