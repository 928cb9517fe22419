import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { shellWord } from './project.mjs';

/** Reads a JSON file; returns `{}` if it is missing or damaged. Throws if we have no permission to read it. */
export function readSettings(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Atomically writes a JSON file that only we may read. */
export function writeSettings(file, settings) {
  writeWhole(file, `${JSON.stringify(settings, null, 2)}\n`);
}

/** Writes a file that only we may read, from which a shell can load variables (`. file`). */
export function writeShellSettings(file, variables) {
  const lines = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${shellWord(value)}`,
  );
  writeWhole(file, `${lines.join('\n')}\n`);
}

function writeWhole(file, text) {
  const staging = `${file}.${process.pid}.tmp`;
  writeFileSync(staging, text, { mode: 0o600 });
  renameSync(staging, file);
}

export const newPassword = () => randomBytes(24).toString('hex');
