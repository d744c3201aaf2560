import { Failure } from '../../../../domain/failure/failure.ts';
import { readScanned, scanned } from '../../../../formats/shared/request/body.ts';
import type { BodyScan, BodySource } from '../../../../formats/shared/request/body-scan.ts';
import type { ParsedRequest } from '../../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../../formats/text/format.ts';
import { weighPrompt } from '../../../../formats/text/shared/prompt-weight.ts';
import { CACHE_HEADER } from '../../../cache/read-control.ts';
import type { BytesRequest } from '../../../call/lane.ts';
import type { OpenCall } from '../../../call/operation.ts';
import type { NamedObjects } from '../../../directory/object-memory.ts';
import type { TextTarget } from '../../../directory/target.ts';
import type { TextInbound } from '../inbound.ts';
import { relayedHeaders } from '../relayed-headers.ts';
import type { StateMemory } from '../state-memory.ts';
import type { TextServices } from '../text-services.ts';
import { tracedParameters } from '../traced-parameters.ts';
import type { OutlinedRequest } from '../translation.ts';
import { filledTexts, type Texts } from './filled-texts.ts';
import { endInWords, hasFitTexts, hasPlainTexts, outlineOf } from './outline.ts';
import { PreparedRequest } from './prepared-request.ts';
import type { PreparedKey, PreparedText } from './prepared-texts.ts';
import { TextTemplate } from './text-template.ts';
import { markedRequest, translatedTemplate } from './translated-template.ts';

const OPEN_BRACE = 0x7b;
/** Longer bodies are not scanned here: the general path scans large ones in slices, and checking long texts costs more than parsing them. */
const MOST_BODY_BYTES = 64 * 1024;

/**
 * The members that a prepared request may have. All others concern the gateway itself (tags, end users, fallbacks, the cache), or have not
 * been examined.
 */
const PREPARED_MEMBERS: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
  ...['n', 'stop', 'seed', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'response_format'],
  // Members of Anthropic's format that the others lack.
  ...['system', 'stop_sequences', 'top_k', 'thinking'],
]);

/** Requests with longer lists of beta flags are not prepared. */
const MOST_HEADER_CHARACTERS = 256;

/** A request on the general path, with the target that it is sent to. */
export interface FoundOut {
  readonly request: ParsedRequest;
  readonly named: NamedObjects;
  readonly target: TextTarget;
  /** Translates a request with the same outline; `null` if the target gets the client's own bytes. */
  readonly translate: ((other: ParsedRequest) => TranslatedInstead | null) | null;
}

/** A request that was translated in place of another one. */
export interface TranslatedInstead {
  readonly sent: BytesRequest;
  readonly outlined: OutlinedRequest;
}

/** The template for the requests that follow, and what their answers depend on. */
interface FoundTemplate {
  readonly template: TextTemplate;
  readonly translated: OutlinedRequest | null;
}

/** A text request while it is read: prepared already, or observed on the general path to prepare those that follow. */
export class TextPreparing {
  private scan: BodyScan | null = null;
  private texts: Texts | null = null;
  private outline: string | null = null;

  private constructor(
    private readonly format: ClientFormat,
    private readonly key: PreparedKey,
    /** The client's headers that belong to its format, as JSON text: a part of the outline. Empty if there are none. */
    private readonly headers: string,
    private readonly states: Pick<StateMemory, 'mayRestore'>,
  ) {}

  /** Returns `null` for a request that has to take the general path, whatever its body says. */
  static of(
    { ports, prepared, replays, memory }: TextServices,
    inbound: TextInbound,
    call: OpenCall,
  ): TextPreparing | null {
    const { format, connection } = inbound;
    const { purpose, model, stream } = inbound.call;
    if (!isPreparable(format) || connection !== undefined || purpose !== 'generate') return null;
    if (model !== null || stream !== null) return null;
    if (replays.watches(call.principal.account.id) || inbound.header(CACHE_HEADER) !== null) return null;
    const relayed = relayedHeaders(format, inbound);
    const headers = relayed === null ? '' : JSON.stringify(relayed);
    if (headers.length > MOST_HEADER_CHARACTERS) return null;
    return new TextPreparing(format, prepared.of(call.principal, ports.directory()), headers, memory.states);
  }

  /** Scans the body, unless it is long. Returns the prepared request with the same outline; `null` for none. */
  find(bytes: Uint8Array): PreparedText | null {
    const found = this.preparedFor(bytes);
    if (found !== null) this.key.uses(found);
    return found;
  }

  private preparedFor(bytes: Uint8Array): PreparedText | null {
    if (bytes[0] !== OPEN_BRACE || bytes.length > MOST_BODY_BYTES) return null;
    const latest = this.latestFor(bytes);
    if (latest !== null) return latest;
    this.scan = scanned(bytes, this.format.ownNames.table);
    this.texts = this.scan;
    const ofBody = outlineOf(this.scan);
    if (ofBody === null) return null;
    const outline = this.headers + ofBody;
    const found = this.key.get(outline);
    if (found !== null) return this.isFor(found, this.scan) ? found : null;
    if (this.key.isWanted(outline)) this.outline = outline;
    return null;
  }

  /** Returns the latest prepared request if this one has its outline, which is seen without a scan. */
  private latestFor(bytes: Uint8Array): PreparedText | null {
    const { latest } = this.key;
    if (latest === null || latest.headersJson !== this.headers) return null;
    const contents = latest.own.textsIn(bytes);
    if (contents === null) return null;
    this.texts = { bytes, contents };
    return this.isFor(latest, this.texts) ? latest : null;
  }

  private isFor({ format, translated, hasAnswers }: PreparedText, body: Texts): boolean {
    if (format !== this.format || !hasFitTexts(body)) return false;
    return translated === null || this.mayTranslate(body, hasAnswers);
  }

  /** Returns whether the texts of a body, which are fit, do not affect its translation. State may belong to earlier answers. */
  private mayTranslate(body: Texts, hasAnswers: boolean): boolean {
    return hasPlainTexts(body) && (!hasAnswers || (!this.states.mayRestore && endInWords(body)));
  }

  /** Returns the body for the general path, which need not scan it again. */
  source(bytes: Uint8Array): BodySource | Failure {
    return this.scan === null ? bytes : readScanned(this.scan);
  }

  requestOf({ facts }: PreparedText): PreparedRequest {
    if (this.texts === null) throw new Error('a request is prepared only after its texts are found');
    return new PreparedRequest(this.format, facts, this.texts);
  }

  /** Whether the requests that follow with the same outline are to be prepared. */
  get isWanted(): boolean {
    return this.outline !== null;
  }

  /** Receives what the general path sends upstream for the request, and prepares those that follow if all of them allow it. */
  sends(found: FoundOut, sent: BytesRequest): void {
    const { outline, scan, key, format } = this;
    const { request, named, target } = found;
    const { headers, extras, losses, method, suffix, more } = sent;
    if (outline === null || scan === null || request.scan !== scan || extras !== null) return;
    if (method !== undefined || suffix !== undefined || more !== undefined) return;
    if (!Object.keys(request.body).every((name) => PREPARED_MEMBERS.has(name))) return;
    if (format.objects.named(request.body).length > 0) return;
    const conversation = format.conversation(request);
    const hasAnswers = conversation.turns.some(conversation.isAnswer);
    const made = this.templateOf(found, sent, hasAnswers);
    if (made === null) return;
    const { call, model, stream, wantsStreamUsage, omitsNullUsage = false } = request;
    const weight = weighPrompt(request.body, conversation, scan.bytes.length);
    key.add(outline, {
      directory: key.directory,
      format,
      facts: { call, model, stream, wantsStreamUsage, omitsNullUsage },
      parameters: tracedParameters(request.body),
      named,
      weight,
      payloadBytes: scan.bytes.length - weight.textBytes,
      output: format.outputBound(request),
      target,
      headers,
      losses,
      hasAnswers,
      headersJson: this.headers,
      own: TextTemplate.around(scan.bytes, filledTexts(scan)),
      ...made,
    });
  }

  private templateOf({ translate, request }: FoundOut, sent: BytesRequest, hasAnswers: boolean): FoundTemplate | null {
    const { outline, scan, format } = this;
    if (outline === null || scan === null || sent.body === null) return null;
    if (translate === null) {
      const template = TextTemplate.of(scan, scanned(sent.body, format.ownNames.table));
      return template === null ? null : { template, translated: null };
    }
    if (!hasFitTexts(scan) || !this.mayTranslate(scan, hasAnswers)) return null;
    const marked = this.parsed(markedRequest(scan), request);
    const instead = marked === null ? null : translate(marked);
    const template = instead === null ? null : sameTemplate(scan, sent, instead.sent);
    if (instead === null || template === null) {
      this.key.refuse(outline);
      return null;
    }
    return { template, translated: instead.outlined };
  }

  private parsed(bytes: Uint8Array, { call }: ParsedRequest): ParsedRequest | null {
    const { format } = this;
    const read = readScanned(scanned(bytes, format.ownNames.table));
    const parsed = read instanceof Failure ? read : format.parseRequest(read, call);
    return parsed instanceof Failure ? null : parsed;
  }
}

/** Returns the template if two translations differ only in their texts. */
function sameTemplate(scan: BodyScan, sent: BytesRequest, marked: BytesRequest): TextTemplate | null {
  const isSame = Bun.deepEquals([sent.headers, sent.losses, null], [marked.headers, marked.losses, marked.extras]);
  if (!isSame || sent.body === null || marked.body === null) return null;
  return translatedTemplate(scan, sent.body, marked.body);
}

/**
 * Returns whether nothing outside of its headers and body matters to a request in this format. Members with which a request asks the provider
 * to keep something are not among the prepared ones.
 */
function isPreparable({ storing, compacting, issuing }: ClientFormat): boolean {
  return storing === undefined && compacting === undefined && issuing === undefined;
}
