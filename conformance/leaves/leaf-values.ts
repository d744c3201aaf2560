import { asArray } from '../shared/json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A value for a number, string, enum or boolean of a document. */
export interface Scalar {
  /** The variation that the value represents; empty for the usual value. */
  readonly about: string;
  readonly value: unknown;
}

/** A schema that uses every feature of JSON Schema. */
const JSON_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', description: 'Where is it?' } },
  required: ['city'],
  additionalProperties: false,
};

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const PDF = btoa('%PDF-1.4 a small document');
const WAV = 'UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA';

const MP4 = btoa('\0\0\0\x18ftypmp42\0\0\0\0mp42isom');

/** The files behind the URLs of `media.example`, whose endings name their types. */
const FILES: Readonly<Record<string, { readonly mediaType: string; readonly base64: string }>> = {
  pdf: { mediaType: 'application/pdf', base64: PDF },
  wav: { mediaType: 'audio/wav', base64: WAV },
  mp4: { mediaType: 'video/mp4', base64: MP4 },
  png: { mediaType: 'image/png', base64: PNG },
};

export function fileBehind(url: string) {
  return FILES[/\.(\w+)$/.exec(url)?.[1] ?? ''] ?? { mediaType: 'image/png', base64: PNG };
}

/** Values that must have a meaning, by the end of the document's path: ids that match each other, media, JSON text. */
const MEANINGFUL: readonly (readonly [RegExp, unknown])[] = [
  [/\.input_audio\.data$/, WAV],
  [/\.file_data$/, `data:application/pdf;base64,${PDF}`],
  [/\.filename$/, 'report.pdf'],
  [/\.image_url$|\.image_url\.url$|\.fileUri$/, 'https://media.example/picture.png'],
  [/\.(?:file|document)_url$|\.source\.url$/, 'https://media.example/report.pdf'],
  [/\.video_url\.url$/, 'https://media.example/film.mp4'],
  [/\.audio_url\.url$/, 'https://media.example/sound.wav'],
  [/\.mimeType$/, 'image/png'],
  [/\.(?:inlineData|source)\.data$/, PNG],
  [/(?<!functionDeclarations\[\])\.parameters$/, JSON_SCHEMA],
  [/\.(?:input_schema|parametersJsonSchema|_?responseJsonSchema)$/, JSON_SCHEMA],
  [/\.country$/, 'NO'],
  [/^input\[\]\.result$/, PNG],
  [/\.reasoning_details\[\]\.(?:data|signature)$/, btoa('what was thought')],
  [/^input\[\]\.name$/, 'weather'],
  [/^contents\[\]\.role$/, 'user'],
  [/^tool_choice\.allowed_tools\.tools\[\]$/, { type: 'function', function: { name: 'weather' } }],
  [/^tool_choice\.tools\[\]$/, { type: 'function', name: 'weather' }],
  [/(?:json_schema|format)\.schema$|\.responseJsonSchema$/, JSON_SCHEMA],
  [/\.(?:function|function_call)\.arguments$|^input\[\]\.arguments$/, '{"city":"Oslo"}'],
  [/\.(?:tool_calls\[\]\.id|tool_call_id|tool_use_id|call_id)$/, 'call_1'],
  [/\.(?:functionCall|functionResponse)\.id$/, 'call_1'],
  [/\.(?:functionCall|functionResponse)\.name$|\.allowedFunctionNames\[\]$/, 'weather'],
];

/** Returns the only value for this place, if an arbitrary value of its type would be invalid. */
export function propertyValue(path: string): unknown {
  return MEANINGFUL.find(([place]) => place.test(path))?.[1];
}

/** Returns the values to try for a schema that is not an object, list or union. */
export function scalarValues(schema: Schema, path: string): readonly Scalar[] {
  const words = asArray(schema.enum).filter((word) => word !== null);
  // The zero value of a protocol buffer enum means "unspecified", so it is not the usual one.
  const usualFirst = words.toSorted((one, other) => Number(isZeroWord(one)) - Number(isZeroWord(other)));
  if (words.length > 0) {
    const said = usualFirst.map((value) => ({ about: `: ${String(value)}`, value }));
    return isOfProtocolBuffers(words) ? [...said, ...otherSpellings(words)] : said;
  }
  switch (schema.type) {
    case 'boolean':
      return [
        { about: '', value: true },
        { about: ': false', value: false },
      ];
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'string':
      return [{ about: '', value: textFor(schema, path) }];
    default:
      return [{ about: '', value: `value of ${nameOf(path)}` }];
  }
}

function isOfProtocolBuffers(words: readonly unknown[]): boolean {
  return words.every((word) => /^[A-Z][A-Z0-9_]*$/.test(String(word)));
}

/** The JSON mapping of protocol buffers accepts an enum's number, and Google's APIs accept its name in lower case. */
function otherSpellings(words: readonly unknown[]): readonly Scalar[] {
  const last = words.length - 1;
  const value = String(words[last]).toLowerCase();
  return [
    { about: `: ${value}`, value },
    { about: `: ${last}`, value: last },
  ];
}

function isZeroWord(word: unknown): boolean {
  return /UNSPECIFIED$/.test(String(word));
}

function numbers({ type, minimum, maximum, exclusiveMinimum, format }: Schema): readonly Scalar[] {
  const least = Number(minimum ?? exclusiveMinimum ?? Number.NaN);
  const most = Number(maximum ?? Number.NaN);
  const whole = type === 'integer' || format === 'int32' || format === 'int64';
  const usual = whole ? clamped(7, least, most) : clamped(0.37, least, most);
  const bounds = [
    ...(minimum === undefined ? [] : [{ about: ': least', value: least }]),
    ...(maximum === undefined || most > 1e9 ? [] : [{ about: ': most', value: most }]),
  ];
  return [{ about: '', value: usual }, ...bounds.filter(({ value }) => value !== usual)];
}

function clamped(value: number, least: number, most: number): number {
  return Math.min(Number.isNaN(most) ? value : most, Math.max(Number.isNaN(least) ? value : least, value));
}

/** Returns a unique text in the format that the document requires. */
function textFor({ format, pattern, maxLength, default: usual }: Schema, path: string): string {
  const name = nameOf(path);
  // Mistral's clients send the audio without a member for its format.
  if (path.endsWith('.input_audio')) return WAV;
  if (format === 'byte') return btoa(`bytes of ${name}`);
  if (format === 'uri') return `https://links.example/${name}`;
  if (format === 'date-time' || format === 'google-datetime') return '2026-03-04T05:06:07Z';
  if (format === 'google-duration') return '12s';
  if (format === 'int64') return '7';
  if (pattern !== undefined || /name$/i.test(path)) {
    const plain = `own_${name}`.replace(/[^\w-]/g, '_');
    if (pattern === undefined || new RegExp(String(pattern)).test(plain)) return plain;
    const [, beginning] = /^\^([a-z]+_)/.exec(String(pattern)) ?? [];
    if (beginning !== undefined) return `${beginning}${'0a1b'.repeat(8)}`;
    return typeof usual === 'string' ? usual : 'value';
  }
  return `text of ${name}`.slice(0, Number(maxLength ?? 200));
}

function nameOf(path: string): string {
  return path
    .replace(/\[\]|\.\{\}/g, '')
    .split('.')
    .slice(-2)
    .join('-');
}
