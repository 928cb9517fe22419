import type { Logger } from '../../shared/platform/observability/logger.ts';

const notices: string[] = [];

/** Sends what the library prints while it loads to the log of the process, not to its console. */
const warn = console.warn;
console.warn = (...words: unknown[]) => {
  if (String(words[0]).includes('oidc-provider')) notices.push(words.join(' '));
  else warn(...words);
};
const library = await import('oidc-provider').finally(() => {
  console.warn = warn;
});

export const { errors, interactionPolicy, Provider } = library;
export type OAuthProvider = InstanceType<typeof library.Provider>;

export function logNotices(log: Logger): void {
  for (const notice of notices) log.debug({ notice }, 'oauth library');
}
