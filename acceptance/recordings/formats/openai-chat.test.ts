import { expect, test } from 'bun:test';
import { readRecording, recordingsFolder, rowsIn } from '../../../conformance/shared/recordings.ts';
import { validateChatRequest } from '../../../src/formats/text/openai-chat/schema.ts';

/** Cohere's chat is another format. One recorder edited this body by hand and left a trailing comma, so it is not JSON. */
const NOT_THIS_FORMAT = { provider: 'cohere', file: 'writer/chat/005-test-writer-async-chat-tool-calls-legacy.json' };

const accepted = rowsIn(recordingsFolder)
  .filter(({ api, status, provider }) => api === 'chat' && status === 200 && provider !== NOT_THIS_FORMAT.provider)
  .filter(({ file }) => file !== NOT_THIS_FORMAT.file)
  .map(readRecording)
  .flatMap(({ file, requestBody }) => (requestBody ? [{ file, body: JSON.parse(requestBody) }] : []));

test('every recorded request that a provider answered with 200 is valid', () => {
  expect(accepted.length).toBeGreaterThan(300);
  const refused = accepted.flatMap(({ file, body }) => {
    // Azure clients name the model in the path.
    const failure = validateChatRequest({ ...body, model: body.model ?? 'azure-deployment' });
    return failure === null ? [] : [`${file}: ${failure.message}`];
  });
  expect(refused).toEqual([]);
});
