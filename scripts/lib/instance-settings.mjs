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
  writeWhole(file, `${JSON.stringify(settings, null, 2)}\n`);
}

/** Writes a file that a shell takes variables from (`. file`), and that only we may read. */
export function writeShellSettings(file, variables) {
  const quoted = (value) => `'${value.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  writeWhole(file, `${lines.join('\n')}\n`);
}

function writeWhole(file, text) {
  const staging = `${file}.${process.pid}.tmp`;
  writeFileSync(staging, text, { mode: 0o600 });
  renameSync(staging, file);
}

export const newPassword = () => randomBytes(24).toString('hex');
