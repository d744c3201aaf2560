import type { Feature, Losses } from '../../../domain/exchange/loss.ts';
import { mayReturnTo } from '../../../domain/exchange/opaque-state.ts';
import {
  type MediaPart,
  type Message,
  markPath,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
} from '../../../domain/exchange/part.ts';
import { isRecord } from '../../shared/json/record.ts';
import { lostState, noteNameless } from '../shared/lost-parts.ts';
import type { Encoding } from './encoding.ts';
import { documentId, FORMAT, THINKING, TOOL_PLAN } from './schema.ts';

type Block = Readonly<Record<string, unknown>>;

export function encodeMessage(message: Message, encoding: Encoding): Block[] {
  const { losses } = encoding;
  if (message.name !== undefined) losses.carry('participant-name', `${message.path ?? 'messages'}.name`);
  for (const part of message.parts) if (part.cache !== undefined) losses.carry('cache-marks', markPath(part));
  switch (message.role) {
    case 'assistant':
      return encodeAssistant(message, encoding);
    case 'tool':
      return message.parts.flatMap((part) => (part.type === 'tool-result' ? [encodeToolResult(part, encoding)] : []));
    default: {
      const content = message.parts.flatMap((part) => encodeContent(part, encoding));
      const role = message.role === 'user' ? 'user' : 'system';
      if (content.length > 0) return [{ role, content }];
      // A message with only documents still keeps its place in the conversation.
      return message.parts.some((part) => part.type === 'document') ? [{ role, content: '' }] : [];
    }
  }
}

function encodeContent(part: Part, encoding: Encoding): Block[] {
  const { losses } = encoding;
  switch (part.type) {
    case 'text':
      return encodeText(part, losses);
    case 'refusal':
      return losses.carry('refusal', part.path) ? [{ type: 'text', text: part.text }] : [];
    case 'unknown':
      if (part.format === FORMAT && isRecord(part.value)) return [part.value];
      losses.carry('unknown-blocks', part.path);
      return [];
    case 'image':
    case 'audio':
    case 'video':
    case 'document':
      return encodeMedia(part, encoding);
    default:
      losses.note({
        field: pathOf(part),
        verdict: 'refused',
        why: 'reasoning, calls and results each have only one role',
      });
      return [];
  }
}

function encodeText(part: TextPart, losses: Losses): Block[] {
  if (part.citations !== undefined && part.citations.length > 0) {
    const why = 'citations in earlier answers are not sent back to Cohere, only the text';
    losses.note({ field: `${pathOf(part)}.citations`, verdict: 'dropped', why });
  }
  if (part.state !== undefined) noteLostState(part, losses);
  return part.text === '' ? [] : [{ type: 'text', text: part.text }];
}

function noteLostState(part: Part, losses: Losses): void {
  const why = 'reasoning state goes back only to its issuer';
  losses.note(lostState(part, why));
}

function encodeAssistant(message: Message, encoding: Encoding): Block[] {
  const { losses } = encoding;
  const content: Block[] = [];
  const toolCalls: Block[] = [];
  let toolPlan = '';
  for (const part of message.parts) {
    if (part.type === 'reasoning') {
      const kind = returnableReasoning(part, encoding);
      if (kind === TOOL_PLAN) toolPlan += part.text;
      else if (kind !== null && part.text !== '') content.push({ type: 'thinking', thinking: part.text });
    } else if (part.type === 'tool-call') {
      if (part.custom === true && !losses.carry('custom-tools', part.path)) continue;
      if (part.state !== undefined) noteLostState(part, losses);
      const { id, name } = part;
      toolCalls.push({
        id,
        type: 'function',
        function: { name, arguments: part.arguments === '' ? '{}' : part.arguments },
      });
    } else content.push(...encodeContent(part, encoding));
  }
  if (content.length === 0 && toolCalls.length === 0) return [];
  return [
    {
      role: 'assistant',
      ...(content.length === 0 ? {} : { content }),
      ...(toolPlan === '' ? {} : { tool_plan: toolPlan }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    },
  ];
}

/** Returns the kind of a reasoning part that Cohere issued. Reasoning of other providers is not sent. */
function returnableReasoning(part: ReasoningPart, { target, losses }: Encoding): string | null {
  const { state } = part;
  const reader = { family: 'cohere', provider: target.provider, channel: target.channel } as const;
  if (state !== undefined && mayReturnTo(state, reader) && (state.data === THINKING || state.data === TOOL_PLAN)) {
    return state.data;
  }
  losses.note({ field: pathOf(part), verdict: 'dropped', why: 'Cohere gets back only its own reasoning' });
  return null;
}

function encodeToolResult(part: ToolResultPart, encoding: Encoding): Block {
  const { losses } = encoding;
  if (part.isError === true) losses.carry('tool-result-error', `${pathOf(part)}.is_error`);
  const content = part.content.flatMap((inner): Block[] => {
    if (inner.cache !== undefined) losses.carry('cache-marks', `${pathOf(inner)}.cache_control`);
    if (inner.type === 'text' || inner.type === 'unknown') return encodeContent(inner, encoding);
    const data = inner.type === 'document' ? documentData(inner) : null;
    if (data !== null) return [{ type: 'document', document: { data } }];
    losses.carry('tool-result-media', inner.path);
    return [];
  });
  return { role: 'tool', tool_call_id: part.id, content: content.length === 0 ? '' : content };
}

// ---- media

function encodeMedia(part: MediaPart, encoding: Encoding): Block[] {
  const { losses, documents, wantsCitations } = encoding;
  if (part.source.kind === 'file') {
    losses.carry('provider-file', part.path);
    return [];
  }
  if (part.state !== undefined) noteLostState(part, losses);
  noteNameless(part, losses);
  if (part.type === 'image') return encodeImage(part, losses);
  const data = part.type === 'document' ? documentData(part) : null;
  if (data === null) {
    losses.carry(`${part.type}-${part.source.kind === 'url' ? 'url' : 'inline'}` satisfies Feature, part.path);
    return [];
  }
  if (!losses.carry('document-text', part.path)) return [];
  if (part.citationsEnabled !== undefined) wantsCitations.push(part.citationsEnabled);
  documents.push({ id: documentId(documents.length), data });
  return [];
}

function encodeImage(part: MediaPart, losses: Losses): Block[] {
  const { source } = part;
  if (!losses.carry(source.kind === 'url' ? 'image-url' : 'image-inline', part.path)) return [];
  const url = source.kind === 'base64' ? `data:${part.mediaType ?? 'image/png'};base64,${source.data}` : '';
  const image = { url: source.kind === 'url' ? source.url : url };
  const hasDetail = part.detail !== undefined && losses.carry('image-detail', `${pathOf(part)}.detail`);
  return [{ type: 'image_url', image_url: hasDetail ? { ...image, detail: part.detail } : image }];
}

/** Returns a plain text document with its known metadata; `null` for any other document. */
function documentData(part: MediaPart): Block | null {
  const text = plainText(part);
  if (text === null) return null;
  const title = part.title ?? part.fileName;
  return {
    text,
    ...(title === undefined ? {} : { title }),
    ...(part.context === undefined ? {} : { context: part.context }),
  };
}

function plainText({ source, mediaType }: MediaPart): string | null {
  if (source.kind === 'text') return source.text;
  const isText = mediaType !== null && /^text\/|[/+](?:json|xml|yaml)\b/.test(mediaType);
  return source.kind === 'base64' && isText ? Buffer.from(source.data, 'base64').toString('utf8') : null;
}

function pathOf(part: Part): string {
  return part.path ?? part.type;
}
