import { expect, test } from 'bun:test';
import type { Usage } from '../../../domain/exchange/usage.ts';
import type { ParsedRequest } from '../client-request.ts';
import { gemini } from './index.ts';

/* Between rounds of Google's own tools a stream's counts start again; the report that comes with the end includes all rounds. */

const utf8 = new TextEncoder();
const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const REQUEST: ParsedRequest = {
  call: { purpose: 'generate', model: 'public', stream: true, framing: 'sse' },
  ...{ model: 'public', stream: true, wantsStreamUsage: true, bytes: utf8.encode('{}'), body: {} },
};

const report = (prompt: number, candidates?: number, thoughts?: number, tools?: number) => ({
  promptTokenCount: prompt,
  candidatesTokenCount: candidates,
  thoughtsTokenCount: thoughts,
  toolUsePromptTokenCount: tools,
});
/** The counts that Gemini 3 reported in a stream with code execution. */
const CHUNKS = [
  { parts: [{ executableCode: { code: '1', language: 'PYTHON' } }], usageMetadata: report(20, 21, 69) },
  { parts: [{ codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }], usageMetadata: report(20) },
  { parts: [{ text: 'One.' }], usageMetadata: report(20, 9, 22) },
  { parts: [{ text: '' }], finishReason: 'STOP', usageMetadata: report(89, 30, 91, 112) },
].map(({ parts, usageMetadata, ...more }) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  usageMetadata,
}));

function usagesAfter(count: number): readonly (Usage | null)[] {
  const bytes = utf8.encode(
    CHUNKS.slice(0, count)
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join(''),
  );
  const relay = gemini.relayStream(REQUEST, patch);
  relay.push(bytes);
  const decoder = gemini.decodeStream({ provider: 'p', channel: 'c', quirks: [] });
  const decoded = decoder.push(bytes).findLast((part) => part.type === 'usage');
  return [relay.usage, decoded?.type === 'usage' ? decoded.usage : null];
}

test.each([
  ['in the first round has its usage', 1, { input: 20, output: 21, reasoning: 69 }],
  [
    'at the beginning of the second round adds the first and what has begun',
    2,
    { input: 40, output: 21, reasoning: 69 },
  ],
  ['in the second round adds both', 3, { input: 40, output: 30, reasoning: 91 }],
  ['after its last report has that only', 4, { input: 201, output: 30, reasoning: 91 }],
])('a stream that ends %s', (_, chunks, expected) => {
  for (const usage of usagesAfter(chunks)) expect(usage).toMatchObject(expected);
});
