import { expect, test } from 'bun:test';
import { clientFormats } from '../index.ts';
import type { InboundCall, OutputBound } from './client-request.ts';

const call: InboundCall = { purpose: 'generate', model: 'm', stream: null, framing: 'sse' };

function bound(format: string, body: Record<string, unknown>): OutputBound | undefined {
  const request = { call, model: 'm', stream: false, wantsStreamUsage: false, bytes: new Uint8Array(0), body };
  return clientFormats.get(format)?.outputBound(request);
}

test.each([
  ['openai-completions', { prompt: 'a' }, { each: null, choices: 1, beside: 0 }],
  ['openai-completions', { prompt: 'a', max_tokens: 5, n: 2, best_of: 3 }, { each: 5, choices: 3, beside: 0 }],
  ['openai-completions', { prompt: ['a', 'b'], max_tokens: 5, n: 2 }, { each: 5, choices: 4, beside: 0 }],
  ['openai-completions', { prompt: [1, 2, 3], max_tokens: -1 }, { each: null, choices: 1, beside: 0 }],
  ['openai-completions', { prompt: [[1, 2], [3]], max_tokens: 0 }, { each: 0, choices: 2, beside: 0 }],
  ['openai-chat', {}, { each: null, choices: 1, beside: 0 }],
  ['openai-chat', { max_tokens: 5 }, { each: 5, choices: 1, beside: 0 }],
  ['openai-chat', { max_completion_tokens: 5, max_tokens: 900 }, { each: 900, choices: 1, beside: 0 }],
  ['openai-chat', { max_completion_tokens: 900, max_tokens: 5, n: 3 }, { each: 900, choices: 3, beside: 0 }],
  ['openai-chat', { max_tokens: 5, n: 2, best_of: 8 }, { each: 5, choices: 8, beside: 0 }],
  ['openai-chat', { max_tokens: 5, n: 0 }, { each: 5, choices: 1, beside: 0 }],
  ['openai-chat', { max_tokens: '900' }, { each: null, choices: 1, beside: 0 }],
  ['openai-chat', { max_tokens: -1, n: Number.NaN }, { each: null, choices: 1, beside: 0 }],
  ['openai-chat', { max_tokens: 1.5, n: 1.5 }, { each: 2, choices: 2, beside: 0 }],
  ['openai-chat', { max_tokens: 5, thinking_budget: 700 }, { each: 5, choices: 1, beside: 700 }],
  [
    'openai-chat',
    { max_tokens: 5, prediction: { type: 'content', content: 'abc' } },
    { each: 5, choices: 1, beside: 3 },
  ],
  [
    'openai-chat',
    {
      prediction: {
        type: 'content',
        content: [
          { type: 'text', text: 'ab' },
          { type: 'text', text: 'é' },
        ],
      },
    },
    { each: null, choices: 1, beside: 4 },
  ],
  ['openai-responses', { max_output_tokens: 5 }, { each: 5, choices: 1, beside: 0 }],
  ['openai-responses', { max_output_tokens: 5, max_tokens: 900 }, { each: 900, choices: 1, beside: 0 }],
  ['anthropic-messages', { max_tokens: 5 }, { each: 5, choices: 1, beside: 0 }],
  ['anthropic-messages', { max_tokens: 900, thinking: { budget_tokens: 700 } }, { each: 900, choices: 1, beside: 0 }],
  [
    'anthropic-messages',
    { max_tokens: 900, thinking: { budget_tokens: 1_000 } },
    { each: 900, choices: 1, beside: 100 },
  ],
  ['gemini', {}, { each: null, choices: 1, beside: 0 }],
  ['gemini', { generationConfig: { maxOutputTokens: 5, max_output_tokens: 9 } }, { each: 9, choices: 1, beside: 0 }],
  [
    'gemini',
    { generation_config: { max_output_tokens: 5, candidateCount: 2, thinkingConfig: { thinkingBudget: 70 } } },
    { each: 5, choices: 2, beside: 70 },
  ],
  ['gemini', { generationConfig: { thinking_config: { thinkingBudget: -1 } } }, { each: null, choices: 1, beside: 0 }],
] as const)('%s %j', (format, body, expected) => expect(bound(format, body)).toEqual(expected));
