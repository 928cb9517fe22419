import { parseTuning, type Tuning } from '../../shared/platform/config/tuning.ts';

/** Variables by their names, and what tests alone change by its name in `TUNING`. */
export interface TestSettings extends Partial<Tuning> {
  [variable: Uppercase<string>]: string;
}

/** The environment of a process with these settings. */
export function environmentOf({ TUNING, ...settings }: TestSettings): Record<string, string> {
  const isVariable = ([name]: [string, unknown]) => name === name.toUpperCase();
  const all = Object.entries(settings);
  const tuning = {
    ...(TUNING && parseTuning(TUNING)),
    ...Object.fromEntries(all.filter((each) => !isVariable(each))),
  };
  return { ...Object.fromEntries(all.filter(isVariable)), TUNING: JSON.stringify(tuning) };
}
