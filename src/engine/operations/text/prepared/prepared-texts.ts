import type { Principal } from '../../../../domain/access/principal.ts';
import type { Loss } from '../../../../domain/exchange/loss.ts';
import type { OutputBound } from '../../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../../formats/text/format.ts';
import type { PromptWeight } from '../../../../formats/text/shared/prompt-weight.ts';
import type { Directory } from '../../../directory/directory.ts';
import type { NamedObjects } from '../../../directory/object-memory.ts';
import type { TextTarget } from '../../../directory/target.ts';
import type { TracedParameters } from '../../../ports/tracing.ts';
import type { OutlinedRequest } from '../translation.ts';
import type { OutlinedFacts } from './prepared-request.ts';
import type { TextTemplate } from './text-template.ts';

/** The findings of the general path about one request that hold for all requests of the key with the same outline. */
export interface PreparedText {
  readonly directory: Directory;
  /** The format of the endpoint, which no outline shows. */
  readonly format: ClientFormat;
  readonly facts: OutlinedFacts;
  /** For the traces of requests. */
  readonly parameters: TracedParameters;
  /** The only target, and no object at a provider. */
  readonly named: NamedObjects;
  /** The weight of the prompt; its `textBytes` are those of a body without media payloads. */
  readonly weight: PromptWeight;
  readonly payloadBytes: number;
  readonly output: OutputBound;
  /** The target that gets the template. The other wires of its channel get something else. */
  readonly target: TextTarget;
  readonly template: TextTemplate;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly losses: readonly Loss[];
  /** Set if the target gets a translated request. */
  readonly translated: OutlinedRequest | null;
  /** Whether it has earlier answers of the model. */
  readonly hasAnswers: boolean;
  /** The outline: the client's relayed headers, as JSON text, and its body. */
  readonly headersJson: string;
  readonly own: TextTemplate;
}

/**
 * An outline takes up to 1.3 KB, its pieces and its template as much again, and so do outlines that came once or are unfit. The facts for
 * translated answers take 2.5 KB: 40 MB in all if everything is full.
 */
const MOST_KEYS = 256;
const MOST_OUTLINES = 16;

/** The prepared requests of one key, while neither the key, its account nor the directory changes. */
export class PreparedKey {
  private readonly texts = new Map<string, PreparedText>();
  /** Outlines that came once. One that never comes again, such as one with a seed, replaces no prepared request. */
  private readonly seen = new Set<string>();
  /** Outlines whose texts are not translated as they are. To find that out costs a second translation. */
  private readonly unfit = new Set<string>();
  private used: PreparedText | null = null;

  constructor(
    readonly principal: Principal,
    readonly directory: Directory,
  ) {}

  get(outline: string): PreparedText | null {
    return this.texts.get(outline) ?? null;
  }

  /** The prepared request that was used last: the next one most likely has the same outline. */
  get latest(): PreparedText | null {
    return this.used;
  }

  uses(text: PreparedText): void {
    this.used = text;
  }

  /** Notes the outline of a request. Returns whether it has come before and may be prepared. */
  isWanted(outline: string): boolean {
    if (this.seen.has(outline)) return !this.unfit.has(outline);
    note(this.seen, outline);
    return false;
  }

  refuse(outline: string): void {
    note(this.unfit, outline);
  }

  add(outline: string, text: PreparedText): void {
    if (!this.texts.has(outline)) removeOldest(this.texts, MOST_OUTLINES);
    this.texts.set(outline, text);
  }
}

/**
 * Prepared requests by key. They hold for one directory and one state of the key and its account, so every change begins anew. Channels' health
 * and limits are no part of them: both are asked for each request.
 */
export class PreparedTexts {
  private readonly keys = new Map<string, PreparedKey>();
  private directory: Directory | null = null;

  of(principal: Principal, directory: Directory): PreparedKey {
    if (this.directory !== directory) this.renew(directory);
    const { id } = principal.credential;
    const known = this.keys.get(id);
    if (known !== undefined && known.principal === principal) return known;
    const key = new PreparedKey(principal, directory);
    this.keys.delete(id);
    removeOldest(this.keys, MOST_KEYS);
    this.keys.set(id, key);
    return key;
  }

  /** Keys that are not used any more must not keep an old directory in memory. */
  private renew(directory: Directory): void {
    this.keys.clear();
    this.directory = directory;
  }
}

function note(outlines: Set<string>, outline: string): void {
  if (outlines.size >= MOST_OUTLINES) outlines.clear();
  outlines.add(outline);
}

function removeOldest(map: Map<string, unknown>, most: number): void {
  if (map.size < most) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
