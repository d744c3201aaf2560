import type { Scripted } from '../../../../call/testing/fake-upstream.ts';
import {
  CHAT_DONE,
  CHAT_USAGE,
  chatAnswer,
  chatText,
  json,
  messagesAnswer,
  messagesStream,
  responsesAnswer,
  sse,
} from '../../../../call/testing/sample-answers.ts';

/* Good answers of every wire, whole and as streams. Some have reasoning with state, which the gateway remembers. */

/** How the answer of one wire says a text. `thought` adds reasoning with state. */
interface Speaker {
  whole(text: string, thought: boolean): Scripted;
  stream(text: string, thought: boolean): Scripted;
}

type Event = Readonly<Record<string, unknown>>;

/** Returns server-sent events, each with the name of its type. */
function named(...events: readonly Event[]): Scripted {
  return sse(...events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`));
}

const SIGNATURE = 'c2lnbmF0dXJl';

const messages: Speaker = {
  whole(text, thought) {
    if (!thought) return messagesAnswer(text);
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
      { type: 'text', text },
    ];
    const usage = { input_tokens: 7, output_tokens: 5 };
    const top = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_sequence: null };
    return json({ ...top, content, stop_reason: 'max_tokens', usage });
  },
  stream(text, thought) {
    if (!thought) return messagesStream(text);
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [] };
    const thinking = { type: 'thinking', thinking: '', signature: '' };
    return named(
      { type: 'message_start', message: { ...message, usage: { input_tokens: 7, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: thinking },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: SIGNATURE } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    );
  },
};

function geminiChunk(text: string, thought: boolean): Event {
  const parts = [...(thought ? [{ text: 'Hm.', thought: true, thoughtSignature: SIGNATURE }] : []), { text }];
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 };
  return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata };
}

const gemini: Speaker = {
  whole: (text, thought) => json(geminiChunk(text, thought)),
  stream: (text, thought) => sse(`data: ${JSON.stringify(geminiChunk(text, thought))}\n\n`),
};

const responses: Speaker = {
  whole: (text) => responsesAnswer(text),
  stream(text) {
    const response = {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'in_progress',
      model: 'up',
      output: [],
    };
    const part = { type: 'output_text', text: '', annotations: [] };
    const item = {
      id: 'msg_out',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ ...part, text }],
    };
    const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
    const at = { item_id: 'msg_out', output_index: 0, content_index: 0 };
    return named(
      { type: 'response.created', sequence_number: 0, response },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part },
      { type: 'response.output_text.delta', ...at, delta: text },
      { type: 'response.output_text.done', ...at, text },
      { type: 'response.content_part.done', ...at, part: { ...part, text } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
    );
  },
};

const converse: Speaker = {
  whole(text, thought) {
    const reasoning = { reasoningContent: { reasoningText: { text: 'Hm.', signature: SIGNATURE } } };
    const content = [...(thought ? [reasoning] : []), { text }];
    const usage = { inputTokens: 7, outputTokens: 5, totalTokens: 12 };
    return json({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage });
  },
  stream(text) {
    const event = (type: string, value: Event) => `event: ${type}\ndata: ${JSON.stringify(value)}\n\n`;
    return sse(
      event('messageStart', { role: 'assistant' }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: 'end_turn' }),
      event('metadata', { usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12 } }),
    );
  },
};

const BILLED = { billed_units: { input_tokens: 7, output_tokens: 5 } };

const cohere: Speaker = {
  whole(text) {
    const message = { role: 'assistant', content: [{ type: 'text', text }] };
    return json({ id: 'id-1', finish_reason: 'COMPLETE', message, usage: BILLED });
  },
  stream(text) {
    return named(
      { type: 'message-start', id: 'id-1', delta: { message: { role: 'assistant', content: [] } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
      { type: 'content-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: BILLED } },
    );
  },
};

const chat: Speaker = {
  whole: (text) => chatAnswer(text),
  stream: (text) => sse(chatText(text), chatText('lo', 'stop'), CHAT_USAGE, CHAT_DONE),
};

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  'openai-chat': chat,
  'anthropic-messages': messages,
  gemini,
  'openai-responses': responses,
  'bedrock-converse': converse,
  'cohere-chat': cohere,
};

export function goodAnswer(wire: string, stream: boolean, text: string, thought: boolean): Scripted {
  const speaker = SPEAKERS[wire] ?? chat;
  return stream ? speaker.stream(text, thought) : speaker.whole(text, thought);
}
