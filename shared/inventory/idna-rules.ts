/**
 * RFC 5892, section 2.1 (LetterDigits) with the hyphen, and the characters that section 2.6 allows beside
 * them, such as the ideographic zero; upper case was mapped away before.
 */
const ALLOWED = /[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}\u06fd\u06fe\u0f0b\u3007-]/u;

/** Letters all the same: those that section 2.6 refuses, such as the tatweel, and old Hangul (section 2.9). */
const REFUSED =
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/** RFC 5892, appendix A: characters that are good only in a certain neighbourhood. */
const CONTEXTUAL: Record<string, (before: string, after: string, label: string) => boolean> = {
  '\u00b7': (before, after) => before === 'l' && after === 'l',
  '\u0375': (_before, after) => /\p{Script=Greek}/u.test(after),
  '\u05f3': (before) => /\p{Script=Hebrew}/u.test(before),
  '\u05f4': (before) => /\p{Script=Hebrew}/u.test(before),
  '\u30fb': (_before, _after, label) =>
    /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(label),
  // The joiners' own rules were checked by UTS 46 processing (CheckJoiners).
  '\u200c': () => true,
  '\u200d': () => true,
};

const ARABIC_INDIC = /[\u0660-\u0669]/u;
const EXTENDED_ARABIC_INDIC = /[\u06f0-\u06f9]/u;

/** Scripts whose letters pass for each other's; registries refuse labels that mix them. */
const LOOKALIKE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/**
 * What IDNA 2008 (RFC 5892) and registry practice refuse beyond UTS 46: symbols and emoji, characters out of
 * their context, and labels that mix look-alike scripts. Takes U-labels; undefined when all is well.
 */
export function idnaViolation(unicode: string): string | undefined {
  for (const label of unicode.split('.')) {
    const chars = Array.from(label);
    for (const [at, char] of chars.entries()) {
      const rule = CONTEXTUAL[char];
      const good = rule
        ? rule(chars[at - 1] ?? '', chars[at + 1] ?? '', label)
        : ALLOWED.test(char) && !REFUSED.test(char);
      if (!good) return 'must contain only letters, digits and hyphens (IDNA 2008)';
    }
    if (ARABIC_INDIC.test(label) && EXTENDED_ARABIC_INDIC.test(label)) {
      return 'must not mix Arabic-Indic and extended Arabic-Indic digits in a label';
    }
    if (LOOKALIKE_SCRIPTS.filter((script) => script.test(label)).length > 1) {
      return 'must not mix look-alike scripts, such as Latin and Cyrillic, in a label';
    }
  }
  return undefined;
}
