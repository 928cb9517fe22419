import { readFileSync } from 'node:fs';

// Preloaded into a service process: sets its clock ahead by the milliseconds in the file CLOCK_FILE, which may
// change at any time. Timers and the clocks of Postgres and Redis are unaffected.

const Machine = Date;
const EVERY_MS = 20;
let ahead = 0;

const read = () => {
  try {
    ahead = Number(readFileSync(process.env.CLOCK_FILE, 'utf8')) || 0;
  } catch {
    // It is being written; the next read gets it.
  }
};
read();
setInterval(read, EVERY_MS).unref();

globalThis.Date = class extends Machine {
  constructor(...at) {
    if (at.length > 0) super(...at);
    else super(Machine.now() + ahead);
  }

  static now() {
    return Machine.now() + ahead;
  }
};
