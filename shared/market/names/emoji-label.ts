/**
 * An emoji of a label, as UTS 46 leaves it: without the variation selector (U+FE0F). Joined emoji and the flags of
 * regions are not among them, because UTS 46 refuses their joiners and tags, and so do browsers.
 */
const EMOJI = /\p{RI}\p{RI}|[0-9]\u20e3|\p{Extended_Pictographic}\p{Emoji_Modifier}?/gu;
const JOINED =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|[\u{e0020}-\u{e007f}]/u;
const VARIATION_SELECTOR = '\ufe0f';

/** A name for the flag, since the compiler's target knows no literal with it. */
const UNICODE_SETS: string = 'v';
/** The set that Unicode recommends for interchange. */
const RECOMMENDED = new RegExp('^\\p{RGI_Emoji}$', UNICODE_SETS);

/** A U-label with a hyphen in the place of each emoji; what is left must be letters, digits and hyphens. */
export function withoutEmoji(label: string): string {
  return label.replace(EMOJI, (emoji) => (isRecommended(emoji) ? '-' : emoji));
}

/** Whether a text has an emoji, of any kind. */
export function hasEmoji(text: string): boolean {
  return isJoined(text) || withoutEmoji(text) !== text;
}

/** Whether a text has emoji that are put together, which no label can have. */
export function isJoined(text: string): boolean {
  return JOINED.test(text);
}

function isRecommended(emoji: string): boolean {
  const [base = '', ...rest] = Array.from(emoji);
  return RECOMMENDED.test(emoji) || RECOMMENDED.test([base, VARIATION_SELECTOR, ...rest].join(''));
}
