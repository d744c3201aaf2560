import { isRecord } from '../../formats/shared/json/record.ts';

/** A part of a text that a stream sends piece by piece. */
export interface TextPiece {
  /** The text to which the piece belongs; unique within the stream. */
  readonly track: string;
  /** The answer, content block or item that holds the text: other events of it end the text. */
  readonly scope: string;
  /** The name of the member with the piece, and its value. */
  readonly member: string;
  readonly text: string;
  /** Whether the text is JSON, such as the arguments of a tool. */
  readonly isJson: boolean;
  /** Whether no piece of the scope follows. */
  readonly isLast: boolean;
}

/** The pieces in an event, in the order of the document, and the scopes whose texts end with it. */
export interface EventTexts {
  readonly pieces: readonly TextPiece[];
  /** `all` if every text that was begun has ended. */
  readonly ends: readonly string[] | 'all';
}

type Value = Readonly<Record<string, unknown>>;

const NOTHING: EventTexts = { pieces: [], ends: [] };
const OVER: EventTexts = { pieces: [], ends: 'all' };
/** Members of a chat's delta that come whole. */
const WHOLE: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'object', 'signature']);
const BLOCK_TEXTS = ['text', 'thinking', 'partial_json'];

/** Returns the texts in an event of any of the text formats' streams. */
export function textsIn(event: unknown): EventTexts {
  if (!isRecord(event)) return OVER;
  const { type, choices, candidates } = event;
  if (Array.isArray(choices)) return choices.length === 0 ? OVER : inChoices(choices);
  if (Array.isArray(candidates)) return inCandidates(candidates);
  if (typeof type !== 'string') return OVER;
  if (type === 'ping') return NOTHING;
  return type.startsWith('content_block_') ? inBlock(event, type) : inItem(event, type);
}

/** Anthropic's content blocks. */
function inBlock(event: Value, type: string): EventTexts {
  const scope = `block ${String(event.index)}`;
  const { delta } = event;
  if (type !== 'content_block_delta' || !isRecord(delta)) return { pieces: [], ends: [scope] };
  const member = BLOCK_TEXTS.find((name) => typeof delta[name] === 'string');
  if (member === undefined) return NOTHING;
  const isJson = member === 'partial_json';
  return {
    pieces: [{ track: `${scope} ${member}`, scope, member, text: String(delta[member]), isJson, isLast: false }],
    ends: [],
  };
}

/** The output items of the Responses format. */
function inItem(event: Value, type: string): EventTexts {
  const { delta, output_index: output, content_index: content, summary_index: summary, item_id: item } = event;
  const scope = `item ${String(output)}`;
  if (type.endsWith('.delta') && typeof delta === 'string') {
    const track = JSON.stringify([type, output, item, content, summary]);
    const isJson = type.endsWith('arguments.delta');
    return { pieces: [{ track, scope, member: 'delta', text: delta, isJson, isLast: false }], ends: [] };
  }
  return output === undefined ? OVER : { pieces: [], ends: [scope] };
}

/** Chat and legacy completions. */
function inChoices(choices: readonly unknown[]): EventTexts {
  const pieces: TextPiece[] = [];
  const ends: string[] = [];
  for (const [place, choice] of choices.entries()) {
    if (!isRecord(choice)) continue;
    const scope = `choice ${String(choice.index ?? place)}`;
    const isLast = (choice.finish_reason ?? null) !== null;
    const before = pieces.length;
    const add = (track: string, member: string, text: string) =>
      pieces.push({ track, scope, member, text, isJson: member === 'arguments', isLast });
    if (typeof choice.text === 'string') add(`${scope} text`, 'text', choice.text);
    stringsIn(choice.delta, `${scope} delta`, add);
    if (isLast || pieces.length === before) ends.push(scope);
  }
  return { pieces, ends };
}

function stringsIn(value: unknown, path: string, add: (track: string, member: string, text: string) => void): void {
  if (Array.isArray(value)) {
    for (const [place, item] of value.entries()) {
      stringsIn(item, `${path}.${String((isRecord(item) ? item.index : undefined) ?? place)}`, add);
    }
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') stringsIn(member, `${path}.${name}`, add);
    else if (!WHOLE.has(name)) add(`${path}.${name}`, name, member);
  }
}

/** Gemini's candidates: each chunk has the next parts of the same text. */
function inCandidates(candidates: readonly unknown[]): EventTexts {
  const pieces: TextPiece[] = [];
  const ends: string[] = [];
  for (const [place, candidate] of candidates.entries()) {
    if (!isRecord(candidate)) continue;
    const scope = `candidate ${String(candidate.index ?? place)}`;
    const isOver = (candidate.finishReason ?? null) !== null;
    const parts = isRecord(candidate.content) && Array.isArray(candidate.content.parts) ? candidate.content.parts : [];
    const before = pieces.length;
    for (const part of parts) {
      if (!isRecord(part) || typeof part.text !== 'string') continue;
      const track = `${scope} ${part.thought === true ? 'thought' : 'text'}`;
      pieces.push({ track, scope, member: 'text', text: part.text, isJson: false, isLast: isOver });
    }
    if (isOver || pieces.length === before) ends.push(scope);
  }
  return { pieces, ends };
}
