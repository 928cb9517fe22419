import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root directory of the checkout. */
export const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** In bytes. Postgres cuts its paths off at 1,023 bytes, and adds up to some 100 to this one. */
const longestDataDir = 900;

/** Returns the writable directory for all data of a development instance (`DATA_DIR`, default `.data`). */
export function openDataDir(env = process.env) {
  const dataDir = path.resolve(projectRoot, env.DATA_DIR || '.data');
  if (Buffer.byteLength(dataDir) > longestDataDir) {
    throw new UserError(
      `The path of the data folder has more than the ${longestDataDir} bytes that Postgres can use. Set DATA_DIR to a shorter one.`,
    );
  }
  try {
    makeOpenDirectory(dataDir);
    // The dot refuses a file of this name.
    accessSync(`${dataDir}${path.sep}.`, constants.W_OK | constants.X_OK);
  } catch (error) {
    const [reason] = error.message.split(',');
    throw new UserError(
      `Cannot write to the data folder ${dataDir} (${reason}). Make it writable, or set DATA_DIR to another folder.`,
    );
  }
  return dataDir;
}

/** Returns an existing data directory. Otherwise throws an error that lists them, so that a typo doesn't create one. */
export function existingDataDir(env = process.env) {
  const dataDir = path.resolve(projectRoot, env.DATA_DIR || '.data');
  if (isInstance(dataDir)) return dataDir;
  const around = new Set([projectRoot, path.dirname(dataDir)]);
  const others = [...around]
    .flatMap((folder) => namesIn(folder).map((name) => path.join(folder, name)))
    .filter(isInstance);
  const known =
    others.length > 0
      ? `There is one in:\n${others.map((folder) => `  DATA_DIR=${shellWord(folder)}`).join('\n')}`
      : 'There is none yet. Start one first: npm start';
  throw new UserError(`No marketplace is in ${dataDir}. ${known}`);
}

/** Returns the names in a folder; none if it is missing, a file, or not readable. */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isInstance(folder) {
  return existsSync(path.join(folder, 'postgres'));
}

/**
 * Makes a directory, and those above it, that other users can traverse, whatever the umask: if we are root, the
 * database runs as a different user. Secret files inside have a restrictive mode of their own.
 */
export function makeOpenDirectory(directory) {
  if (existsSync(directory)) return;
  makeOpenDirectory(path.dirname(directory));
  try {
    // Not `recursive`: where nothing can be made, as below /proc, Node would try forever.
    mkdirSync(directory);
    chmodSync(directory, 0o755);
  } catch (error) {
    const madeByOther = error.code === 'EEXIST' && existsSync(directory);
    if (!madeByOther) throw error;
  }
}

/** An error for the person at the terminal, printed without a stack trace. */
export class UserError extends Error {}

/** Runs a script's main function; an error is printed as a clear message, with exit code 1. */
export async function main(run) {
  // A closed terminal or pipe must not keep us from shutting down properly.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = (await run()) ?? 0;
  } catch (error) {
    process.stderr.write(`\n${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

function messageOf(error) {
  if (error instanceof UserError) return error.message;
  if (error?.code === 'ENOSPC' || error?.code === 'EDQUOT')
    return `The disk is full (${error.message}). Make room on it, then run this again.`;
  return error?.stack ?? String(error);
}

/** Returns a text as one types it in a shell, in quotes where it needs them. */
export const shellWord = (text) =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export const say = (text) => process.stdout.write(`${text}\n`);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
