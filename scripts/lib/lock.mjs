import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandOf } from './process-table.mjs';

/**
 * Takes a lock file that holds our process id. Returns `{holder}` when a live process that runs a
 * script of the same name has it, else `{release, tookOver}`. The lock of a dead process is taken over.
 */
export function takeLock(file, scriptName) {
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
    if (holder && holder !== process.pid && commandOf(holder).includes(scriptName)) {
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
