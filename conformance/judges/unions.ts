import type { default as Ajv, AnySchemaObject, ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv';
import { asArray, asObject, isObject } from '../shared/json.ts';
import type { DocumentName, Variant } from './document.ts';
import { type Schema, schemasOf } from './documents.ts';
import { referencedName, UNION_KEYWORD } from './plain-schema.ts';

interface Branch {
  readonly source: unknown;
  readonly schema: AnySchemaObject;
}

interface Union {
  readonly document: DocumentName;
  readonly variant: Variant;
  readonly discriminator: string | null;
  readonly branches: readonly Branch[];
}

type FindSchema = (name: string) => Schema | undefined;

/** The values that a branch is meant for. */
interface Profile {
  /** JSON types; empty if the branch accepts any. */
  readonly types: ReadonlySet<string>;
  /** Members for which the branch allows only certain values. */
  readonly marks: ReadonlyMap<string, { readonly values: ReadonlySet<unknown>; readonly required: boolean }>;
}

/** The members by which the documents distinguish branches, besides a named discriminator; in this order. */
const USUAL_MARKS = ['type', 'role', 'object', 'mode', 'name'];

/** Only reports that a union failed: the problems of its branch, or of the choice, are listed too. */
export const UNION_PROBLEM = UNION_KEYWORD;

/** Judges a value by the branch that is meant for it, and reports only that branch's problems. */
export function unionKeyword(ajv: Ajv): FuncKeywordDefinition {
  return {
    keyword: UNION_KEYWORD,
    errors: 'full',
    compile(union: Union) {
      const profiles = union.branches.map((branch) =>
        profileOf((name) => schemasOf(union.document, union.variant)[name], branch.source, 0),
      );
      const validators = new Map<number, ValidateFunction>();
      // Compiled at the first use: most branches of the large unions are never needed.
      const validatorOf = (index: number): ValidateFunction => {
        const known = validators.get(index);
        if (known !== undefined) return known;
        const compiled = ajv.compile(union.branches[index]?.schema ?? {});
        validators.set(index, compiled);
        return compiled;
      };
      const marks = marksOf(union).filter((mark) => profiles.some((profile) => profile.marks.has(mark)));
      const choices = new Map<string, Choice>();
      const choiceFor = (value: unknown): Choice => {
        const key = choiceKey(marks, value);
        const choice = choices.get(key ?? '') ?? chooseBranches(union, profiles, value);
        if (key !== null) choices.set(key, choice);
        return choice;
      };
      const judge: ReturnType<NonNullable<FuncKeywordDefinition['compile']>> = (value, context) => {
        const path = context?.instancePath ?? '';
        const choice = choiceFor(value);
        if ('problem' in choice) {
          judge.errors = [{ keyword: 'branch', instancePath: path + choice.at, message: choice.problem }];
          return false;
        }
        let fewest: ErrorObject[] | undefined;
        if (choice.indexes.length === 0) return true;
        for (const index of choice.indexes) {
          const validate = validatorOf(index);
          if (validate(value, context)) return true;
          const errors = validate.errors ?? [];
          if (fewest === undefined || errors.length < fewest.length) fewest = [...errors];
        }
        judge.errors = fewest ?? [];
        return false;
      };
      return judge;
    },
  };
}

/** Open Responses allows a service to have its own items, events and tools; the service's own document judges those. */
const OPEN_UNIONS: ReadonlySet<DocumentName> = new Set(['openresponses']);

/** Returns the candidate branches; none if the union is open and the value matches no branch. */
type Choice = { readonly indexes: readonly number[] } | { readonly problem: string; readonly at: string };

function marksOf({ discriminator }: Union): readonly string[] {
  return discriminator === null ? USUAL_MARKS : [...new Set([discriminator, ...USUAL_MARKS])];
}

/** Returns what the choice of branches depends on; `null` if a mark is an object or a list. */
function choiceKey(marks: readonly string[], value: unknown): string | null {
  let key = kindOf(value);
  if (!isObject(value)) return key;
  for (const mark of marks) {
    const found = value[mark];
    if (typeof found === 'object' && found !== null) return null;
    key += ` ${typeof found} ${String(found).length} ${found}`;
  }
  return key;
}

function chooseBranches(union: Union, profiles: readonly Profile[], value: unknown): Choice {
  const kind = kindOf(value);
  const fitting = [...profiles.keys()].filter((index) => fitsType(profiles[index], kind));
  if (fitting.length === 0) {
    const wanted = [...new Set(profiles.flatMap((profile) => [...profile.types]))].join(', ');
    return { problem: `must be one of the types ${wanted}, is ${kind}`, at: '' };
  }
  if (!isObject(value)) return { indexes: fitting };
  let remaining: readonly number[] = fitting;
  for (const mark of marksOf(union)) {
    // A lone branch is used without a check, except in an open union, where the value may match no branch.
    if (remaining.length < 2 && !(mark === union.discriminator && OPEN_UNIONS.has(union.document))) break;
    const marked = remaining.filter((index) => profiles[index]?.marks.has(mark));
    if (marked.length === 0) continue;
    const meant = marked.filter((index) => allowsMark(profiles[index], mark, value[mark]));
    const unmarked = remaining.filter((index) => !marked.includes(index));
    if (meant.length === 0 && unmarked.length === 0) {
      if (OPEN_UNIONS.has(union.document)) return { indexes: [] };
      const known = marked.flatMap((index) => [...(profiles[index]?.marks.get(mark)?.values ?? [])]);
      return { problem: notOneOf(value[mark], known), at: `/${mark}` };
    }
    // A branch that names the value is preferred to one that does not restrict it.
    remaining = meant.length > 0 && value[mark] !== undefined ? meant : [...meant, ...unmarked];
  }
  return { indexes: remaining };
}

function notOneOf(found: unknown, known: readonly unknown[]): string {
  const names = [...new Set(known)].map((one) => JSON.stringify(one)).join(', ');
  return `is ${JSON.stringify(found)}, not one of ${names}`;
}

function fitsType(profile: Profile | undefined, kind: string): boolean {
  if (profile === undefined) return false;
  return profile.types.size === 0 || profile.types.has(kind) || (kind === 'integer' && profile.types.has('number'));
}

function allowsMark(profile: Profile | undefined, mark: string, found: unknown): boolean {
  const allowed = profile?.marks.get(mark);
  if (allowed === undefined) return false;
  return found === undefined || found === null ? !allowed.required : allowed.values.has(found);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const MAX_DEPTH = 12;

function profileOf(find: FindSchema, source: unknown, depth: number): Profile {
  if (!isObject(source) || depth > MAX_DEPTH) return { types: new Set(), marks: new Map() };
  const types = new Set(asArray(source.type ?? []).concat(typeof source.type === 'string' ? [source.type] : []));
  if (source.nullable === true && types.size > 0) types.add('null');
  const marks = new Map<string, { values: ReadonlySet<unknown>; required: boolean }>();
  const parts = asArray(source.allOf).map((part) => profileOf(find, part, depth + 1));
  if (typeof source.$ref === 'string') {
    parts.push(profileOf(find, find(referencedName(source.$ref)), depth + 1));
  }
  const branches = [...asArray(source.anyOf), ...asArray(source.oneOf)];
  if (branches.length > 0) parts.push(eitherOf(branches.map((branch) => profileOf(find, branch, depth + 1))));
  for (const part of parts) {
    for (const type of part.types) types.add(type);
    for (const [key, mark] of part.marks) marks.set(key, mark);
  }
  const required = new Set(asArray(source.required));
  for (const [key, property] of Object.entries(asObject(source.properties))) {
    const values = allowedValues(find, property, depth + 1);
    if (values !== undefined) marks.set(key, { values, required: required.has(key) });
  }
  if (types.size === 0 && source.properties !== undefined) types.add('object');
  if (types.size === 0 && Array.isArray(source.enum)) for (const one of source.enum) types.add(kindOf(one));
  // The profile's types are JSON type names: the documents have no other strings in `type`.
  return { types: types as ReadonlySet<string>, marks };
}

/** Returns the common profile of several branches: a mark counts only if each of them has it. */
function eitherOf(profiles: readonly Profile[]): Profile {
  const types = profiles.some((profile) => profile.types.size === 0)
    ? new Set<string>()
    : new Set(profiles.flatMap((profile) => [...profile.types]));
  const objects = profiles.filter((profile) => profile.types.size === 0 || profile.types.has('object'));
  const marks = new Map<string, { values: ReadonlySet<unknown>; required: boolean }>();
  for (const key of objects[0]?.marks.keys() ?? []) {
    const found = objects.map((profile) => profile.marks.get(key));
    if (found.some((mark) => mark === undefined)) continue;
    marks.set(key, {
      values: new Set(found.flatMap((mark) => [...(mark?.values ?? [])])),
      required: found.every((mark) => mark?.required === true),
    });
  }
  return { types, marks };
}

function allowedValues(find: FindSchema, source: unknown, depth: number): ReadonlySet<unknown> | undefined {
  if (!isObject(source) || depth > MAX_DEPTH) return undefined;
  if (source.const !== undefined) return new Set([source.const]);
  if (Array.isArray(source.enum)) return new Set(source.enum);
  if (typeof source.$ref === 'string') {
    return allowedValues(find, find(referencedName(source.$ref)), depth + 1);
  }
  const parts = asArray(source.allOf).map((part) => allowedValues(find, part, depth + 1));
  const branches = [...asArray(source.anyOf), ...asArray(source.oneOf)].filter((one) => asObject(one).type !== 'null');
  const branchValues = branches.map((branch) => allowedValues(find, branch, depth + 1));
  const all = branchValues.flatMap((values) => [...(values ?? [])]);
  if (all.length > 0 && branchValues.every((values) => values !== undefined)) parts.push(new Set(all));
  return parts.find((values) => values !== undefined);
}
