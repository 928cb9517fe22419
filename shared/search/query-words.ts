import { stem } from './stem.ts';

/** Words that carry no meaning of their own in a query, unless it has no others. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  wordsIn(`
  a about an and any are as at be by can could do for from get good great has have how i in into is it
  its just let like looking make me my need needs nice of on or our please should some someone something that the their them
  there these this to us want we what where which who will with would you your domain domains name names
  named naming website websites site sites com www http https`),
);

/** What the business is; how it is, which leaves open what it is (of `lucky dice`, the dice); or hardly anything. */
export type TermRole = 'topic' | 'describing' | 'generic';

const DESCRIBING_WORDS = new Set(
  wordsIn(`
  active affordable amazing amber ancient arctic authentic autumn awesome azure beautiful big black blue
  bold brave bright brilliant brisk bronze brown calm candid cheap cheerful classic clean clear clever
  cobalt cold cool copper coral cozy creative crisp crystal cute daily dapper daring dark dawn deep
  delicious digital direct dynamic eager early east easy elegant elite ember emerald epic exclusive
  exotic expert extra fable fair famous fancy fast fine first fleet fresh friendly frost full fun funny
  gentle genuine giant global gold golden gorgeous grand gray green grey happy hazel hidden high honest
  hot huge humble icy indigo instant iron ivory jade jolly joyful keen kind large light little lively
  local lovely lucky lunar luxury magic mellow merry mighty mini mint misty modern mystic natural neat
  new next nice nimble noble north nova old open opal orange organic original pearl perfect pink plain
  polite premium pretty prime private proud pure purple quick quiet rapid rare ready real red reliable
  rich river robin rough round royal ruby rustic sacred safe sage sandy sapphire scarlet secret serene
  sharp shiny short silent silver simple sleek slow small smart smooth snowy soft solid south special
  spring stable steady stellar stormy strong stylish summer sunny super sweet swift tall tidy tiny total
  tough traditional true trusted ultimate unique urban velvet vibrant violet vivid warm west white wild
  willow winter wise witty yellow young zesty`),
);

/** Words that say little of the business, though more than stop words do, in any of their forms. */
const GENERIC_STEMS = new Set(
  wordsIn(`
  product item goods stuff lover fan idea list page portal about agency all app apps area best better between both brand business buy buying choose companies
  company compare corp create every everyone find firm free good great group help helper ideal inc llc
  maker manage my new now offer one online people perfect place platform professional provider quality
  rate sell seller selling sending service services shop software solution solutions start startup store
  studio system systems team tool tools top track tracking use web work world`).map(stem),
);

export function roleOf(word: string): TermRole {
  if (GENERIC_STEMS.has(stem(word))) return 'generic';
  return DESCRIBING_WORDS.has(word) ? 'describing' : 'topic';
}

function wordsIn(text: string): string[] {
  return text.trim().split(/\s+/);
}
