import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { readInput } from './read-input.ts';

test('a body that arrives byte by byte is not awaited', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await Bun.sleep(0);
      if (!isCancelled) controller.enqueue(new TextEncoder().encode(' '));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const read = await readInput({ headers: new Headers(), body }, { isOptional: false, longestMs: 30 });
  expect([read instanceof Failure && read.code, isCancelled]).toEqual(['request_timeout', true]);
});
