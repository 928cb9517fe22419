import Sequencer from '@jest/test-sequencer';

/** What takes longest, in short files: started last, one of them would keep a single worker busy at the end. */
const LONG = /\/test\/(?:cluster|faults|search|api\/samples|workers)\//;

/** Jest's own order (the longest first, as far as it has seen them run), with the long ones that it does not know in front. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isUnknownAndLong = (test) => test.duration === undefined && LONG.test(test.path);
    return [
      ...sorted.filter(isUnknownAndLong),
      ...sorted.filter((test) => !isUnknownAndLong(test)),
    ];
  }
}
