import { expect, test } from 'bun:test';
import { applyEdits } from '../shared/json/json-patch.ts';
import { labelEdits, type MediaFields } from '../shared/media/media-fields.ts';
import { media as messages } from './anthropic-messages/media.ts';
import { media as gemini } from './gemini/media.ts';
import { media as chat } from './openai-chat/media.ts';
import { media as responses } from './openai-responses/media.ts';

/** Returns base64 of the bytes that have the characters' code points. */
const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

const PNG = base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const WEBP = base64('RIFF\x24\0\0\0WEBPVP8 ');
const WAV = base64('RIFF\x24\0\0\0WAVEfmt ');
const PDF = base64('%PDF-1.7\n');
const UNKNOWN = base64('nobody knows');

/** Returns the body as it is sent, with corrected labels, and checks that no other byte has changed. */
function corrected(media: MediaFields, text: string): string {
  const bytes = new TextEncoder().encode(text);
  return new TextDecoder().decode(applyEdits(bytes, labelEdits(bytes, media.filesOf(JSON.parse(text)))));
}

const inChat = (block: object) => JSON.stringify({ messages: [{ role: 'user', content: [block] }] });
const inMessages = (source: object) => JSON.stringify({ messages: [{ content: [{ type: 'image', source }] }] });
const inGemini = (inlineData: object) => JSON.stringify({ contents: [{ parts: [{ text: 'see' }, { inlineData }] }] });
const inResponses = (block: object) => JSON.stringify({ input: [{ role: 'user', content: [block] }] });

const CASES: readonly (readonly [string, MediaFields, (label: string) => string, string, string])[] = [
  ['chat', chat, (is) => inChat({ image_url: { url: `data:${is};base64,${PNG}` } }), 'image/jpeg', 'image/png'],
  ['chat', chat, (is) => inChat({ image_url: `data:${is};base64,${UNKNOWN}` }), 'image/jpg', 'image/jpeg'],
  ['chat', chat, (is) => inChat({ file: { file_data: `data:${is};base64,${PDF}` } }), '', 'application/pdf'],
  ['chat', chat, (is) => inChat({ input_audio: { data: WAV, format: is } }), 'x-wav', 'wav'],
  ['chat', chat, (is) => inChat({ input_audio: { data: WAV, format: is } }), 'mp3', 'wav'],
  ['Messages', messages, (is) => inMessages({ media_type: is, data: PNG }), 'image/jpeg', 'image/png'],
  ['Messages', messages, (is) => inMessages({ media_type: is, data: WEBP }), 'Image/JPG', 'image/webp'],
  ['Gemini', gemini, (is) => inGemini({ mimeType: is, data: UNKNOWN }), 'image/jpg', 'image/jpeg'],
  ['Gemini', gemini, (is) => inGemini({ mime_type: is, data: WAV }), 'audio/x-wav', 'audio/wav'],
  ['Gemini', gemini, (is) => inGemini({ mimeType: is, data: UNKNOWN }), 'audio/x-mp3', 'audio/mp3'],
  ['Responses', responses, (is) => inResponses({ image_url: `data:${is};base64,${PNG}` }), 'image/webp', 'image/png'],
  [
    'Responses',
    responses,
    (is) => inResponses({ file_data: `data:${is};base64,${PDF}` }),
    'text/plain',
    'application/pdf',
  ],
];

test.each(CASES)('%s: a wrong media type is corrected, and no other byte changes', (_, media, body, wrong, right) => {
  expect(corrected(media, body(wrong))).toBe(body(right));
  expect(corrected(media, body(right))).toBe(body(right));
});

test.each([inGemini({ mimeType: 'audio/mp3', data: UNKNOWN }), inGemini({ mimeType: 'audio/mpeg', data: UNKNOWN })])(
  'a type that Google lists is unchanged: %s',
  (body) => expect(corrected(gemini, body)).toBe(body),
);

test.each([
  inChat({ input_audio: { data: UNKNOWN, format: 'pcm' } }),
  inChat({ input_audio: { data: UNKNOWN, format: 'later' } }),
  inChat({ image_url: { url: 'https://example.com/a.png' } }),
  inChat({ type: 'text', text: 'data:image/jpg;base64,AAAA', image_url: 'data:image/jpg;base64,AAAA' }),
])('a correct type is unchanged: %s', (body) => expect(corrected(chat, body)).toBe(body));

test('a plain text document has no file', () => {
  const body = inMessages({ type: 'text', media_type: 'text/plain', data: '%PDF-1.7 is a version' });
  expect(messages.filesOf(JSON.parse(body))).toEqual([]);
});

test('a media type is found after white space, escapes and members of the same name', () => {
  const body = (label: string) =>
    `{ "messages" : [ {"content":"one"} , {"content": [{"source":{"data":"x"}},\n{"source":{"media_type":"image/gif","data":"${PNG}","media_type":"${label}"}}]}]}`;
  expect(corrected(messages, body('image/jpg'))).toBe(body('image/png'));
  const uri = (label: string) => `{"input":[{"content":[{"image_url":"data:${label};base64,${PNG}"}]}]}`;
  expect(corrected(responses, uri('image\\/jpg'))).toBe(uri('image/png'));
});

test('files are counted anywhere, with their sizes', () => {
  const source = { type: 'base64', media_type: 'image/png', data: PNG };
  const result = { type: 'tool_result', content: [{ type: 'image', source }] };
  const document = { type: 'document', source: { type: 'content', content: [{ type: 'image', source }] } };
  const files = messages.filesOf({ messages: [{ content: 'no' }, { content: [result, document] }] });
  expect(files.map(({ path, bytes }) => [path.join('.'), bytes])).toEqual([
    ['messages.1.content.0.content.0.source.data', 16],
    ['messages.1.content.1.source.content.0.source.data', 16],
  ]);
});
