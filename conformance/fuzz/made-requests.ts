import type { StateFamily } from '../../src/domain/exchange/opaque-state.ts';
import type { InboundCall } from '../../src/formats/text/client-request.ts';
import { wrapState } from '../../src/formats/text/shared/state-token.ts';
import type { Format } from '../judges/index.ts';

type Body = Readonly<Record<string, unknown>>;

type Make = (format: Format, count: number, text: string) => Body;

/** Requests of any size: `count` parts of one kind that contain `text`. */
export const LARGE_REQUESTS: Readonly<Record<string, Make>> = {
  texts: manyTexts,
  turns: (format, count, text) => {
    const turns = repeated(count, (index) => turnOf(format, index, text));
    return conversation(format, turns, [text]);
  },
  calls: (format, count, text) => conversation(format, callTurns(format, count, text), [text]),
  thoughts: (format, count, text) => {
    const states = repeated(count, (index) => `c2lnbmVk${text}${index}`);
    return conversation(format, thoughtTurns(format, states), [text]);
  },
  media: (format, count, text) => conversation(format, [mediaTurn(format, count)], [text]),
};

export function manyTexts(format: Format, count: number, text: string): Body {
  return conversation(
    format,
    [],
    repeated(count, () => text),
  );
}

const FAMILIES: readonly StateFamily[] = ['anthropic', 'google', 'openai-responses', 'openai-chat', 'cohere'];

/** Returns turns that send back a state token of each family, in the field that the format's clients have for it. */
export function stateRequests(format: Format) {
  return FAMILIES.map((family) => {
    const secret = `c2VjcmV0${family.replace(/[^a-z]/g, '')}`;
    const data =
      family === 'openai-responses' ? JSON.stringify({ type: 'reasoning', encrypted_content: secret }) : secret;
    const token = wrapState({ family, data, provider: 'fuzz', channel: 'fuzz' });
    return { family, secret, body: conversation(format, thoughtTurns(format, [token]), ['Go on.']) };
  });
}

export function callOf(format: Format): InboundCall {
  const isGemini = format === 'gemini';
  return { purpose: 'generate', model: isGemini ? 'a-model' : null, stream: isGemini ? false : null, framing: 'sse' };
}

/** Returns text, because `JSON.stringify` cannot write such a deep value. */
export function withDeepMember(format: Format, levels: number): string {
  const whole = JSON.stringify(conversation(format, [], ['Hi']));
  return `${whole.slice(0, -1)},"metadata":${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}}`;
}

function repeated<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function conversation(format: Format, turns: readonly unknown[], question: readonly string[]): Body {
  switch (format) {
    case 'openai-chat':
      return {
        model: 'm',
        messages: [...turns, { role: 'user', content: question.map((text) => ({ type: 'text', text })) }],
      };
    case 'openai-responses':
      return {
        model: 'm',
        input: [...turns, { role: 'user', content: question.map((text) => ({ type: 'input_text', text })) }],
      };
    case 'anthropic-messages':
      return {
        model: 'm',
        max_tokens: 100,
        messages: [...turns, { role: 'user', content: question.map((text) => ({ type: 'text', text })) }],
      };
    case 'gemini':
      return { contents: [...turns, { role: 'user', parts: question.map((text) => ({ text })) }] };
  }
}

function turnOf(format: Format, index: number, text: string): unknown {
  const isUser = index % 2 === 0;
  return format === 'gemini'
    ? { role: isUser ? 'user' : 'model', parts: [{ text }] }
    : { role: isUser ? 'user' : 'assistant', content: text };
}

function callTurns(format: Format, count: number, text: string): readonly unknown[] {
  const json = JSON.stringify({ text });
  switch (format) {
    case 'openai-chat': {
      const calls = repeated(count, (index) => ({
        id: `call!${index}`,
        type: 'function',
        function: { name: `f${index}`, arguments: json },
      }));
      const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: text }));
      return [{ role: 'assistant', tool_calls: calls }, ...results];
    }
    case 'openai-responses':
      return [
        ...repeated(count, (index) => ({
          type: 'function_call',
          call_id: `call!${index}`,
          name: 'f',
          arguments: json,
        })),
        ...repeated(count, (index) => ({ type: 'function_call_output', call_id: `call!${index}`, output: text })),
      ];
    case 'anthropic-messages':
      return [
        {
          role: 'assistant',
          content: repeated(count, (index) => ({ type: 'tool_use', id: `call!${index}`, name: 'f', input: { text } })),
        },
        {
          role: 'user',
          content: repeated(count, (index) => ({ type: 'tool_result', tool_use_id: `call!${index}`, content: text })),
        },
      ];
    case 'gemini':
      return [
        { role: 'model', parts: repeated(count, () => ({ functionCall: { name: 'f', args: { text } } })) },
        { role: 'user', parts: repeated(count, () => ({ functionResponse: { name: 'f', response: { text } } })) },
      ];
  }
}

function thoughtTurns(format: Format, states: readonly string[]): readonly unknown[] {
  switch (format) {
    case 'openai-chat':
      return states.map((state, index) => ({
        role: 'assistant',
        content: 'Hi',
        reasoning_details: [{ type: 'reasoning.encrypted', id: `r${index}`, data: state }],
      }));
    case 'openai-responses':
      return states.map((state, index) => ({
        type: 'reasoning',
        id: `rs_${index}`,
        summary: [],
        encrypted_content: state,
      }));
    case 'anthropic-messages':
      return [
        {
          role: 'assistant',
          content: [
            ...states.map((state) => ({ type: 'thinking', thinking: 'Hm', signature: state })),
            ...states.map((state) => ({ type: 'redacted_thinking', data: state })),
            { type: 'text', text: 'Hi' },
          ],
        },
      ];
    case 'gemini':
      return [
        { role: 'model', parts: states.map((state) => ({ text: 'Hm', thought: true, thoughtSignature: state })) },
      ];
  }
}

const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0=';

function mediaTurn(format: Format, count: number): unknown {
  switch (format) {
    case 'openai-chat': {
      const file = { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };
      return { role: 'user', content: repeated(count, () => ({ type: 'file', file })) };
    }
    case 'openai-responses': {
      const file = { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };
      return { role: 'user', content: repeated(count, () => file) };
    }
    case 'anthropic-messages': {
      const source = { type: 'base64', media_type: 'application/pdf', data: PDF };
      return { role: 'user', content: repeated(count, () => ({ type: 'document', title: 'a', source })) };
    }
    case 'gemini':
      return { role: 'user', parts: repeated(count, () => ({ inlineData: { mimeType: 'image/png', data: PNG } })) };
  }
}
