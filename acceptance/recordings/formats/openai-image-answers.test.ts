import { expect, test } from 'bun:test';
import { readRecording, recordingsFolder, rowsIn } from '../../../conformance/shared/recordings.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { decodeFailure } from '../../../src/formats/shared/failure/upstream-failure.ts';
import { decodeAnswer } from '../../../src/formats/shared/media/openai-image-answer.ts';

const answers = rowsIn(recordingsFolder)
  .filter(({ provider, api }) => ['openai', 'xai'].includes(provider) && api === 'images')
  .map(readRecording);

test('recordings exist', () => expect(answers.length).toBeGreaterThan(0));

test.each(answers.map((one) => [one.file, one] as const))('%s is decoded', (_, { status, responseBody }) => {
  const bytes = new TextEncoder().encode(responseBody);
  const body = JSON.parse(responseBody);
  if (status !== 200) {
    const failure = decodeFailure(status, new Headers(), bytes);
    // An unknown model is the channel's fault, everything else the client's.
    expect(failure.side).toBe(body.error.message.includes('does not exist') ? 'upstream' : 'client');
    return;
  }
  const answer = decodeAnswer({ bytes, headers: new Headers() });
  if (answer instanceof Failure) throw new Error(answer.message);
  expect(answer.images.map(({ url, base64 }) => url ?? base64)).toEqual(
    body.data.map((item: { url?: string; b64_json?: string }) => item.url ?? item.b64_json),
  );
  const total = body.usage?.total_tokens;
  if (total === undefined) return;
  const { textInput = 0, imageInput = 0, textOutput = 0, imageOutput = 0 } = answer.tokens ?? {};
  expect(textInput + imageInput + textOutput + imageOutput).toBe(total);
});
