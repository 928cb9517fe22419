import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's top directory. */
export const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The directory that holds everything a development instance keeps (`DATA_DIR`, default `.data`). */
export function openDataDir(env = process.env) {
  const dataDir = path.resolve(projectRoot, env.DATA_DIR || '.data');
  makeOpenDirectory(dataDir);
  return dataDir;
}

/** The directory of a development instance that is there; an error names those that are, so that no typo makes another. */
export function existingDataDir(env = process.env) {
  const dataDir = path.resolve(projectRoot, env.DATA_DIR || '.data');
  if (isInstance(dataDir)) return dataDir;
  const around = new Set([projectRoot, path.dirname(dataDir)]);
  const others = [...around]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
    .filter(isInstance);
  const known =
    others.length > 0
      ? `There is one in:\n${others.map((folder) => `  DATA_DIR='${folder}'`).join('\n')}`
      : 'There is none yet. Start one first: npm start';
  throw new UserError(`No marketplace is in ${dataDir}. ${known}`);
}

function isInstance(folder) {
  return existsSync(path.join(folder, 'postgres'));
}

/**
 * Makes a directory that other users may walk through, whatever the umask is: the database runs
 * under a user of its own when we are root. What is secret inside has its own narrow mode.
 */
export function makeOpenDirectory(directory) {
  if (existsSync(directory)) return;
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o755);
}

/** An error that is meant for the person at the terminal: printed as it is, without a stack. */
export class UserError extends Error {}

/** Runs a script's main function; an error becomes one clear message and exit code 1. */
export async function main(run) {
  // A closed terminal or a pipe that ended early must not keep us from an orderly end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    process.exitCode = (await run()) ?? 0;
  } catch (error) {
    const text = error instanceof UserError ? error.message : (error?.stack ?? String(error));
    process.stderr.write(`\n${text}\n`);
    process.exitCode = 1;
  }
}

export const say = (text) => process.stdout.write(`${text}\n`);

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
