/** Reads the JSON lines of a response as they arrive; undefined at the end. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
export function linesOf(answer: Response): { next(): Promise<any> } {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next() {
      while (!text.includes('\n')) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) {
          if (text !== '') throw new Error(`the last line has no end: ${text}`);
          return undefined;
        }
        text += value;
      }
      const [line = '', ...rest] = text.split('\n');
      text = rest.join('\n');
      return JSON.parse(line);
    },
  };
}
