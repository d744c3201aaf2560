import type { Losses } from '../../../domain/exchange/loss.ts';
import { mayReturnTo, type OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import {
  type CacheMark,
  isMedia,
  type MediaPart,
  type Message,
  markPath,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../../domain/exchange/part.ts';
import { exactObject } from '../../shared/json/exact-json.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { mediaTypeOfBase64 } from '../../shared/media/media-label.ts';
import type { EncodeTarget } from '../format.ts';
import { lostState, noteNameless } from '../shared/lost-parts.ts';
import type { Block } from './encoding.ts';
import { FORMAT, MEDIA_FORMATS } from './schema.ts';

export interface ContentEncoding {
  readonly target: EncodeTarget;
  readonly losses: Losses;
  /** The documents so far: their names, with their paths in the client's body. */
  readonly documents: Map<string, string>;
  /**
   * How many documents have the same name apart from a number at its end. Without it, a thousand equal names would each be tried
   * in turn.
   */
  readonly documentCounts: Map<string, number>;
}

export function encodeParts(message: Message, encoding: ContentEncoding): Block[] {
  const blocks: Block[] = [];
  for (const part of message.parts) {
    const block = encodePart(part, encoding);
    if (block === null) continue;
    blocks.push(block);
    const mark = cacheMarkOf(part);
    if (mark !== undefined && encoding.losses.carry('cache-marks', markPath(part))) blocks.push(cachePoint(mark));
  }
  return blocks;
}

/**
 * Returns the mark of a part. A cache point is not allowed inside a tool result, so a mark there is moved directly after the
 * result.
 */
function cacheMarkOf(part: Part): CacheMark | undefined {
  if (part.cache !== undefined || part.type !== 'tool-result') return part.cache;
  return part.content.find(({ cache }) => cache !== undefined)?.cache;
}

export function cachePoint({ ttl }: CacheMark): Block {
  return { cachePoint: ttl === '1h' ? { type: 'default', ttl } : { type: 'default' } };
}

function encodePart(part: Part, encoding: ContentEncoding): Block | null {
  const { losses } = encoding;
  switch (part.type) {
    case 'text':
      return encodeText(part, losses);
    case 'refusal':
      return losses.carry('refusal', part.path) ? textBlock(part.text, part, losses) : null;
    case 'reasoning':
      return encodeReasoning(part, encoding);
    case 'tool-call':
      return encodeToolCall(part, encoding);
    case 'tool-result':
      return encodeToolResult(part, encoding);
    case 'unknown':
      if (part.format === FORMAT && isRecord(part.value)) return part.value;
      losses.carry('unknown-blocks', part.path);
      return null;
    default:
      return encodeMedia(part, encoding);
  }
}

function encodeText(part: TextPart, losses: Losses): Block | null {
  if (part.citations !== undefined && part.citations.length > 0) {
    const why = 'citations in earlier answers are not sent back to Bedrock, only the text';
    losses.note({ field: `${pathOf(part)}.citations`, verdict: 'dropped', why });
  }
  if (part.state !== undefined) noteLostState(part, losses);
  return textBlock(part.text, part, losses);
}

/** Returns a text block; `null` for blank text, which is a 400 at Bedrock. */
function textBlock(text: string, part: Part, losses: Losses): Block | null {
  if (text.trim() !== '') return { text };
  if (text !== '') losses.note({ field: pathOf(part), verdict: 'dropped', why: 'Bedrock rejects blank text' });
  return null;
}

function noteLostState(part: Part, losses: Losses): void {
  const why = 'reasoning state goes back only to its issuer, and not with this kind of part';
  losses.note(lostState(part, why));
}

// ---- reasoning

/**
 * Encodes reasoning. Claude's thinking is only sent back with its signature. For other vendors' models the text goes back
 * unchanged, and encrypted reasoning goes back from OpenRouter's shape, which `decodeReasoning` (response.ts) wrote.
 */
function encodeReasoning(part: ReasoningPart, { target, losses }: ContentEncoding): Block | null {
  const { provider, channel } = target;
  const mayReturn = (state: OpaqueState) => mayReturnTo(state, { family: state.family, provider, channel });
  const { state } = part;
  if (state?.family === 'anthropic' && state.data !== '' && mayReturn(state)) {
    if (part.redacted === true) return { reasoningContent: { redactedContent: state.data } };
    return { reasoningContent: { reasoningText: { text: part.text, signature: state.data } } };
  }
  const takesPlain = !target.quirks.some((quirk) => quirk.kind === 'reasoning-input' && quirk.field === 'none');
  if (state?.family === 'openai-chat' && takesPlain && mayReturn(state)) {
    const encrypted = encryptedDetail(state.data);
    if (encrypted !== null) return { reasoningContent: { redactedContent: encrypted } };
    if (state.data === '' && part.text.trim() !== '')
      return { reasoningContent: { reasoningText: { text: part.text } } };
  }
  const why = 'reasoning goes back only to the models that produced it, with its signature if they sign it';
  losses.note({ field: pathOf(part), verdict: 'dropped', why });
  return null;
}

const ENCRYPTED_FORMAT = 'bedrock-converse';

/** Returns encrypted reasoning of another vendor's model in the form of an OpenAI-compatible provider's state. */
export function encryptedDetails(data: string): string {
  return JSON.stringify([{ type: 'reasoning.encrypted', data, format: ENCRYPTED_FORMAT }]);
}

function encryptedDetail(data: string): string | null {
  const details = parseJson(data);
  const detail: unknown = Array.isArray(details) && details.length === 1 ? details[0] : null;
  return isRecord(detail) && detail.format === ENCRYPTED_FORMAT && typeof detail.data === 'string' ? detail.data : null;
}

// ---- tools

function encodeToolCall(part: ToolCallPart, { target, losses }: ContentEncoding): Block | null {
  if (part.custom === true && !losses.carry('custom-tools', part.path)) return null;
  if (part.state !== undefined) noteLostState(part, losses);
  const toolUseId = toolUseIdOf(part.id, target);
  return { toolUse: { toolUseId, name: part.name, input: argumentsOf(part, losses) } };
}

/** Returns a call's arguments as an object, which the API requires; the model's arguments may be something else. */
function argumentsOf(part: ToolCallPart, losses: Losses): unknown {
  if (part.arguments.trim() === '') return {};
  const parsed = exactObject(part.arguments);
  if (parsed !== null) return parsed;
  const why = 'the arguments of this call are not a JSON object, so they are wrapped in one';
  losses.note({ field: pathOf(part), verdict: 'approximated', why });
  return { text: part.arguments };
}

const NO_CONTENT = '(no content)';

function encodeToolResult(part: ToolResultPart, encoding: ContentEncoding): Block {
  const { target, losses } = encoding;
  const content: Block[] = [];
  // `json` must be an object. Any other value is sent as the text in `content`.
  const isStructured = isRecord(part.structured);
  if (isStructured) content.push({ json: part.structured });
  for (const inner of part.content) {
    if (isStructured && inner.type === 'text') continue;
    if (isMedia(inner) && !losses.carry('tool-result-media', inner.path)) continue;
    const block = encodePart(inner, encoding);
    if (block !== null) content.push(block);
  }
  // Some models refuse a result without content, and all of them an error without one.
  if (content.length === 0) content.push({ text: NO_CONTENT });
  const isError = part.isError === true && losses.carry('tool-result-error', `${pathOf(part)}.is_error`);
  return {
    toolResult: { toolUseId: toolUseIdOf(part.id, target), content, ...(isError ? { status: 'error' } : {}) },
  };
}

const TOOL_USE_ID = /^[a-zA-Z0-9_.:-]{1,64}$/;

/** Maps an id that the API (or, by a quirk, the model) would refuse to a valid one; the same id always gets the same result. */
function toolUseIdOf(id: string, { quirks }: EncodeTarget): string {
  const rule = quirks.find((quirk) => quirk.kind === 'tool-call-ids');
  const pattern = rule?.pattern ?? TOOL_USE_ID;
  if (pattern.test(id)) return id;
  const text = fingerprint(id);
  return rule === undefined ? `call_${text}` : text.padEnd(rule.length, '0').slice(0, rule.length);
}

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/**
 * Returns a 64-bit FNV-1a hash as letters and digits, with the digits that differ most first. It is not secret; it only has to
 * differ for different ids.
 */
function fingerprint(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash.toString(36).split('').toReversed().join('');
}

// ---- media

function encodeMedia(part: MediaPart, encoding: ContentEncoding): Block | null {
  const { losses } = encoding;
  if (part.detail !== undefined && part.detail !== 'auto') losses.carry('image-detail', `${pathOf(part)}.detail`);
  if (part.state !== undefined) noteLostState(part, losses);
  const source = sourceOf(part, losses);
  if (source === null) return null;
  const format = formatOf(part);
  if (format === null) {
    const said = part.mediaType === null ? 'does not say what it is' : `is ${part.mediaType}`;
    const known = [...new Set(Object.values(MEDIA_FORMATS[part.type]))].join(', ');
    const why = `this ${part.type} ${said}, and the Converse API accepts only ${known}`;
    losses.note({ field: pathOf(part), verdict: 'refused', why });
    return null;
  }
  noteNameless(part, losses);
  if (part.type !== 'document') return { [part.type]: { format, source } };
  const document = { format, name: documentName(part, format, encoding), source };
  const context = part.context === undefined ? {} : { context: part.context };
  const citations = part.citationsEnabled === undefined ? {} : { citations: { enabled: part.citationsEnabled } };
  return { document: { ...document, ...context, ...citations } };
}

export function isS3(part: MediaPart): boolean {
  return part.source.kind === 'url' && part.source.url.startsWith('s3://');
}

function sourceOf(part: MediaPart, losses: Losses): Block | null {
  const { source } = part;
  switch (source.kind) {
    case 'base64':
      return { bytes: source.data };
    case 'text':
      return { bytes: Buffer.from(source.text).toString('base64') };
    case 'file':
      losses.carry('provider-file', part.path);
      return null;
    case 'url':
      if (isS3(part)) return { s3Location: { uri: source.url } };
      losses.note({ field: pathOf(part), verdict: 'refused', why: 'Bedrock fetches only s3:// URLs' });
      return null;
  }
}

function formatOf(part: MediaPart): string | null {
  const formats = MEDIA_FORMATS[part.type];
  const mediaType = part.mediaType?.split(';')[0]?.trim().toLowerCase();
  const byType = mediaType === undefined ? undefined : entryOf(formats, mediaType);
  if (byType !== undefined) return byType;
  if (part.source.kind === 'text') return 'txt';
  const known = new Set(Object.values(formats));
  const extension = extensionOf(part.fileName ?? (part.source.kind === 'url' ? part.source.url : ''));
  if (extension !== null && known.has(extension)) return extension;
  // Other text (source code, JSON …) is sent as plain text.
  if (part.type === 'document' && mediaType !== undefined && /^text\/|[/+](?:json|xml|yaml)$/.test(mediaType))
    return 'txt';
  if (part.source.kind !== 'base64' || mediaType !== undefined) return null;
  return entryOf(formats, mediaTypeOfBase64(null, part.source.data) ?? '') ?? null;
}

function extensionOf(name: string): string | null {
  return /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? null;
}

const NAME_CHARACTERS = 200;

/**
 * Returns a document name that the API accepts (API reference, DocumentBlock): letters, digits, single spaces, hyphens,
 * parentheses and square brackets. The API refuses two documents with the same name.
 */
function documentName(part: MediaPart, format: string, encoding: ContentEncoding): string {
  const { losses, documents, documentCounts } = encoding;
  const wanted = part.title ?? part.fileName ?? '';
  const bare = extensionOf(wanted) === format ? wanted.slice(0, -(format.length + 1)) : wanted;
  const allowed = bare
    .replace(/[^\p{L}\p{N}\s()[\]-]/gu, ' ')
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9\s()[\]-]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, NAME_CHARACTERS - 8);
  const base = allowed === '' ? 'document' : allowed;
  let name = base;
  let count = documentCounts.get(base) ?? 1;
  while (documents.has(name)) name = `${base} ${++count}`;
  documentCounts.set(base, count);
  documents.set(name, pathOf(part));
  if (wanted !== '' && wanted !== name && bare !== name) {
    const why = `Bedrock restricts the names of documents, so this one is called "${name}"`;
    losses.note({
      field: `${pathOf(part)}.${part.title === undefined ? 'filename' : 'title'}`,
      verdict: 'approximated',
      why,
    });
  }
  if (part.title !== undefined && part.fileName !== undefined && part.title !== part.fileName) {
    const why = 'Bedrock has only one name for a document, so the title is sent';
    losses.note({ field: `${pathOf(part)}.filename`, verdict: 'dropped', why });
  }
  return name;
}

export function pathOf(part: Part): string {
  return part.path ?? part.type;
}
