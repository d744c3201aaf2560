import { expect, test } from 'bun:test';
import { BodyScan } from '../../../../formats/shared/request/body-scan.ts';
import { markedRequest, translatedTemplate } from './translated-template.ts';

const utf8 = new TextEncoder();

function scanOf(...texts: readonly string[]) {
  const bytes = utf8.encode(JSON.stringify({ model: 'up', messages: texts.map((content) => ({ content })) }));
  const scan = new BodyScan(bytes, 0, null);
  scan.run(bytes.length);
  return scan;
}

type Translate = (texts: readonly string[]) => unknown;

/** Returns what a template of `translate` sends for other texts; `null` if there is no template. */
function refilled(translate: Translate, texts: readonly string[], others: readonly string[]): string | null {
  const translated = (all: readonly string[]) => utf8.encode(JSON.stringify(translate(all)));
  const scan = scanOf(...texts);
  const marked = JSON.parse(new TextDecoder().decode(markedRequest(scan)));
  const marks = marked.messages.map(({ content }: { readonly content: string }) => content);
  const template = translatedTemplate(scan, translated(texts), translated(marks));
  return template && new TextDecoder().decode(template.filled(scanOf(...others)));
}

test('a template sends the texts of another request', () => {
  const translate: Translate = ([system, text]) => ({ model: 'up', system, parts: [{ text }] });
  const sent = refilled(translate, ['up', 'parts'], ['other', 'a "quoted" text']);
  expect(sent).toBe(JSON.stringify(translate(['other', 'a "quoted" text'])));
});

test('an empty text is a part of the template', () => {
  const translate: Translate = (texts) => ({ parts: texts.filter((text) => text !== '') });
  expect(refilled(translate, ['', 'one'], ['', 'other'])).toBe('{"parts":["other"]}');
});

const first = (texts: readonly string[]) => texts[0] ?? '';

test.each<readonly [string, Translate]>([
  ['is left out, although it is equal to another value', () => ({ model: 'up' })],
  ['is sent twice', ([text]) => ({ title: text, text })],
  ['is a part of a longer one', ([text]) => ({ text: `Say: ${text}` })],
  ['is sent in another order', ([text, other]) => ({ other, text })],
  ['changes something else', (texts) => ({ text: first(texts), length: first(texts).length })],
  ['is changed', (texts) => ({ text: first(texts).toUpperCase() })],
])('there is no template if a text %s', (_, translate) => {
  expect(refilled(translate, ['up', 'user'], ['other', 'another'])).toBeNull();
});
