import { mediaTypeByBytes } from '../../../domain/media/media-label.ts';
import type { Edit } from '../json/json-patch.ts';
import { MemberNames, scanObject, skipValue, skipWhitespace } from '../json/json-scan.ts';
import { startOf } from '../json/long-text.ts';
import { isRecord } from '../json/record.ts';
import { headOf } from './media-label.ts';

/** A member of a format's requests that contains a file in base64. */
export interface MediaField {
  /** The path of the data, such as `messages[].content[].image_url.url`; `[]` marks a list. */
  readonly data: string;
  /** The names of the sibling member that states the media type. If absent, the data is a data URI, which states it itself. */
  readonly labels?: readonly string[];
  /** How that member spells media types; as registered if absent. */
  readonly names?: LabelNames;
}

export interface LabelNames {
  mediaTypeOf(label: string): string;
  /** Returns how to name a media type: in the client's own words if these are correct and accepted. */
  labelOf(mediaType: string, said: string): string;
}

const REGISTERED: LabelNames = { mediaTypeOf: (label) => label, labelOf: (mediaType) => mediaType };

type Json = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** A file within a request's body. */
export interface InlineFile {
  /** The path of the data. */
  readonly path: Path;
  readonly bytes: number;
  /** The type shown by its first bytes, otherwise the client's label; `null` if neither is known. */
  readonly mediaType: string | null;
  /** The replacement for the client's label; `null` if the label is right or absent. */
  readonly correction: Correction | null;
}

/** The files found in a body. A copy of the request may have another body. */
export interface FoundFiles {
  readonly body: Json;
  readonly list: readonly InlineFile[];
}

interface BodyWithFiles {
  readonly body: Json;
  files?: FoundFiles;
}

interface Correction {
  /** The path of the text that contains the label. */
  readonly path: Path;
  /** The label at the text's beginning, and its replacement. Without `old` the whole text is replaced. */
  readonly old: string | null;
  readonly new: string;
}

/** A member's name, and the fields below it. */
interface Node {
  // Two lists instead of a map: iterating over a map allocates an array per entry, and this runs for each part of each
  // request.
  readonly names: string[];
  readonly children: Node[];
  items: Node | null;
  field: MediaField | null;
}

const DATA_URI = /^data:([^;,]{0,200})((?:;[^;,]{1,100}){0,8};base64),/i;
const SCHEME = 'data:';
const LONGEST_HEAD = 256;
const NO_EDITS: readonly Edit[] = [];

/** The places of files in one format's requests. */
export class MediaFields {
  private readonly root = newNode();

  constructor(fields: readonly MediaField[]) {
    for (const field of fields) {
      let node = this.root;
      for (const step of field.data.split('.')) {
        const name = step.replace(/(?:\[\])+$/, '');
        node = childOf(node, name);
        if (step.endsWith('[]')) node = itemsOf(node);
      }
      node.field = field;
    }
  }

  /** Returns the files of a body, in no particular order. */
  filesOf(body: Json): readonly InlineFile[] {
    const found: InlineFile[] = [];
    walk(this.root, body, body, [], found);
    return found;
  }

  /** Returns the files of a request's body, which is walked only once. */
  filesIn(request: BodyWithFiles): readonly InlineFile[] {
    const { body, files } = request;
    if (files?.body === body) return files.list;
    const list = this.filesOf(body);
    request.files = { body, list };
    return list;
  }
}

/** Returns the edits that correct wrong labels in a body's bytes, in order; none for nearly all requests. */
export function labelEdits(bytes: Uint8Array, files: readonly InlineFile[]): readonly Edit[] {
  if (files.length === 0) return NO_EDITS;
  const edits: Edit[] = [];
  for (const { correction } of files) {
    const edit = correction === null ? null : editOf(bytes, correction);
    if (edit !== null) edits.push(edit);
  }
  return edits.sort((left, right) => left.start - right.start);
}

function newNode(): Node {
  return { names: [], children: [], items: null, field: null };
}

function childOf({ names, children }: Node, name: string): Node {
  const known = children[names.indexOf(name)];
  if (known !== undefined) return known;
  const child = newNode();
  names.push(name);
  children.push(child);
  return child;
}

function itemsOf(node: Node): Node {
  node.items ??= newNode();
  return node.items;
}

interface Place {
  readonly parent: Json;
  readonly path: Path;
}

/** @param path of the value, which is the same list throughout: a conversation may have thousands of parts, and nearly none is a file */
function walk(node: Node, value: unknown, parent: Json, path: (string | number)[], found: InlineFile[]): void {
  if (typeof value === 'string') {
    const file = node.field === null || value === '' ? null : fileOf(node.field, value, { parent, path: [...path] });
    if (file !== null) found.push(file);
    return;
  }
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === null) return;
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      walk(items, value[index], parent, path, found);
      path.pop();
    }
    return;
  }
  if (!isRecord(value) || value.type === 'text') return;
  for (let index = 0; index < node.names.length; index++) {
    const name = node.names[index];
    const child = node.children[index];
    if (name === undefined || child === undefined || !Object.hasOwn(value, name)) continue;
    path.push(name);
    walk(child, value[name], value, path, found);
    path.pop();
  }
}

/** Returns the file that a text contains; `null` for an address or an empty text. */
function fileOf(field: MediaField, text: string, place: Place): InlineFile | null {
  const head = DATA_URI.exec(startOf(text, LONGEST_HEAD));
  if (head === null) return labelledFile(field, text, place);
  const [whole, label = ''] = head;
  const data = text.slice(whole.length);
  const mediaType = mediaTypeByBytes(label, headOf(data));
  const { path } = place;
  const said = whole.slice(0, SCHEME.length + label.length);
  const isRight = mediaType === null || mediaType === label;
  const correction = isRight ? null : { path, old: said, new: `${SCHEME}${mediaType}` };
  return { path, bytes: bytesOf(data), mediaType, correction };
}

function labelledFile({ labels = [], names = REGISTERED }: MediaField, data: string, place: Place): InlineFile | null {
  const { parent, path } = place;
  const member = labels.find((name) => typeof parent[name] === 'string');
  if (data === '' || member === undefined) return null;
  const said = String(parent[member]);
  const mediaType = mediaTypeByBytes(names.mediaTypeOf(said), headOf(data));
  const label = mediaType === null ? said : names.labelOf(mediaType, said);
  const correction = label === said ? null : { path: [...path.slice(0, -1), member], old: null, new: label };
  return { path, bytes: bytesOf(data), mediaType, correction };
}

/** Returns the size of a file. Its text may be long, so only the last two characters are read. */
function bytesOf(base64: string): number {
  const { length } = base64;
  const padding = [length - 2, length - 1].filter((at) => base64.slice(at, at + 1) === '=').length;
  return Math.floor((length * 3) / 4) - padding;
}

function editOf(bytes: Uint8Array, correction: Correction): Edit | null {
  const start = startOfValue(bytes, correction.path);
  if (start === null) return null;
  const { old } = correction;
  if (old === null) return { start, end: skipValue(bytes, start), text: JSON.stringify(correction.new) };
  return labelInText(bytes, start + 1, old, correction.new);
}

/** Returns the edit at a text's beginning; `null` if the client has escaped characters in it, which no known client does. */
function labelInText(bytes: Uint8Array, start: number, old: string, text: string): Edit | null {
  const end = start + Buffer.byteLength(old);
  const escaped = old.replaceAll('/', '\\/');
  if (Buffer.from(bytes.subarray(start, end)).toString() === old) return { start, end, text };
  const escapedEnd = start + Buffer.byteLength(escaped);
  const isEscaped = Buffer.from(bytes.subarray(start, escapedEnd)).toString() === escaped;
  return isEscaped ? { start, end: escapedEnd, text } : null;
}

/** Returns the offset of the value at a path; `null` if the bytes have no such value. */
function startOfValue(bytes: Uint8Array, path: Path): number | null {
  let at: number | null = skipWhitespace(bytes, 0);
  for (const step of path) {
    if (at === null) return null;
    at = typeof step === 'number' ? startOfItem(bytes, at, step) : startOfMember(bytes, at, step);
  }
  return at;
}

function startOfMember(bytes: Uint8Array, at: number, name: string): number | null {
  // If a name is repeated, the last member counts.
  return scanObject(bytes, at, new MemberNames(name))?.members.at(-1)?.valueStart ?? null;
}

function startOfItem(bytes: Uint8Array, list: number, index: number): number | null {
  let at = skipWhitespace(bytes, list + 1);
  for (let item = 0; item < index; item++) {
    const end = skipValue(bytes, at);
    if (end < 0) return null;
    // Skips the comma.
    at = skipWhitespace(bytes, skipWhitespace(bytes, end) + 1);
  }
  return at;
}
