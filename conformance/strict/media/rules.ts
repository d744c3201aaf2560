import { asObject } from '../../shared/json.ts';
import type { Example, ReceivedRequest, Rule, Source } from '../rule.ts';

/*
 * Rules about members of requests for images and audio, which are JSON at some providers and forms at others.
 */

type Family = NonNullable<Rule['family']>;

interface About {
  readonly source: Source;
  readonly family?: Family;
}

/** Returns a member's value: in a form the first part with this name, in a query its first value. */
export function memberOf({ body, form, query }: ReceivedRequest, name: string): unknown {
  if (form !== null) return form.get(name) ?? form.get(`${name}[]`) ?? undefined;
  return asObject(body)[name] ?? query.get(name) ?? undefined;
}

/** The part of the request that holds the members: `true` for a form, `false` for a JSON body. */
type Place = boolean | 'query';

/** Returns an example whose request has these members, in the body, the form or the query. */
export function exampleWith(place: Place, members: Readonly<Record<string, string | number | boolean>>): Example {
  if (place === false) return { body: members };
  const texts = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
  return place === 'query' ? { query: texts } : { form: texts };
}

interface Member {
  readonly member: string;
  readonly isForm?: Place;
}

/** Makes a rule for a member that a model family does not have. */
export function notTaken({
  member,
  value,
  isForm = false,
  ...about
}: Member & About & { readonly value: string | number | boolean }): Rule {
  return {
    id: `no-${member.replaceAll('_', '-')}`,
    statement: `\`${member}\` is refused as unknown.`,
    ...about,
    refuses: (request) => (memberOf(request, member) === undefined ? null : `Unknown parameter: '${member}'.`),
    examples: { refused: [exampleWith(isForm, { [member]: value })] },
  };
}

/** Makes a rule for a member that allows only certain values. */
export function oneOf({
  member,
  values,
  id = `${member.replaceAll('_', '-')}-values`,
  isForm = false,
  ...about
}: Member & About & { readonly values: readonly string[]; readonly id?: string }): Rule {
  const listed = values.map((value) => `'${value}'`).join(', ');
  return {
    id,
    statement: `\`${member}\` must be one of ${values.map((value) => `\`${value}\``).join(', ')}.`,
    ...about,
    refuses(request) {
      const value = memberOf(request, member);
      if (value === undefined || (typeof value === 'string' && values.includes(value))) return null;
      return `Invalid value: '${String(value)}'. Supported values are: ${listed}.`;
    },
    examples: {
      refused: [exampleWith(isForm, { [member]: 'nothing-known' })],
      accepted: values.slice(0, 1).map((value) => exampleWith(isForm, { [member]: value })),
    },
  };
}

/** Makes a rule for a number with bounds. */
export function between({
  member,
  least,
  most,
  id = `${member.replaceAll('_', '-')}-bounds`,
  isForm = false,
  ...about
}: Member & About & { readonly least: number; readonly most: number; readonly id?: string }): Rule {
  return {
    id,
    statement: `\`${member}\` must be at least ${least} and at most ${most}.`,
    ...about,
    refuses(request) {
      const value = memberOf(request, member);
      if (value === undefined || (Number(value) >= least && Number(value) <= most)) return null;
      return `Invalid '${member}': expected a value between ${least} and ${most}, but got ${String(value)} instead.`;
    },
    examples: {
      refused: [exampleWith(isForm, { [member]: most + 1 })],
      accepted: [exampleWith(isForm, { [member]: most })],
    },
  };
}

/** Makes a rule for a text with a maximum length that must not be empty. */
export function textWithin({
  member,
  most,
  id = `${member}-length`,
  isForm = false,
  ...about
}: Member & About & { readonly most: number; readonly id?: string }): Rule {
  return {
    id,
    statement: `\`${member}\` must have 1 to ${most} characters.`,
    ...about,
    refuses(request) {
      const value = memberOf(request, member);
      if (typeof value !== 'string') return null;
      if (value === '') return `Invalid '${member}': empty string.`;
      return value.length <= most ? null : `Invalid '${member}': string too long, expected at most ${most} characters.`;
    },
    examples: {
      refused: [exampleWith(isForm, { [member]: '' }), exampleWith(isForm, { [member]: 'x'.repeat(most + 1) })],
      accepted: [exampleWith(isForm, { [member]: 'x'.repeat(most) })],
    },
  };
}

/** Makes a rule for a file whose name must have an extension of its format. */
export function fileWithName({
  member,
  extensions,
  ...about
}: Member & About & { readonly extensions: readonly string[] }): Rule {
  const pattern = new RegExp(`\\.(?:${extensions.join('|')})$`, 'i');
  const sound = new Uint8Array([0xff, 0xfb, 0x90, 0x64]);
  return {
    id: `${member}-format`,
    statement: `The name of \`${member}\` must end with one of ${extensions.join(', ')}.`,
    ...about,
    refuses(request) {
      const file = memberOf(request, member);
      if (!(file instanceof File)) return `Missing required parameter: '${member}'.`;
      return pattern.test(file.name)
        ? null
        : `Unrecognized file format. Supported formats: ${JSON.stringify(extensions)}`;
    },
    examples: {
      refused: [{ form: { [member]: new File([sound], 'recording', { type: 'audio/mpeg' }) } }],
      accepted: [{ form: { [member]: new File([sound], 'recording.mp3', { type: 'audio/mpeg' }) } }],
    },
  };
}
