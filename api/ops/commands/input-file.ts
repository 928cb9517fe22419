import { stat } from 'node:fs/promises';
import { invalid } from '../../../shared/platform/errors.ts';

/** So many rejected rows are told one by one; the rest is counted. */
export const MAX_REJECTIONS = 100;

/** Bytes of a file that a command is to read. @throws validation_error when it is no file */
export async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) {
    throw invalid([{ path: '/file', message: `is not a file that can be read: ${file}` }]);
  }
  return found.size;
}
