import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Reads a JSON file; `{}` when there is none or it is damaged. One we may not read is an error. */
export function readSettings(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Writes a JSON file that only we may read, whole or not at all. */
export function writeSettings(file, settings) {
  const staging = `${file}.${process.pid}.tmp`;
  writeFileSync(staging, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  renameSync(staging, file);
}

export const newPassword = () => randomBytes(24).toString('hex');
