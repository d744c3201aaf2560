/** Values of the wrong type or without sense for any member of an answer. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  7,
  -1,
  1e308,
  true,
  '',
  'odd',
  'constructor',
  '__proto__',
  '/../../account',
  'javascript:alert(1)',
  'x'.repeat(100_000),
  [],
  [null],
  [[]],
  {},
  [{}],
  [7],
  ['odd'],
  { __proto__: { a: 1 } },
];

/** The answer with each of its members, at every depth, in turn replaced by each of the hostile values. */
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
