import { type StreamFrames, WIRES, type WordAnswer } from '../money/wire-answers.ts';
import type { LieFormat } from './bed.ts';

/* Frames of correct responses, and of failures, in each format. */

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }) => `event: ${value.type}\n${data(value)}`;

/** Returns a correct response's frames. Those of `head` have no text of the model. */
export function honestFrames(wire: LieFormat, answer: WordAnswer): StreamFrames {
  if (wire !== 'openai-completions') {
    const frames = WIRES[wire].stream(answer);
    return wire === 'gemini' ? { ...frames, head: [GEMINI_OPENING] } : frames;
  }
  const chunk = (text: string, finish_reason: string | null) => ({
    ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'upstream' },
    choices: [{ index: 0, text, logprobs: null, finish_reason }],
  });
  const { usage } = answer;
  const counts = usage && { prompt_tokens: usage.input, completion_tokens: usage.output };
  return {
    head: [data(chunk('', null))],
    word: data(chunk(' apple', null)),
    tail: [
      data(chunk('', 'stop')),
      ...(counts === null ? [] : [data({ ...chunk('', null), choices: [], usage: counts })]),
      'data: [DONE]\n\n',
    ],
  };
}

const GEMINI_OPENING = data({
  candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, index: 0 }],
  ...{ modelVersion: 'upstream', responseId: 'answer-1' },
});

export function honestStream(wire: LieFormat, answer: WordAnswer): string[] {
  const { head, word, tail } = honestFrames(wire, answer);
  return [...head, ...Array.from({ length: answer.words }, () => word), ...tail];
}

/** An error that arrives as an event of a stream. */
export const ERROR_EVENTS: Readonly<Record<LieFormat, string>> = {
  'openai-chat': data({ error: { message: 'The server had an error.', type: 'server_error', code: null } }),
  'openai-completions': data({ error: { message: 'The server had an error.', type: 'server_error', code: null } }),
  'openai-responses': named({
    type: 'error',
    ...{ sequence_number: 9, code: 'server_error', message: 'The server had an error.', param: null },
  }),
  'anthropic-messages': named({
    type: 'error',
    ...{ error: { type: 'overloaded_error', message: 'Overloaded' } },
  }),
  gemini: data({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
};

/** Returns a correct response's body. */
export function honestWhole(wire: LieFormat, answer: WordAnswer): object {
  if (wire !== 'openai-completions') return WIRES[wire].whole(answer);
  const { usage, words } = answer;
  return {
    ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model: 'upstream' },
    choices: [{ index: 0, text: ' apple'.repeat(words), logprobs: null, finish_reason: 'stop' }],
    ...(usage === null ? {} : { usage: { prompt_tokens: usage.input, completion_tokens: usage.output } }),
  };
}
