import { describe, expect, test } from 'bun:test';
import { clientFormats } from '../../index.ts';
import { type PromptWeight, weighPrompt } from './prompt-weight.ts';

function weigh(format: string, json: string): PromptWeight {
  const found = clientFormats.get(format);
  if (!found) throw new Error(`there is no format ${format}`);
  const body = JSON.parse(json) as Record<string, unknown>;
  const call = { purpose: 'generate', model: 'm', stream: null, framing: 'sse' } as const;
  const bytes = new TextEncoder().encode(json);
  const request = { call, model: 'm', stream: false, wantsStreamUsage: false, bytes, body };
  return weighPrompt(body, found.conversation(request), bytes.length);
}

const chat = (content: unknown) => JSON.stringify({ messages: [{ role: 'user', content }] });
const responses = (input: unknown) => JSON.stringify({ input });
const messages = (content: unknown) => JSON.stringify({ messages: [{ role: 'user', content }] });
const gemini = (parts: unknown) => JSON.stringify({ contents: [{ role: 'user', parts }] });

const DATA = 'A'.repeat(4_000);

describe('text counts as text', () => {
  const schema = { type: 'object', properties: { image_url: { type: 'string' }, file_path: { type: 'image' } } };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"type":"image_url"}' } };
  test.each([
    ['openai-chat', chat('say "input_image" and "file"')],
    ['openai-completions', JSON.stringify({ prompt: 'say "input_image"' })],
    ['openai-completions', JSON.stringify({ prompt: ['a', 'b'], suffix: 'c' })],
    ['openai-completions', JSON.stringify({ prompt: [[1, 2], [3]] })],
    ['openai-chat', chat([{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }])],
    [
      'openai-chat',
      JSON.stringify({
        messages: [
          { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: 'done' },
        ],
        tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
        response_format: { type: 'json_schema', json_schema: { schema } },
      }),
    ],
    [
      'openai-responses',
      responses([
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'x' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"file":1}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
        { type: 'custom_tool_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'done' }] },
      ]),
    ],
    [
      'anthropic-messages',
      messages([
        { type: 'thinking', thinking: 'hm', signature: 'x' },
        { type: 'tool_use', id: 't', name: 'f', input: { type: 'image', source: { type: 'url' } } },
        { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'done' }] },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'all of it' } },
      ]),
    ],
    [
      'gemini',
      gemini([
        { text: 'Hi', thought: false, thoughtSignature: 'x' },
        { functionCall: { name: 'f', args: { inlineData: { mimeType: 'image/png' } } } },
        { functionResponse: { name: 'f', response: { fileData: 1 } } },
      ]),
    ],
    ['gemini', JSON.stringify({ contents: [], tools: [{ functionDeclarations: [], codeExecution: null }] })],
  ])('%s %s', (format, json) => {
    expect(weigh(format, json)).toEqual({
      textBytes: json.length,
      images: 0,
      audioBytes: 0,
      isOpen: false,
      isTextOnly: true,
      likelyMediaTokens: 0,
      imageParts: 0,
      audioParts: 0,
      fileParts: 0,
    });
  });
});

describe('an image counts as an image in any notation', () => {
  const url = `data:image/png;base64,${DATA}`;
  test.each([
    ['openai-chat', chat([{ type: 'image_url', image_url: { url } }])],
    ['openai-chat', chat([{ type: 'image_url', image_url: url }])],
    [
      'openai-chat',
      chat([{ type: 'image_url', image_url: { url } }]).replace('"image_url"', String.raw`"im\u0061ge_url"`),
    ],
    ['openai-responses', responses([{ role: 'user', content: [{ type: 'input_image', image_url: url }] }])],
    [
      'openai-responses',
      responses([{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: url } }]),
    ],
    [
      'openai-responses',
      responses([{ type: 'function_call_output', output: [{ type: 'input_image', image_url: url }] }]),
    ],
    [
      'anthropic-messages',
      messages([
        {
          type: 'tool_result',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } }],
        },
      ]),
    ],
    ['gemini', gemini([{ inlineData: { mimeType: 'image/png', data: DATA } }])],
    ['gemini', gemini([{ inline_data: { mime_type: 'image/png', data: DATA } }])],
    ['gemini', gemini([{ functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: DATA } }] } }])],
  ])('%s %s', (format, json) => {
    const weight = weigh(format, json);
    expect(weight).toMatchObject({ images: 1, isOpen: false, isTextOnly: false });
    expect(weight.textBytes).toBeLessThan(200);
    expect(weight.likelyMediaTokens).toBeGreaterThan(1_000);
  });

  test('with a URL takes nothing off the text', () => {
    const json = chat([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]);
    expect(weigh('openai-chat', json)).toMatchObject({ images: 1, textBytes: json.length });
  });
});

test('audio counts by its bytes', () => {
  const weight = weigh('openai-chat', chat([{ type: 'input_audio', input_audio: { data: DATA, format: 'wav' } }]));
  expect(weight).toMatchObject({ audioBytes: 3_000, isOpen: false, isTextOnly: false });
});

describe('content of unknown size is marked as such', () => {
  test.each([
    ['openai-chat', chat([{ type: 'file', file: { file_data: DATA } }])],
    ['openai-chat', chat([{ type: 'file', file: { file_id: 'file-1' } }])],
    ['openai-chat', chat([{ type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } }])],
    ['openai-chat', chat([{ type: 'hologram', hologram: {} }])],
    ['openai-chat', JSON.stringify({ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] })],
    ['openai-chat', JSON.stringify({ messages: [{ role: 'user', content: 'Hi', images: ['https://example.com/a'] }] })],
    ['openai-chat', JSON.stringify({ messages: [], web_search_options: {} })],
    ['openai-responses', responses([{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a' }] }])],
    ['openai-responses', responses([{ type: 'item_reference', id: 'msg_1' }])],
    ['openai-responses', JSON.stringify({ input: 'Hi', previous_response_id: 'resp_1' })],
    ['openai-responses', JSON.stringify({ input: 'Hi', prompt: { id: 'pmpt_1' } })],
    ['openai-completions', JSON.stringify({ prompt: 'Hi', images: ['https://a.example/b.png'] })],
    ['openai-responses', JSON.stringify({ input: 'Hi', prompt: { id: 'pmpt_1' } })],
    ['openai-responses', JSON.stringify({ input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] })],
    ['anthropic-messages', messages([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])],
    ['anthropic-messages', messages([{ type: 'document', source: { type: 'base64', data: DATA } }])],
    ['anthropic-messages', JSON.stringify({ messages: [], mcp_servers: [{ url: 'https://a' }] })],
    [
      'anthropic-messages',
      JSON.stringify({ messages: [], tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }),
    ],
    ['gemini', gemini([{ fileData: { fileUri: 'https://a' } }])],
    ['gemini', gemini([{ inlineData: { mimeType: 'application/pdf', data: DATA } }])],
    ['gemini', JSON.stringify({ contents: [], cached_content: 'cachedContents/1' })],
    ['gemini', JSON.stringify({ contents: [], tools: [{ urlContext: {} }] })],
  ])('%s %s', (format, json) => {
    const weight = weigh(format, json);
    expect(weight).toMatchObject({ isOpen: true, isTextOnly: false });
    expect(weight.likelyMediaTokens).toBeGreaterThan(0);
  });

  test('even if nested too deep', () => {
    let content: unknown = 'Hi';
    for (let depth = 0; depth < 1_000; depth++) content = [{ type: 'tool_result', content }];
    expect(weigh('anthropic-messages', messages(content))).toMatchObject({ isOpen: true });
  });
});
