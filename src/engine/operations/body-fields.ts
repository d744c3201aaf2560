import type { Failure } from '../../domain/failure/failure.ts';
import type { PixelSize } from '../../domain/images/images.ts';
import { parseJson } from '../../formats/shared/json/json-text.ts';
import { isRecord } from '../../formats/shared/json/record.ts';
import { LONGEST_MODEL, missingField, wrongField } from '../../formats/shared/request/request-fields.ts';
import { memberOf } from './input-images.ts';

/**
 * The longest prompt that OpenAI's published document allows for image models. Most other models accept less, and refuse the rest
 * themselves.
 */
export const LONGEST_PROMPT = 32_000;
const LONGEST_TEXT = 32_000;
export const LARGEST_SEED = 2 ** 53 - 1;
const MOST_PIXELS_A_SIDE = 16_384;
const MOST_OF_A_RATIO = 1_000;

type Body = Readonly<Record<string, unknown>>;

interface NumberRange {
  readonly least: number;
  readonly most: number;
  /** Whether `least` itself is too small. */
  readonly isAbove?: boolean;
}

/**
 * Reads the fields of a body one by one. A failure names its field; reading continues, and the first failure counts. Forms have only texts,
 * so numbers may be written as text.
 */
export class BodyFields {
  failure: Failure | null = null;

  constructor(
    private readonly body: Body,
    private readonly isForm = false,
  ) {}

  /** Reads the id of a model; empty after a failure. `category` is that of the endpoint's models. */
  model(category: string, defaultModel: string | null = null): string {
    const model = this.text('model', LONGEST_MODEL) ?? defaultModel ?? '';
    if (model === '') {
      this.missing('model', `a model id from \`GET /v1/models?category=${category}\``);
    }
    return model;
  }

  text(name: string, most = LONGEST_TEXT): string | null {
    const value = this.valueOf(name);
    if (value === null) return null;
    if (typeof value !== 'string') return this.wrong('invalid_type', name, 'must be a string');
    if (value.length <= most) return value;
    return this.wrong('invalid_value', name, `has ${value.length} characters; the limit is ${most}`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (value === null || found !== undefined) return found ?? null;
    return this.wrong('invalid_value', name, `must be ${choices.map((choice) => `\`${choice}\``).join(', ')}`);
  }

  integer(name: string, least: number, most: number): number | null {
    const value = this.valueOf(name);
    if (value === null) return null;
    const number = this.isForm && typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value) ? Number(value) : value;
    const rule = `must be a whole number from ${least} to ${most}`;
    if (typeof number !== 'number' || !Number.isInteger(number)) return this.wrong('invalid_type', name, rule);
    return number >= least && number <= most ? number : this.wrong('invalid_value', name, rule);
  }

  number(name: string, { least, most, isAbove = false }: NumberRange): number | null {
    const value = this.valueOf(name);
    if (value === null) return null;
    const rule = isAbove
      ? `must be a number above ${least}, up to ${most}`
      : `must be a number from ${least} to ${most}`;
    if (typeof value !== 'number') return this.wrong('invalid_type', name, rule);
    const isRight = value <= most && (isAbove ? value > least : value >= least);
    return isRight ? value : this.wrong('invalid_value', name, rule);
  }

  flag(name: string): boolean | null {
    const value = this.valueOf(name);
    if (value === null || typeof value === 'boolean') return value;
    if (this.isForm && (value === 'true' || value === 'false')) return value === 'true';
    return this.wrong('invalid_type', name, 'must be `true` or `false`');
  }

  record(name: string): Body {
    const value = this.valueOf(name);
    if (value === null) return {};
    const read = this.isForm && typeof value === 'string' ? parseJson(value) : value;
    if (isRecord(read)) return read;
    this.wrong('invalid_type', name, this.isForm ? 'must be a JSON object, as a string' : 'must be an object');
    return {};
  }

  wrong(code: 'invalid_type' | 'invalid_value', param: string, rule: string): null {
    this.failure ??= wrongField(code, param, rule);
    return null;
  }

  missing(param: string, what: string): null {
    this.failure ??= missingField(param, what);
    return null;
  }

  /** Reads a width and a height in pixels, such as `1024x1024`. */
  pixels(name: string, orElse = ''): PixelSize | null {
    const text = this.text(name);
    if (text === null) return null;
    const [, width = '', height = ''] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
    const size = { width: Number(width), height: Number(height) };
    const isRight = (pixels: number) => pixels >= 1 && pixels <= MOST_PIXELS_A_SIDE;
    if (isRight(size.width) && isRight(size.height)) return size;
    return this.wrong('invalid_value', name, `must be a width and a height in pixels such as \`1024x1024\`${orElse}`);
  }

  /** Reads an aspect ratio, such as `16:9`; `auto` equals none. */
  ratio(name: string): string | null {
    const text = this.text(name);
    if (text === null || text === 'auto') return null;
    const [, width = '', height = ''] = /^(\d{1,4}(?:\.\d{1,2})?):(\d{1,4}(?:\.\d{1,2})?)$/.exec(text) ?? [];
    const isRight = (side: string) => Number(side) > 0 && Number(side) <= MOST_OF_A_RATIO;
    if (isRight(width) && isRight(height)) return text;
    return this.wrong('invalid_value', name, 'must be a ratio of width to height, such as `16:9`');
  }

  /** Returns the value as the client sent it; `null` for none. */
  valueOf(name: string): unknown {
    return memberOf(this.body, name);
  }
}
