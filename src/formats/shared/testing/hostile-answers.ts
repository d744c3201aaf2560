/** Values of the wrong type, or without meaning, for any member of an answer; none may cause an exception. */
export const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, 7, -1, 1.5, 1e308, '', 'x', 'odd', 'x'.repeat(100_000)],
  ...['constructor', '__proto__', '/../../account', 'javascript:alert(1)', 'file:///etc/passwd', 'https://'],
  ...[[], [null], [[]], [{}], [7], ['odd'], {}, { a: 1 }, { toString: 'x' }],
  JSON.parse('{"__proto__": {"status": "SUCCESS"}}'),
];

/** Ids that are invalid or would redirect a URL. */
export const HOSTILE_IDS: readonly unknown[] = [
  ...[
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a/../b',
    '/x',
    'https://evil.example/x',
    'a?b=c',
    'a#b',
    'a%2fb',
    'a b',
    'a\nb',
    'ü',
  ],
  ...[7, null, true, [], ['a'], {}, { id: 'a' }, 'x'.repeat(501)],
];

/** Yields the answer with each of its members, at every depth, replaced by each of the hostile values. */
export function* hostileAnswers(answer: unknown): Generator<unknown> {
  for (const value of HOSTILE_VALUES) yield value;
  if (typeof answer !== 'object' || answer === null) return;
  for (const key of Object.keys(answer)) {
    for (const value of hostileAnswers(Reflect.get(answer, key))) {
      const copy = structuredClone(answer);
      Reflect.set(copy, key, value);
      yield copy;
    }
  }
}
