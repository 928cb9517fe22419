import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandOf } from './process-table.mjs';

/** How the scripts that take locks stand in the process table: a reused process id does not count. */
const scriptFolder = 'scripts/';

/**
 * Takes a lock file that holds our process id. Returns `{holder}` when a live process that runs one of
 * our scripts has it, else `{release, tookOver}`. The lock of a dead process is taken over.
 */
export function takeLock(file) {
  let tookOver = false;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o644 });
      const release = () => rmSync(file, { force: true });
      process.once('exit', release);
      return { release, tookOver };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = readHolder(file);
    if (holder && holder !== process.pid && commandOf(holder).includes(scriptFolder)) {
      return { holder };
    }
    rmSync(file, { force: true });
    tookOver = true;
  }
  throw new Error(`Could not take the lock ${file}`);
}

function readHolder(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
