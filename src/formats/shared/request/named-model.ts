import { appendMember, applyEditsTo, replaceValue } from '../json/json-patch.ts';
import { MemberNames, scanObject } from '../json/json-scan.ts';

const MODEL = new MemberNames('model');

/** Replaces or adds the model in a body. A body that is not a JSON object stays as it is; reading it reports the error. */
export function withModel(body: Uint8Array, model: string): Uint8Array | Promise<Uint8Array> {
  const object = scanObject(body, 0, MODEL);
  if (object === null) return body;
  const value = JSON.stringify(model);
  const edits = object.members.map((member) => replaceValue(member, value));
  return applyEditsTo(body, edits.length > 0 ? edits : [appendMember(object, `"model":${value}`)]);
}
