import { describe } from 'bun:test';
import { judgeResponsesStream } from './judges/index.ts';
import { testAnsweredCases } from './open-responses/answered-cases.ts';

/*
 * Open Responses (openresponses.org): the cases of its public suite and more, over the sandbox and over an upstream of
 * each format, whole and streamed. Each stream is checked for consistency; acceptance/recordings checks it against the
 * published document.
 */

describe('Open Responses', () => {
  testAnsweredCases({
    whole: ({ object }) => (object === 'response' ? [] : [`the object is ${String(object)}`]),
    stream: judgeResponsesStream,
  });
});
