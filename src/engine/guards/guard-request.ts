import { createHash } from 'node:crypto';
import { Failure } from '../../domain/failure/failure.ts';
import { labelOf, Masks } from '../../domain/guards/masks.ts';
import type { UploadedForm } from '../../domain/media/uploaded-file.ts';
import { Turns } from '../../formats/shared/json/large-json.ts';
import type { CallGuard } from './call-guard.ts';
import { TextGuard } from './guarded-text.ts';
import { judgedContent } from './judge-content.ts';

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const toUtf8 = new TextEncoder();

/** Members that continue a conversation which the gateway or the upstream has stored, with placeholders of earlier requests. */
const CONTINUES = /"(?:previous_response_id|conversation|previous_interaction_id|item_reference)"/;

/**
 * Resolves to the body with masked values, the same bytes if nothing is masked, or the failure of a rule that refuses it. A body that is not
 * JSON is returned as it is, since its operation refuses it.
 */
export async function guardedBody(bytes: Uint8Array, call: CallGuard): Promise<Uint8Array | Failure> {
  if (bytes.length === 0 || call.of('input').length === 0) return bytes;
  const json = utf8.decode(bytes);
  call.masks = masksFor(json, call);
  try {
    const guard = new TextGuard(call, new Turns(), { stage: 'input', collects: call.checksOf('input').length > 0 });
    const byRules = await guard.json(json);
    if (byRules instanceof Failure) return byRules;
    const masked = await byChecks(call, guard, byRules, (one, text) => one.json(text));
    return masked instanceof Failure || masked !== json ? encoded(masked) : bytes;
  } catch (error) {
    if (error instanceof SyntaxError && !isJson(json)) return bytes;
    throw error;
  }
}

function encoded(masked: string | Failure): Uint8Array | Failure {
  return masked instanceof Failure ? masked : toUtf8.encode(masked);
}

/** Resolves to the form with masked texts, or the failure of a rule that refuses one. The files are the same. */
export async function guardedForm(form: UploadedForm, call: CallGuard): Promise<UploadedForm | Failure> {
  if (call.of('input').length === 0) return form;
  call.masks = masksFor([...form.fields.values()].flat().join('\n'), call);
  const guard = new TextGuard(call, new Turns(), { stage: 'input', collects: call.checksOf('input').length > 0 });
  const fields = await fieldsBy(guard, form.fields);
  if (fields instanceof Failure) return fields;
  const checked = await byChecks(call, guard, fields, fieldsBy);
  if (checked instanceof Failure) return checked;
  return { fields: checked, files: form.files, remove: () => form.remove() };
}

/** Lets checks judge what a guard has collected, and masks what they want masked. */
async function byChecks<Content>(
  call: CallGuard,
  { texts, images }: TextGuard,
  content: Content,
  masked: (guard: TextGuard, content: Content) => Promise<Content | Failure>,
): Promise<Content | Failure> {
  const guards = await judgedContent(call, { stage: 'input', texts, images });
  if (guards instanceof Failure) return guards;
  return guards.length === 0 ? content : masked(new TextGuard(call, new Turns(), { stage: 'input', guards }), content);
}

type Fields = ReadonlyMap<string, readonly string[]>;

async function fieldsBy(guard: TextGuard, fields: Fields): Promise<Fields | Failure> {
  const masked = new Map<string, readonly string[]>();
  for (const [name, values] of fields) {
    const texts: string[] = [];
    for (const value of values) {
      const text = await guard.text(value, 0, name);
      if (text instanceof Failure) return text;
      texts.push(text);
    }
    masked.set(name, texts);
  }
  return masked;
}

/** Returns the placeholders of a request. They get a tag if those of its conversation could be taken for them. */
function masksFor(text: string, call: CallGuard): Masks {
  const labels = new Set(call.of('input').flatMap(({ rules }) => rules.maskingRules.map(labelOf)));
  const isAmbiguous = CONTINUES.test(text) || [...labels].some((label) => text.includes(`[${label}_`));
  return new Masks(isAmbiguous ? `${tagOf(call.facts.requestId)}_` : '');
}

/** Returns the tag of a request. It is the same in the call that gets the result of a line from a batch of its provider. */
function tagOf(requestId: string): string {
  const hash = createHash('sha256').update(requestId).digest();
  return [0, 1, 2, 3].map((at) => ((hash[at] ?? 0) % 36).toString(36).toUpperCase()).join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
