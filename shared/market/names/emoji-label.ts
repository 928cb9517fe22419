/**
 * An emoji in a label as UTS 46 leaves it, without the variation selector (U+FE0F). Joined emoji and regional flags are
 * excluded, because UTS 46 and browsers reject their joiners and tags.
 */
const EMOJI = /\p{RI}\p{RI}|[0-9]\u20e3|\p{Extended_Pictographic}\p{Emoji_Modifier}?/gu;
const JOINED =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|[\u{e0020}-\u{e007f}]/u;
const VARIATION_SELECTOR = '\ufe0f';

/** A variable for the flag, because the compiler's target does not support it in literals. */
const UNICODE_SETS: string = 'v';
/** The emoji that Unicode recommends for interchange. */
const RECOMMENDED = new RegExp('^\\p{RGI_Emoji}$', UNICODE_SETS);

/** Replaces each emoji of a U-label with a hyphen; the rest must be letters, digits and hyphens. */
export function withoutEmoji(label: string): string {
  return label.replace(EMOJI, (emoji) => (isRecommended(emoji) ? '-' : emoji));
}

/** Returns whether a text contains an emoji of any kind. */
export function hasEmoji(text: string): boolean {
  return isJoined(text) || withoutEmoji(text) !== text;
}

/** Returns whether a text contains joined emoji, which no label can have. */
export function isJoined(text: string): boolean {
  return JOINED.test(text);
}

function isRecommended(emoji: string): boolean {
  const [base = '', ...rest] = Array.from(emoji);
  return RECOMMENDED.test(emoji) || RECOMMENDED.test([base, VARIATION_SELECTOR, ...rest].join(''));
}
