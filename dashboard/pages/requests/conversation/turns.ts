import { isObject, type JsonObject, textOf } from '../../shared/json.ts';

/* A captured conversation, independent of the format in which it was sent. Captures are foreign data: any member may be missing or wrong. */

export type Role = 'system' | 'user' | 'assistant' | 'tool';

export type Piece =
  | { readonly type: 'text' | 'refusal'; readonly text: string }
  /** An empty text if the provider has encrypted it. */
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: string }
  | {
      readonly type: 'result';
      readonly id: string;
      /** Empty until `withCallNames`, if the result has only the call's id. */
      readonly name: string;
      readonly isError: boolean;
      readonly pieces: readonly Piece[];
    }
  /** `url` is a data URL of a picture; `null` if there is none to show, and then `about` says what there was. */
  | { readonly type: 'image'; readonly url: string | null; readonly about: string }
  /** Audio, video, documents and references, which are only named. */
  | { readonly type: 'file'; readonly about: string }
  /** A part of a kind that the page does not know, as JSON. */
  | { readonly type: 'other'; readonly kind: string; readonly json: string };

export interface Turn {
  readonly role: Role;
  readonly pieces: readonly Piece[];
  /** The finish reason, in the format's own word. */
  readonly finish?: string;
}

/** A failure in a response, or within its stream. */
export interface Failed {
  readonly message: string;
  readonly code: string;
}

export interface Asked {
  readonly turns: readonly Turn[];
  /** The names of the tools that the model may call. */
  readonly tools: readonly string[];
}

export interface Answered {
  readonly turns: readonly Turn[];
  readonly error: Failed | null;
}

/** Reads the captured bodies of one format. */
export interface ConversationFormat {
  request(body: JsonObject): Asked;
  answer(body: JsonObject): Answered;
  /** Assembles the events of a stream into the response that would have been sent without streaming. */
  assembled(events: readonly JsonObject[]): JsonObject;
}

const ROLES: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
};

export function roleOf(value: unknown): Role {
  const name = textOf(value);
  return Object.hasOwn(ROLES, name) ? (ROLES[name] as Role) : 'user';
}

/** Returns no turn if there are no pieces. */
export function turnOf(role: Role, pieces: readonly Piece[], finish = ''): Turn[] {
  return pieces.length === 0 && finish === '' ? [] : [{ role, pieces, ...(finish !== '' && { finish }) }];
}

export function textPieces(value: unknown, type: 'text' | 'refusal' | 'reasoning' = 'text'): Piece[] {
  const text = textOf(value);
  return text === '' ? [] : [{ type, text }];
}

export function callPiece(id: unknown, name: unknown, input: unknown): Piece {
  return { type: 'call', id: textOf(id), name: textOf(name), input: written(input) };
}

export function otherPiece(value: unknown, kind: unknown): Piece {
  return { type: 'other', kind: textOf(kind), json: written(value) };
}

const MOST_ABOUT = 300;

export function filePiece(...about: readonly unknown[]): Piece {
  const shown = about.map(textOf).filter((part) => part !== '');
  return { type: 'file', about: shown.join(' · ').slice(0, MOST_ABOUT) };
}

/** Returns a value as text: JSON is indented, whether it was a value or a text. */
export function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return typeof parsed === 'object' ? JSON.stringify(parsed, null, 2) : String(value);
  } catch {
    return typeof value === 'string' ? value : '';
  }
}

/** Returns the failure of a body with an `error`, in the form of any format; `null` without one. */
export function failedIn(error: unknown): Failed | null {
  if (typeof error === 'string' && error !== '') return { message: error, code: '' };
  if (!isObject(error)) return null;
  const code = textOf(error.code) || textOf(error.type) || textOf(error.status);
  return { message: textOf(error.message) || written(error), code };
}

/** Separates tool results, which some formats send as parts of a user's message. */
export function withOwnResults(role: Role, pieces: readonly Piece[]): Turn[] {
  const turns: { role: Role; pieces: Piece[] }[] = [];
  for (const piece of pieces) {
    const own = piece.type === 'result' && role === 'user' ? 'tool' : role;
    const last = turns.at(-1);
    if (last?.role === own) last.pieces.push(piece);
    else turns.push({ role: own, pieces: [piece] });
  }
  return turns;
}

/** Names results that have only the id of their call. `names` collects those of the calls, by id. */
export function withCallNames(turns: readonly Turn[], names: Map<string, string>): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    pieces: turn.pieces.map((piece) => {
      if (piece.type === 'call' && piece.id !== '') names.set(piece.id, piece.name);
      if (piece.type !== 'result' || piece.name !== '') return piece;
      return { ...piece, name: names.get(piece.id) ?? '' };
    }),
  }));
}
