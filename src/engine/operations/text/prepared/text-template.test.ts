import { expect, test } from 'bun:test';
import { TextTemplate } from './text-template.ts';

const utf8 = new TextEncoder();

const BODY = '{"a":"one","b":"two","c":3}';
const template = TextTemplate.around(utf8.encode(BODY), [5, 10, 15, 20]);

/** Returns the texts that the template finds in a body. */
function found(body: string): readonly string[] | null {
  const at = template.textsIn(utf8.encode(body));
  return at && [body.slice(at[0], at[1]), body.slice(at[2], at[3])];
}

test('a template finds the texts of other bytes', () => {
  expect(found(BODY)).toEqual(['"one"', '"two"']);
  expect(found('{"a":"x \\" y","b":"\\\\","c":3}')).toEqual(['"x \\" y"', '"\\\\"']);
});

test.each([
  ['an empty text', '{"a":"","b":"two","c":3}'],
  ['another value in place of a text', '{"a":null,"b":"two","c":3}'],
  ['another member', '{"a":"one","b":"two","d":3}'],
  ['another member after a text', '{"a":"one","x":"two","c":3}'],
  ['bytes behind it', `${BODY} `],
  ['a missing end', BODY.slice(0, -1)],
  ['an open text', '{"a":"one","b":"two'],
  ['only a beginning', '{"a":"'],
  ['nothing', ''],
])('a template finds nothing in a body with %s', (_, body) => {
  expect(found(body)).toBeNull();
});
