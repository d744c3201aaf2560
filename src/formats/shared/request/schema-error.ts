import { z } from 'zod';
import { Failure } from '../../../domain/failure/failure.ts';
import { isRecord } from '../json/record.ts';

/*
 * The error messages of invalid fields. Every part of a request's schema carries one phrase as its Zod error text: what the field
 * may be ("a number from 0 to 2"). This module builds the sentence around it, so that all errors name the field, what was wrong
 * and what is allowed in the same words: `temperature must be a number from 0 to 2; got 3`.
 */

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** The most characters of a client's text, or of a field's name derived from it, that a message repeats. */
const SHOWN_CHARACTERS = 80;

/** Stops at the first wrong field, so that refusing a body of a million wrong fields costs no more than refusing one. */
const FIRST_ISSUE_ONLY: z.core.ParseContextInternal<Issue> = { abortEarly: true };

/** Returns a schema for an object that must have these members, and may have others. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape, phrase = 'an object') {
  return z.object(shape, phrase);
}

export function text() {
  return z.string('a string');
}

export function flag() {
  return z.boolean('true or false');
}

export function numberIn(minimum: number, maximum: number) {
  const phrase = `a number from ${minimum} to ${maximum}`;
  return z.number(phrase).min(minimum, { error: phrase, abort: true }).max(maximum, { error: phrase, abort: true });
}

/**
 * Returns a schema for an integer of any size: a 64-bit seed is beyond JavaScript's exact integers, but the client's own digits
 * are relayed.
 */
export function integer(phrase = 'an integer') {
  return z.number(phrase).multipleOf(1, { error: phrase, abort: true });
}

export function integerFrom(minimum: number, maximum?: number) {
  const phrase =
    maximum === undefined ? `an integer of at least ${minimum}` : `an integer from ${minimum} to ${maximum}`;
  const atLeast = integer(phrase).min(minimum, { error: phrase, abort: true });
  return maximum === undefined ? atLeast : atLeast.max(maximum, { error: phrase, abort: true });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, oneOfPhrase(values));
}

export function oneOfPhrase(values: readonly string[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

/**
 * Returns a schema for a record. Zod's own copies every entry and continues after an invalid one: a body of a million of them
 * would take seconds.
 */
export function recordOf(value: z.ZodType, phrase: string) {
  const compiled = lazily(() => z.compile(value));
  return z
    .custom<Readonly<Record<string, unknown>>>(isRecord, { error: phrase, abort: true })
    .superRefine((record, context) => {
      for (const key in record) {
        const issue = compiled().safeParse(record[key]).error?.issues[0];
        if (issue === undefined) continue;
        // The same issue, one level up; raw and finished issues differ only in optional members.
        const raised = { ...issue, input: record[key], path: [key, ...issue.path], continue: false };
        context.issues.push(raised as z.core.$ZodRawIssue);
        return;
      }
    });
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    if (made === null) made = { value: make() };
    return made.value;
  };
}

/** A rule that relates two fields of the body. */
export interface FieldRule {
  /** The field that is reported. */
  readonly field: string;
  readonly message: string;
  holds(body: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Returns a check of one format's request bodies: `null` means valid, otherwise the failure is about the field that comes first
 * in the schema. Slow and large to build (20 to 90 ms and 15 to 50 MB per format), so it is built once, at the format's first
 * request.
 */
export function bodyValidator(schema: z.ZodObject, rules: readonly FieldRule[] = []) {
  const compiled = lazily(() => z.compile(schema, { strict: true }));
  const fields = Object.keys(schema.shape);
  return (body: unknown): Failure | null => {
    const broken = isRecord(body) ? rules.find((rule) => !rule.holds(body)) : undefined;
    if (compiled().validate(body)) return broken === undefined ? null : brokenRule(broken);
    const issue = schema.safeParse(body, FIRST_ISSUE_ONLY).error?.issues[0];
    if (issue === undefined) return new Failure('invalid_value', { message: 'The request body is not valid' });
    const comesFirst = broken !== undefined && fields.indexOf(broken.field) < fields.indexOf(String(issue.path[0]));
    return comesFirst ? brokenRule(broken) : failureOf(deepest(issue), body);
  };
}

function brokenRule({ field, message }: FieldRule): Failure {
  return new Failure('invalid_value', { message, param: field });
}

interface Finding {
  readonly path: Path;
  readonly phrase: string;
  readonly code: Issue['code'];
}

/** Returns the error within the intended shape, if a value may have several, instead of saying that none of them fits. */
function deepest(issue: Issue, above: Path = []): Finding {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    for (const branch of issue.errors) {
      const inner = branch[0];
      if (inner !== undefined && inner.path.length > 0) return deepest(inner, path);
    }
    const code = issue.errors.length === 0 ? 'invalid_value' : 'invalid_type';
    const meant = issue.errors.flat().find((inner) => inner.code !== 'invalid_type');
    return { path, phrase: issue.message, code: meant?.code ?? code };
  }
  return { path, phrase: issue.message, code: issue.code };
}

function failureOf({ path, phrase, code }: Finding, body: unknown): Failure {
  const value = valueAt(body, path);
  const param = formatPath(path);
  if (path.length === 0) {
    return new Failure('invalid_type', { message: `The request body must be ${phrase}; got ${show(body)}` });
  }
  if (value === undefined) {
    return new Failure('missing_required_parameter', { message: `${param} is required and must be ${phrase}`, param });
  }
  const message = `${param} must be ${phrase}; got ${show(value)}`;
  return new Failure(isOfWrongType(code, value) ? 'invalid_type' : 'invalid_value', { message, param });
}

/**
 * Returns whether the type is wrong. An enum's issue does not distinguish a wrong type from a wrong value; every enum here
 * consists of strings.
 */
function isOfWrongType(code: Issue['code'], value: unknown): boolean {
  if (code === 'invalid_value') return typeof value !== 'string';
  return code === 'invalid_type' || code === 'not_multiple_of' || code === 'custom';
}

function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

/** Formats a path: `messages[2].content[0].type`; a key that is not an identifier is quoted: `logit_bias["50256"]`. */
export function formatPath(path: Path): string {
  let formatted = '';
  for (const key of path) {
    if (typeof key === 'number') formatted += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]{0,79}$/.test(String(key)))
      formatted += formatted === '' ? String(key) : `.${String(key)}`;
    else formatted += `[${quote(String(key))}]`;
  }
  return formatted;
}

/** Returns a value as a message may repeat it: shortened, and an array or object only by its kind. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return value.length === 1 ? 'an array of 1 item' : `an array of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

function quote(value: string): string {
  const whole = JSON.stringify(value.slice(0, SHOWN_CHARACTERS));
  if (value.length <= SHOWN_CHARACTERS && whole.length <= SHOWN_CHARACTERS) return whole;
  return `${whole.slice(0, SHOWN_CHARACTERS - 2)}…"`;
}
