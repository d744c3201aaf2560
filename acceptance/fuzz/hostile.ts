/* Input that nobody sends by mistake. */

const LONG = 'x'.repeat(100_000);
/** Just below the size limit of the management API, so that the body is not refused for its size alone. */
const MANY = 19_000;
/** The same for public routes. */
const FEW = 90;
const DEEP = 90;

function nested(depth: number, open: string, close: string): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

/** Bodies that are invalid on every route. The largest have a megabyte, which every management route reads. */
export const GARBAGE: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
  'an object with many members': JSON.stringify(Object.fromEntries(listOf(MANY, (at) => [`member_${at}`, at]))),
  'an object with some members': JSON.stringify(Object.fromEntries(listOf(FEW, (at) => [`member_${at}`, at]))),
  'a list of numbers': JSON.stringify(listOf(MANY, (at) => at)),
  'a deeply nested list': nested(DEEP, '[', ']'),
  'an object nested deeper than the stack': nested(100_000, '{"a":', '}'),
  'a text of a megabyte': JSON.stringify('x'.repeat(1_000_000)),
  'many objects': JSON.stringify(listOf(MANY / 4, () => ({ a: {} }))),
  'duplicate names': `{${listOf(1_000, () => '"name":1').join(',')}}`,
  'character escapes': `{"${'\\u0041'.repeat(10_000)}":"${'\\ud800'.repeat(10_000)}"}`,
  'an endless number': `{"a":${'9'.repeat(100_000)}}`,
  'a truncated object': '{"a":',
  nothing: '',
  'bytes that are not text': Uint8Array.from([0xff, 0xfe, 0x7b, 0x80, 0x7d]),
};

/** The garbage that every caller sends, including callers who may not use the route. */
export const COMMON_GARBAGE = [
  'an object with many members',
  'an object with some members',
  'a deeply nested list',
  'a truncated object',
] as const;

/** Values for one member of an otherwise valid body. */
export const VALUES: readonly unknown[] = [
  listOf(MANY, () => 1),
  Object.fromEntries(listOf(MANY / 2, (at) => [`m${at}`, null])),
  LONG,
  JSON.parse(nested(DEEP, '[', ']')),
  listOf(2_000, (at) => ({ id: at, models: [at] })),
  listOf(5_000, (at) => `${at}-${'y'.repeat(50)}`),
  ['__proto__', 'constructor', '\u0000', '\ud800', '../../etc/passwd', "' OR 1=1 --"],
  -1e308,
  '\u0000',
  '',
];

/** Values for one query parameter. */
export const PARAMETERS: readonly string[] = [
  'x'.repeat(4_000),
  '-1',
  '1e999',
  '\u0000',
  '__proto__',
  '%',
  Buffer.from('{"__proto__":[],"at":1e308}').toString('base64url'),
  `${'['.repeat(1_000)}`,
  "' OR 1=1 --",
];

export function listOf<Item>(length: number, item: (at: number) => Item): Item[] {
  return Array.from({ length }, (_, at) => item(at));
}
