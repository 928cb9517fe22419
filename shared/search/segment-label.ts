import { CONCEPT_WORDS } from './concepts.ts';

/** Parts of made-up names beside the words of trades: colours, qualities, places, prefixes and endings. */
const NAME_PARTS =
  `able acre active air alpha amber anchor apex arc arrow ash aspen atlas aura autumn base bay
beacon bear best beta big bird black blaze block bloom blue bold bolt bond bound box brave breeze bridge bright
bright brook buddy bull bundle canyon cap cedar central chain charm city clear clever cloud cobalt copper coral
core corner cosmic cove craft crest crisp crown crystal cube dawn day deep delta desk dock door dot dove dream
drift eagle earth east easy echo edge ember empire even ever express fab factory fair falcon far fast feather
field fin fire first fish fit flare flash fleet flex flow fly focus forge fort fox fresh front fuel fun fuse
future gate gear genie giant glen global go gold grand granite gray great grove grow guild guru habit half happy
harbor haven hawk hay hazel heart hello hero high hill hive hollow honest honey hood hook horizon hub hush icon
idea indigo ink instant iron island ivory ivy jade jet jolly joy jump just key kind king kit lab lake land lane
laser layer lead leap level lift light lily lime line link lion list little live local lodge logic loop lotus
loud loyal lucky luna lunar lux magic main maple map mark mart master match max meadow mega mercury merit mesa
metro micro mind mini mint mist mode modern moon moss mount mountain my native neat neon nest net new next nice
night nimble noble nook north nova oak oasis ocean olive omega one onyx opal open orange orchid origin otter
owl pace pacific page pal palm panda path peak pearl pebble penny perfect phoenix pilot pine pink pixel place
planet point polar pond pop port post prairie pro prime pulse pure purple quartz quest quick quiet radar rain
rapid raven ready real red reef ridge right rise river road rock root rose route royal ruby rush sage salt sand
sapphire scout sea self serene set shade sharp shine shore side signal silent silk silver simple sky smart snap
snow soft solid sonic source south spark speed spice spin spot spring sprout square stack staff stage stand
station steady steel stone storm stream street strong sum summit super sure swan swift tag tap target task team
terra thrive thunder tide tiger timber time tiny titan top torch tower town track trail tree true trust turbo
twin ultra union unity up urban valley value vault vector velvet verde view village violet vision vista vital
vivid way web well west whale white wide wild willow wind wing winter wise wolf wonder wood world yard yellow
zen zero zip zone
altar amp apparel arctic autumn awning bangle barn bazaar bento blush bouquet braid brick brisk brush burst
calm candid canoe card chair chord cipher civic cluster comb confetti cork counsel cradle crane crayon crumb
curl dapper denim deploy deck den dice dim dusk eager early fable fern festive finch floss flour folk freight
fresco friend frost funnel gentle grill hedge herb hidden honor humble infusion inn joystick keen kettle kin
larder lash latch leash lesson lively loom locket mat meal mellow merry mesh metric misty mop motor mug neural
node north novel orbit oven pallet passport path paw petal pillow pixel plug polish port pouch proud pulse quiet
ray reach remedy robin room rustic saddle sandy scarlet scout sentry shed shelf shutter sip sky slate sole
sparkle spoke spoon spotless sprint stable stellar steep stitch stride stroller suite suitcase summer sunny tall
tally tavern tent thread till timber tiny toy tutor twig umbrella urban vault vow vine vinyl vivid wagon warm
wardrobe watt whisker willow witty works yoke zesty`.split(/\s+/);

const KNOWN = new Set([...CONCEPT_WORDS, ...NAME_PARTS]);

/** An unknown letter costs as much as several words, so that every known word is worth finding. */
const UNKNOWN_LETTER = 3;
/** Shorter words are believed only at the ends of a label. */
const MIN_WORD = 3;

/**
 * Cuts a label into words by the cheapest cover: `neonwallet` is `neon wallet`. `hints` are words that the
 * owner used of the name; a stretch without known words stays whole.
 */
export function segmentLabel(label: string, hints: ReadonlySet<string>): string[] {
  const cost = [0];
  const cutAt = [0];
  for (let end = 1; end <= label.length; end += 1) {
    cost[end] = Number.POSITIVE_INFINITY;
    for (let start = Math.max(0, end - 20); start < end; start += 1) {
      const piece = label.slice(start, end);
      const atEnd = start === 0 || end === label.length;
      const long = piece.length >= MIN_WORD || (piece.length === 2 && atEnd);
      const isKnown = long && (hints.has(piece) || isWord(piece));
      // Two unknown stretches in a row are one; a word costs the less per letter the longer it is.
      const price = isKnown ? 1 + 4 / piece.length : 2 + UNKNOWN_LETTER * piece.length;
      const total = (cost[start] ?? 0) + price;
      if (total < (cost[end] ?? 0)) {
        cost[end] = total;
        cutAt[end] = start;
      }
    }
  }
  const words: string[] = [];
  for (let end = label.length; end > 0; end = cutAt[end] ?? 0) {
    words.unshift(label.slice(cutAt[end] ?? 0, end));
  }
  return words;
}

function isWord(piece: string): boolean {
  return (
    KNOWN.has(piece) || (piece.length > 3 && piece.endsWith('s') && KNOWN.has(piece.slice(0, -1)))
  );
}
