const OURS = {
  '@jest/globals': new URL('globals.mjs', import.meta.url).href,
  // The sample shop imports the SDK by its package name, as partners do.
  '@domain-marketplace/sdk': new URL('../../../sdk/src/index.ts', import.meta.url).href,
};

export function resolve(specifier, context, next) {
  return next(OURS[specifier] ?? specifier, context);
}
