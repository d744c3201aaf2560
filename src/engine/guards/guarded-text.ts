import { Failure } from '../../domain/failure/failure.ts';
import {
  encodedRuns,
  isFileInBase64,
  isImageUrl,
  textInBase64,
  textInDataUrl,
  toBase64,
} from '../../domain/guards/encoded-text.ts';
import { type Finding, maskingFindings } from '../../domain/guards/guard-rules.ts';
import type { GuardStage } from '../../domain/verdicts/guard-verdict.ts';
import type { Turns } from '../../formats/shared/json/large-json.ts';
import type { CompiledGuard } from '../directory/guards-in-force.ts';
import type { CallGuard } from './call-guard.ts';
import { MOST_IMAGES } from './guard-check.ts';
import { isNestedJson, jsonTokens, TextEdits } from './json-tokens.ts';

/** How often a text may lie within another one: JSON in a string, base64 in a document. Deeper ones are checked as they are written. */
const MOST_NESTED = 4;
/** Longer texts are searched in windows, with turns for other requests. A value that is longer than the overlap may be found in part. */
const WINDOW = 32 * 1024;
const OVERLAP = 4 * 1024;
/** The most encoded texts within one text. */
const MOST_RUNS = 200;

/** Members with an upstream's own opaque state, which it checks itself, and how such a state looks. */
const OPAQUE: ReadonlySet<string> = new Set([
  'signature',
  'encrypted_content',
  'thoughtSignature',
  'thought_signature',
]);
const STATE = /^[A-Za-z0-9+/=_.:-]{40,}$/;
/** Members that hold files, whose base64 is not searched for values. Elsewhere it may be words that look like base64. */
const FILES =
  /image|audio|video|media|mask|frame|sample|url|uri|base64|b64|bytes|embedding|input_reference|^(?:data|file|file_?data)$/i;
/** A member of responses only: the images of the Responses API. */
const RESULT = 'result';
/** Members whose long numbers are no data of a person. */
const NUMBERS: ReadonlySet<string> = new Set(['seed', 'created', 'created_at', 'timestamp']);

/** The content that a `TextGuard` checks, and its guards; those of the stage by default. */
export interface TextGuardOptions {
  readonly stage: GuardStage;
  readonly guards?: readonly CompiledGuard[];
  /** Whether it collects texts and images for asynchronous checks. */
  readonly collects?: boolean;
}

/** Checks the texts of a request or a response against the rules of guards, and masks what they say. */
export class TextGuard {
  /** The texts and images that asynchronous checks judge, masked; empty unless it collects them. */
  readonly texts: string[] = [];
  readonly images: string[] = [];
  private readonly guards: readonly CompiledGuard[];
  private readonly stage: GuardStage;
  private readonly collects: boolean;

  constructor(
    private readonly call: CallGuard,
    private readonly turns: Turns,
    { stage, guards = call.of(stage), collects = false }: TextGuardOptions,
  ) {
    this.stage = stage;
    this.collects = collects;
    this.guards = guards.filter(({ rules }) => !rules.isEmpty);
  }

  /** Resolves to the JSON text with masked strings, or to the failure of a rule that refuses it. Throws a `SyntaxError` for no JSON. */
  async json(json: string, depth = 0): Promise<string | Failure> {
    const edits = new TextEdits(json);
    for (const token of jsonTokens(json)) {
      if (this.turns.isOver) await this.turns.next();
      // The author of JSON within a string chooses its members.
      const member = depth === 0 ? token.member : '';
      if (token.kind === 'string' && OPAQUE.has(member) && STATE.test(token.text)) continue;
      if (token.kind === 'number' && (NUMBERS.has(member) || this.isVector(token.text))) continue;
      const reading = token.kind === 'string' ? this.text(token.text, depth, member) : this.plain(token.text, depth);
      const text = reading instanceof Promise ? await reading : reading;
      if (text instanceof Failure) return text;
      if (text !== token.text) edits.replace(token, JSON.stringify(text));
    }
    return edits.text;
  }

  /** Returns whether a number of a response is one of the many of a vector, which say nothing about a person. */
  private isVector(digits: string): boolean {
    return this.stage === 'output' && digits.includes('.');
  }

  /**
   * Returns the text with masked values, whatever it holds.
   *
   * @param member the member of the body, or the field of the form, that holds it; empty if it is not known
   */
  text(text: string, depth = 0, member = ''): string | Failure | Promise<string | Failure> {
    if (depth < MOST_NESTED && text.length > 1) {
      if (isNestedJson(text)) return this.json(text, depth + 1);
      const isFile = FILES.test(member) || (this.stage === 'output' && member === RESULT);
      const url = text.startsWith('data:') ? textInDataUrl(text) : null;
      if (url !== null) {
        return this.within(url.text, depth, { original: text, isFile }, (masked) => url.head + toBase64(masked));
      }
      if (isFile && isImageUrl(text)) return this.image(text);
      const document = textInBase64(text);
      if (document !== null) return this.within(document, depth, { original: text, isFile }, toBase64);
      if (isFile && isFileInBase64(text)) return text;
    }
    return this.plain(text, depth);
  }

  private async within(
    inner: string,
    depth: number,
    { original, isFile }: { readonly original: string; readonly isFile: boolean },
    encode: (masked: string) => string,
  ): Promise<string | Failure> {
    const masked = await this.text(inner, depth + 1);
    if (masked instanceof Failure) return masked;
    if (masked !== inner) return encode(masked);
    // Words may look like base64, and mean something as they are.
    return isFile ? original : this.plain(original, depth);
  }

  private image(url: string): string {
    if (this.collects && this.images.length <= MOST_IMAGES) this.images.push(url);
    return url;
  }

  private plain(original: string, depth: number): string | Failure | Promise<string | Failure> {
    if (original.length > WINDOW) return this.inTurns(original, depth);
    let text = original;
    for (const guard of this.guards) {
      const next = this.masked(guard, text, this.findings(guard, text, depth));
      if (next instanceof Failure) return next;
      text = next;
    }
    return this.collected(text);
  }

  /** Does the same for a long text, window by window, so that other requests get a turn. */
  private async inTurns(original: string, depth: number): Promise<string | Failure> {
    let text = original;
    for (const guard of this.guards) {
      const findings: Finding[] = [];
      for (let start = 0; start < text.length; start += WINDOW) {
        findings.push(...this.inWindow(guard, text, start, depth));
        if (this.turns.isOver) await this.turns.next();
      }
      const next = this.masked(guard, text, findings);
      if (next instanceof Failure) return next;
      text = next;
    }
    return this.collected(text);
  }

  /** Returns the findings that begin in a window. What is before and after it tells where words and numbers end. */
  private inWindow(guard: CompiledGuard, text: string, start: number, depth: number): readonly Finding[] {
    const from = Math.max(0, start - OVERLAP);
    const found = this.findings(guard, text.slice(from, start + WINDOW + OVERLAP), depth);
    return found.flatMap(({ start: at, end, ...finding }) =>
      at + from >= start && at + from < start + WINDOW ? [{ ...finding, start: at + from, end: end + from }] : [],
    );
  }

  private findings(guard: CompiledGuard, text: string, depth: number): readonly Finding[] {
    return depth < MOST_NESTED ? findingsIn(guard, text) : guard.rules.findings(text);
  }

  private masked(guard: CompiledGuard, text: string, findings: readonly Finding[]): string | Failure {
    if (findings.length === 0) return text;
    const masked = this.stage === 'input' ? this.call.masks.masked(text, findings) : hiddenIn(text, findings);
    return this.call.found(guard, this.stage, findings) ?? masked;
  }

  private collected(text: string): string {
    if (this.collects && text.length > 1) this.texts.push(text);
    return text;
  }
}

/** Returns the findings in a text and in base64 within it; each of those is as long as the encoded run. */
export function findingsIn({ rules }: CompiledGuard, text: string): readonly Finding[] {
  const findings = rules.findings(text);
  const hidden = encodedRuns(text, MOST_RUNS).flatMap(({ start, end, text: decoded }) =>
    rules.findings(decoded).map((finding) => ({ ...finding, start, end })),
  );
  return hidden.length === 0 ? findings : [...findings, ...hidden];
}

/** Returns a text of a response with asterisks in place of what masks: nothing restores it. */
export function hiddenIn(text: string, findings: readonly Finding[]): string {
  let hidden = text;
  for (const { start, end } of maskingFindings(findings)) {
    hidden = hidden.slice(0, start) + '*'.repeat(end - start) + hidden.slice(end);
  }
  return hidden;
}
