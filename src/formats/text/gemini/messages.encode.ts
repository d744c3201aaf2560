import { mayReturnTo, type OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import {
  type MediaPart,
  type Message,
  markPath,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EncodeTarget } from '../format.ts';
import { lostState } from '../shared/lost-parts.ts';
import { withPairedResults } from '../shared/paired-results.ts';
import { argumentsObject } from './answer.encode.ts';
import { NO_SIGNATURE, needsSignatures, takesMediaInResponses } from './capabilities.ts';
import { MADE_UP_ID } from './decoding.ts';
import type { CountedLosses, WireDraft } from './encoding.ts';
import { DEFAULT_TYPES, mediaTypeOf } from './media.ts';
import { withCarriedState } from './reasoning.encode.ts';
import { FORMAT } from './schema.ts';

interface Turn {
  readonly role: 'user' | 'model';
  /** Parts with the same key are joined: the path of the client's own content, or the kind of turn. */
  readonly key: string;
  readonly parts: WireDraft[];
  /** Whether state was left out that a Gemini model issued or requires. */
  lacksState: boolean;
}

interface EncodedContents {
  readonly systemInstruction: WireDraft | null;
  readonly contents: readonly WireDraft[];
  /** Wire objects by the client's path. Members that only this format knows are put back into them. */
  readonly placed: ReadonlyMap<string, WireDraft>;
}

/** Writes a conversation as `systemInstruction` and `contents`. */
export class ContentsEncoder {
  private readonly placed = new Map<string, WireDraft>();
  private readonly turns: Turn[] = [];
  /** The name of each call's function, which its response must repeat. */
  private readonly names = new Map<string, string>();
  private readonly isOwn: boolean;
  private readonly sendsIds: boolean;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly target: EncodeTarget,
    private readonly losses: CountedLosses,
  ) {
    this.isOwn = request.format === FORMAT;
    this.sendsIds = !target.quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === 'functionCall.id');
  }

  *encode(): Steps<EncodedContents> {
    const messages = this.isOwn ? this.request.messages : withPairedResults(this.request.messages, this.losses);
    const firstTurn = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
    const system = firstTurn < 0 ? messages : messages.slice(0, firstTurn);
    for (const message of system) this.noteName(message);
    let systemParts = system.flatMap((message) => this.userParts(message));
    for (const message of firstTurn < 0 ? [] : messages.slice(firstTurn)) {
      this.addMessage(message);
      yield;
    }
    const first = system[0];
    if (this.turns.length === 0 && first !== undefined && systemParts.length > 0) {
      // The API refuses a request without contents.
      const why = 'Gemini requires a user turn, so the system prompt is sent as one';
      this.losses.note({ field: first.path ?? 'messages', verdict: 'approximated', why });
      this.turns.push({ role: 'user', key: '', parts: systemParts, lacksState: false });
      systemParts = [];
    }
    if (!this.isOwn) this.openConversation(messages[0]);
    this.signForeignCalls();
    return {
      systemInstruction: systemParts.length === 0 ? null : { parts: systemParts },
      // The API refuses a content without parts.
      contents: this.turns.filter(({ parts }) => parts.length > 0).map((turn) => this.contentOf(turn)),
      placed: this.placed,
    };
  }

  /** Ensures a valid beginning: the API refuses a conversation without a part, and one that begins with calls. */
  private openConversation(first: Message | undefined): void {
    const turn = this.turns.find(({ parts }) => parts.length > 0);
    if (turn !== undefined && !(turn.role === 'model' && turn.parts.some((part) => 'functionCall' in part))) return;
    const why = 'Gemini requires a user turn with text first, so one with a space is added';
    this.losses.note({ field: first?.path ?? 'messages', verdict: 'approximated', why });
    this.turns.unshift({ role: 'user', key: '', parts: [{ text: ' ' }], lacksState: false });
  }

  private contentOf({ role, parts, key }: Turn): WireDraft {
    const content = { role, parts };
    if (this.isOwn) this.placed.set(key, content);
    return content;
  }

  private noteName({ name, path }: Message): void {
    if (name !== undefined) this.losses.carry('participant-name', `${path ?? 'messages'}.name`);
  }

  private addMessage(message: Message): void {
    this.noteName(message);
    switch (message.role) {
      case 'system':
      case 'developer':
        if (!this.losses.carry('system-prompt-midway', message.path)) return;
        this.addTurn('user', message, 'user', this.userParts(message));
        return;
      case 'user':
        this.addTurn('user', message, 'user', this.userParts(message));
        return;
      case 'tool':
        for (const part of message.parts) {
          if (part.type === 'tool-result') this.addTurn('user', part, 'tool', this.resultParts(part));
        }
        return;
      case 'assistant':
        this.addAssistant(message);
        return;
    }
  }

  private addAssistant(message: Message): void {
    for (const part of withCarriedState(message.parts)) {
      const lostBefore = this.losses.count;
      const wire = this.assistantPart(part);
      if (wire === null && this.losses.count === lostBefore) continue;
      this.addTurn('model', part, 'model', wire === null ? [] : [wire]);
      const turn = this.turns.at(-1);
      if (turn !== undefined && this.losses.count > lostBefore) turn.lacksState = true;
    }
  }

  /**
   * Adds parts to the last turn if they belong to it. In this format's own requests they must come from the same content. In
   * other requests both must be the model's or both be results, because the API requires all calls of a turn together, and
   * all their results together.
   */
  private addTurn(role: Turn['role'], { path }: { readonly path?: string }, kind: string, parts: WireDraft[]): void {
    const content = this.isOwn ? /^.*?contents\[\d+\]/.exec(path ?? '')?.[0] : undefined;
    const key = content ?? kind;
    const last = this.turns.at(-1);
    const joins =
      last !== undefined && last.role === role && last.key === key && (content !== undefined || kind !== 'user');
    if (joins) last.parts.push(...parts);
    else this.turns.push({ role, key, parts: [...parts], lacksState: false });
  }

  private userParts(message: Message): WireDraft[] {
    return message.parts.flatMap((part) => {
      if (part.type === 'text' && part.text === '' && !this.isOwn && part.state === undefined) return [];
      const wire = this.plainPart(part);
      return wire === null ? [] : [wire];
    });
  }

  private assistantPart(part: Part): WireDraft | null {
    if (part.type === 'tool-call') return this.callPart(part);
    if (part.type === 'reasoning') return this.thoughtPart(part);
    if (part.type === 'text' && part.text === '' && part.state === undefined && !this.isOwn) return null;
    return this.plainPart(part);
  }

  private thoughtPart(part: Part & { readonly type: 'reasoning' }): WireDraft | null {
    const { text, state, path } = part;
    if (state === undefined) {
      if (this.isOwn) return this.place(part, { text, thought: true });
      if (text !== '') this.losses.carry('reasoning-text', path);
      return null;
    }
    const signature = this.signatureOf(part);
    return signature === null ? null : this.place(part, { text, thought: true, ...signature });
  }

  private callPart(part: ToolCallPart): WireDraft {
    this.names.set(part.id, part.name);
    this.noteFacets(part);
    const args = argumentsObject(part);
    if (!this.isOwn && !isObjectText(part.arguments)) {
      const why = 'Gemini accepts arguments only as an object, so they are wrapped in one';
      this.losses.note({ field: part.path ?? 'messages', verdict: 'approximated', why });
    }
    return this.place(part, {
      functionCall: { ...this.idOf(part.id), name: part.name, args },
      ...(this.signatureOf(part) ?? {}),
    });
  }

  /**
   * Returns the id. Omits an id that the gateway generated, which means nothing to Gemini, and any id for Vertex, which refuses ids.
   */
  private idOf(id: string): WireDraft {
    return this.sendsIds && !id.startsWith(MADE_UP_ID) ? { id } : {};
  }

  private resultParts(part: ToolResultPart): WireDraft[] {
    const { losses } = this;
    const name = part.name ?? this.names.get(part.id);
    if (name === undefined || name === '') {
      const why = 'Gemini requires the name of the function, but no earlier call has this id';
      losses.note({ field: part.path ?? 'messages', verdict: 'approximated', why });
    }
    this.noteFacets(part);
    if (part.isError === true) losses.carry('tool-result-error', `${part.path ?? 'messages'}.is_error`);
    const inside: WireDraft[] = [];
    const beside: WireDraft[] = [];
    const texts: string[] = [];
    for (const content of part.content) {
      if (content.type === 'text') {
        this.noteFacets(content);
        texts.push(content.text);
      } else this.resultMedia(content, inside, beside);
    }
    const response = isRecord(part.structured)
      ? part.structured
      : { [part.isError === true ? 'error' : 'output']: texts.join('\n') };
    const functionResponse = {
      ...this.idOf(part.id),
      name: name || part.id,
      response,
      ...(inside.length === 0 ? {} : { parts: inside }),
    };
    const wire = this.place(part, { functionResponse });
    return [wire, ...beside];
  }

  private resultMedia(content: ToolResultPart['content'][number], inside: WireDraft[], beside: WireDraft[]): void {
    const field = content.path ?? 'messages';
    if (content.type === 'unknown' && content.format === FORMAT && isRecord(content.value)) {
      inside.push({ ...content.value });
      return;
    }
    const wire = this.plainPart(content);
    if (wire === null || !this.losses.carry('tool-result-media', field)) return;
    if ('inlineData' in wire && (this.isOwn || takesMediaInResponses(ruleModelOf(this.target)))) {
      inside.push(wire);
      return;
    }
    const why = 'this model accepts media next to a function response, not inside it';
    this.losses.note({ field, verdict: 'approximated', why });
    beside.push(wire);
  }

  /** Encodes the parts that user, system and model turns have in common. */
  private plainPart(part: Part): WireDraft | null {
    const { losses } = this;
    this.noteFacets(part);
    switch (part.type) {
      case 'text':
        return this.place(part, {
          text: part.text,
          ...(this.signatureOf(part) ?? {}),
        });
      case 'refusal':
        return losses.carry('refusal', part.path) ? this.place(part, { text: part.text }) : null;
      case 'unknown':
        if (part.format === FORMAT && isRecord(part.value)) return this.place(part, { ...part.value });
        losses.carry('unknown-blocks', part.path);
        return null;
      case 'image':
      case 'audio':
      case 'video':
      case 'document':
        return this.mediaPart(part);
      default:
        return null;
    }
  }

  /** Notes the members of a part that Gemini has no place for. */
  private noteFacets(part: Part): void {
    const path = part.path ?? 'messages';
    if (part.cache !== undefined) this.losses.carry('cache-marks', markPath(part));
    if (part.type === 'text' && part.citations?.length) this.losses.carry('citations', `${path}.citations`);
  }

  private mediaPart(part: MediaPart): WireDraft | null {
    const { losses } = this;
    const { source, type, path } = part;
    if (part.detail !== undefined && part.detail !== 'auto') losses.carry('image-detail', path && `${path}.detail`);
    this.noteDetails(part);
    const mimeType = mediaTypeOf(part);
    const signature = this.signatureOf(part) ?? {};
    const displayName = this.isOwn && part.fileName !== undefined ? { displayName: part.fileName } : {};
    const typed: WireDraft = mimeType === null ? {} : { mimeType };
    switch (source.kind) {
      case 'base64': {
        if (!losses.carry(`${type}-inline`, path)) return null;
        const inlineData = { mimeType: mimeType ?? DEFAULT_TYPES[type], data: source.data, ...displayName };
        return this.place(part, { inlineData, ...signature });
      }
      case 'url':
        if (!losses.carry(`${type}-url`, path)) return null;
        // Vertex requires the media type of a file, and the URL of a YouTube video does not show it.
        if (mimeType === null) typed.mimeType = DEFAULT_TYPES[type];
        return this.place(part, { fileData: { ...typed, fileUri: source.url, ...displayName }, ...signature });
      case 'text':
        return losses.carry('document-text', path) ? this.place(part, { text: source.text }) : null;
      case 'file':
        if (source.format === FORMAT) {
          return this.place(part, { fileData: { ...typed, fileUri: source.id, ...displayName }, ...signature });
        }
        losses.carry('provider-file', path);
        return null;
    }
  }

  private noteDetails({ title, context, citationsEnabled, fileName, path = 'messages' }: MediaPart): void {
    if (title !== undefined) this.losses.carry('document-details', `${path}.title`);
    if (context !== undefined) this.losses.carry('document-details', `${path}.context`);
    if (citationsEnabled === true) this.losses.carry('document-details', `${path}.citations`);
    if (fileName !== undefined && !this.isOwn) this.losses.carry('document-details', `${path}.file_name`);
  }

  /**
   * Returns the signature of a part. State goes back only to its issuer; `null` if it cannot go to this target, and a thought is
   * not sent without its state.
   */
  private signatureOf(part: Part & { readonly state?: OpaqueState }): WireDraft | null {
    const { state, path } = part;
    if (state === undefined) return null;
    const { provider, channel } = this.target;
    if (mayReturnTo(state, { family: 'google', provider, channel })) return { thoughtSignature: state.data };
    const why = `it belongs to another provider (${state.family}) and Gemini cannot read it`;
    this.losses.note(
      part.type === 'reasoning' ? { field: path ?? 'messages', verdict: 'dropped', why } : lostState(part, why),
    );
    return null;
  }

  /**
   * Calls that no Gemini model made have no signature. In this format's own requests only turns that lost another family's
   * state are changed; the API validates the rest.
   */
  private signForeignCalls(): void {
    if (!needsSignatures(ruleModelOf(this.target))) return;
    let isForeign = !this.isOwn;
    for (const { role, parts, lacksState } of this.turns) {
      if (role === 'user') isForeign = !this.isOwn;
      else isForeign ||= lacksState;
      const first = role === 'model' && isForeign ? parts.find((part) => 'functionCall' in part) : undefined;
      if (first !== undefined) first.thoughtSignature ??= NO_SIGNATURE;
    }
  }

  private place(part: { readonly path?: string }, wire: WireDraft): WireDraft {
    const { path } = part;
    if (path === undefined || !this.isOwn) return wire;
    this.placed.set(path, wire);
    for (const [name, inner] of Object.entries(wire)) {
      // Members of the client's object may be put back into the object written here, under either spelling of its name.
      if (!isDraft(inner)) continue;
      this.placed.set(`${path}.${name}`, inner);
      this.placed.set(`${path}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`, inner);
    }
    return wire;
  }
}

function isDraft(value: unknown): value is WireDraft {
  return isRecord(value);
}

function isObjectText(text: string): boolean {
  return text.trim() === '' || parseObject(text) !== null;
}
