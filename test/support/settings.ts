import { parseTuning, type Tuning } from '../../shared/platform/config/tuning.ts';

/** Environment variables by name, and test-only settings by their names in `TUNING`. */
export interface TestSettings extends Partial<Tuning> {
  [variable: Uppercase<string>]: string;
}

/** Returns the environment of a process with these settings. */
export function environmentOf({ TUNING, ...settings }: TestSettings): Record<string, string> {
  const isVariable = ([name]: [string, unknown]) => name === name.toUpperCase();
  const all = Object.entries(settings);
  const tuning = {
    ...(TUNING && parseTuning(TUNING)),
    ...Object.fromEntries(all.filter((each) => !isVariable(each))),
  };
  return { ...Object.fromEntries(all.filter(isVariable)), TUNING: JSON.stringify(tuning) };
}
