import Sequencer from '@jest/test-sequencer';

/** Short files that take the longest: started last, one of them would keep a single worker busy at the end. */
const LONG = /\/test\/(?:cluster|faults|search|api\/samples|workers)\//;

/** Jest's own order (longest first, for files it has seen run), with long files that it doesn't know yet in front. */
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
