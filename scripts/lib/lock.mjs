import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { commandOf } from './process-table.mjs';

/** Part of the command line of every script that takes locks; tells them from a process with a reused id. */
const scriptFolder = 'scripts/';

/**
 * Takes a lock file that contains our process id. Returns `{holder}` if another running script of ours holds it, else
 * `{release, tookOver}`. Takes over the lock of a dead process.
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
