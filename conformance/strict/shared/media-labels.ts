import { asObject, isObject } from '../../shared/json.ts';
import type { Example, Rule, Source } from '../rule.ts';

/** What a wire's request calls a kind of file, by the file's first bytes. */
const NAMES = {
  png: ['image/png', 'png'],
  jpeg: ['image/jpeg', 'jpeg'],
  gif: ['image/gif', 'gif'],
  webp: ['image/webp', 'webp'],
  pdf: ['application/pdf', 'pdf'],
  wav: ['audio/wav', 'wav'],
  mp3: ['audio/mp3', 'audio/mpeg', 'mp3'],
  flac: ['audio/flac', 'flac'],
} as const;
type Kind = keyof typeof NAMES;

const SIGNATURES: readonly (readonly [Kind, RegExp])[] = [
  ['png', /^\x89PNG/],
  ['jpeg', /^\xff\xd8\xff/],
  ['gif', /^GIF8/],
  ['webp', /^RIFF....WEBP/s],
  ['pdf', /^%PDF-/],
  ['wav', /^RIFF....WAVE/s],
  ['mp3', /^(?:ID3|\xff\xfb)/],
  ['flac', /^fLaC/],
];

interface LabelledFile {
  readonly path: string;
  readonly label: string;
  readonly base64: string;
}

/** Returns the rule of a provider that compares each file's label with its first bytes. `refused` and `accepted` are examples. */
export function mediaLabels(
  source: Source,
  examples: { readonly refused: readonly [Example, ...Example[]]; readonly accepted?: readonly Example[] },
): Rule {
  return {
    id: 'media-labels',
    statement: 'The declared media type of a file must be the one that its bytes have, in its registered spelling.',
    source,
    refuses(request) {
      const wrong = filesIn(request.body, '').find(({ label, base64 }) => !isRight(label, base64));
      if (wrong === undefined) return null;
      const found = kindOf(wrong.base64);
      const bytes = found === null ? 'cannot be read' : `appears to be ${NAMES[found][0]}`;
      return `${wrong.path}: the file was specified using the ${wrong.label} media type, but it ${bytes}`;
    },
    examples,
  };
}

function isRight(label: string, base64: string): boolean {
  const kind = kindOf(base64);
  if (kind === null) return true;
  const names: readonly string[] = NAMES[kind];
  return names.includes(label);
}

function kindOf(base64: string): Kind | null {
  const head = Buffer.from(base64.slice(0, 64), 'base64').toString('latin1');
  return SIGNATURES.find(([, signature]) => signature.test(head))?.[0] ?? null;
}

/** Returns the files of a body in the shapes that the wires have for them. */
function filesIn(value: unknown, path: string): readonly LabelledFile[] {
  if (typeof value === 'string') {
    const [, label, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(value) ?? [];
    return label === undefined || base64 === undefined ? [] : [{ path, label, base64 }];
  }
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => filesIn(item, `${path}.${index}`));
  if (!isObject(value)) return [];
  const label = value.media_type ?? value.mimeType ?? value.mime_type ?? value.format;
  const base64 = value.data ?? asObject(value.source).bytes;
  if (typeof label === 'string' && typeof base64 === 'string') return [{ path, label, base64 }];
  return Object.entries(value).flatMap(([name, member]) => filesIn(member, `${path}.${name}`));
}
